// One connection without time limits, for work that may take hours. After it is lost, every statement fails: another
// connection would have neither its locks nor its transaction.
import { EngineUnavailable, type QueryValue, type Session, type Tx } from '../engines.ts'
import { EACH_ALONE } from './at-end.ts'
import { endsWithin, type Location, openDriver } from './driver.ts'
import { send } from './fragments.ts'

/** With keepalive the server also notices that the client's machine is gone. */
const SESSION_SETTINGS = {
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
  tcp_keepalives_idle: 60,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 6,
}

/** Fails without a connection after `waitMs`: the driver retries forever with a server that closes every connection. */
export async function runSession<T>(
  at: Location,
  application: string,
  waitMs: number,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  let [isConnected, isLost] = [false, false]
  const onclose = () => {
    isLost = true
  }
  const { sql, end } = openDriver(at, { onclose }, { application_name: application, ...SESSION_SETTINGS }, waitMs)
  const run = async <R>(statement: () => PromiseLike<R>): Promise<R> => {
    if (isLost) throw lost()
    return Promise.resolve(statement()).catch(error => {
      throw isLost ? lost(error) : error
    })
  }
  const script = async (text: string) => void (await run(() => sql.unsafe(text).simple()))
  const tx: Tx = Object.assign(
    <Row extends object>(strings: TemplateStringsArray, ...values: QueryValue[]) =>
      run(() => send(sql, strings, values) as PromiseLike<Row[]>),
    { ...EACH_ALONE, script },
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
    const connecting = connected(tx)
    if (!(await endsWithin(connecting, waitMs))) throw lost()
    await connecting
    isConnected = true
    return await work(Object.assign(tx, { transaction }))
  } finally {
    await end(isConnected && !isLost ? 5 : 0) // Without a connection, the driver would wait the whole time.
  }
}

/** Makes the server interrupt a statement whose client is gone, so that its locks are free for the next start. */
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
