// One connection without time limits, for work that may take hours. Every statement after its loss fails: another
// connection would have neither its locks nor its transaction.
import { setTimeout as wait } from 'node:timers/promises'
import { EngineUnavailable, type Session, type SqlValue, type Tx } from '../engines.ts'
import { parameters } from './arrays.ts'
import { type Location, openDriver } from './driver.ts'

/** With keepalive the server also notices that the client's machine is gone. */
const SESSION_SETTINGS = {
  application_name: 'stoa migrating',
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
  tcp_keepalives_idle: 60,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 6,
}
/** The driver retries for ever with a server that closes every connection. */
const CONNECT_MS = 10_000

export async function runSession<T>(at: Location, work: (session: Session) => Promise<T>): Promise<T> {
  let isLost = false
  const onclose = () => {
    isLost = true
  }
  const { sql, end } = openDriver(at, { onclose }, SESSION_SETTINGS)
  const run = async <R>(statement: () => PromiseLike<R>): Promise<R> => {
    if (isLost) throw lost()
    return Promise.resolve(statement()).catch(error => {
      throw isLost ? lost(error) : error
    })
  }
  const script = async (text: string) => void (await run(() => sql.unsafe(text).simple()))
  const tx: Tx = Object.assign(
    <Row extends object>(strings: TemplateStringsArray, ...values: SqlValue[]) =>
      run(() => sql<Row[]>(strings, ...parameters(values)) as unknown as PromiseLike<Row[]>),
    { isTransaction: true as const, afterCommit: (done: () => void) => done(), script },
  )
  const transaction = async <R>(part: (tx: Tx) => Promise<R>): Promise<R> => {
    await script('begin')
    try {
      const value = await part(tx)
      await script('commit')
      return value
    } catch (error) {
      await script('rollback').catch(() => {}) // Without a connection, the server has rolled back.
      throw error
    }
  }
  try {
    await Promise.race([connected(tx), wait(CONNECT_MS, null, { ref: false }).then(() => Promise.reject(lost()))])
    return await work(Object.assign(tx, { transaction }))
  } finally {
    await end(isLost ? 0 : 5) // After a loss, the driver would wait for all of it.
  }
}

/** The server then interrupts a statement whose client is gone, so that a lock it holds is free for the next start. */
async function connected(tx: Tx): Promise<void> {
  try {
    await tx`select set_config('client_connection_check_interval', '5s', false)`
  } catch (error) {
    // Servers on some systems do not support it.
    if ((error as { code?: string }).code !== '22023') throw error
  }
}

const lost = (cause?: unknown) =>
  new EngineUnavailable('db', 'down', new Error('the connection to the database was lost', { cause }))
