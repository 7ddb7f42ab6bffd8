// The driver for one connection. After a loss the driver would reconnect by itself, in the state in which the connection
// was lost: the next call might then hang or get the failure of the previous one. So it may connect only once; for another
// connection, open another driver.
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import postgres from 'postgres'
import { textsFrom } from './arrays.ts'

export type Location = { url: string } | { socketDirectory: string; database: string; user: string }

export type Driver = {
  sql: postgres.Sql
  /** Waits up to this long for running statements to end. */
  end(waitS: number): Promise<void>
}

export type DriverHandlers = {
  /** Whether the connection was lost or ended. */
  onclose: () => void
  /** For LISTEN. Not in the driver's types, but used by its own LISTEN. */
  onnotify?: (channel: string, payload: string) => void
}

/** After this time the caller has given up, so the query need not finish. */
const STATEMENT_TIMEOUT_MS = 30_000
const IDLE_IN_TRANSACTION_MS = 10_000
/** After this time without acknowledgement the server closes the connection. */
const UNANSWERED_MS = 15_000
/** The time limit for connecting. */
export const WAIT_MS = 5_000

/** No connection was established, so nothing was sent. */
export class ConnectFailed extends Error {
  readonly code: string
  constructor({ code = 'CONNECT_TIMEOUT', message }: { code?: string; message: string }) {
    super(message)
    this.code = code
  }
}

/** Connects with the first statement. */
export function openDriver(
  at: Location,
  handlers: DriverHandlers,
  parameters?: Record<string, string | number>,
  connectMs: number = WAIT_MS,
): Driver {
  const { open, close } = connectOnce(connectMs)
  const settings: postgres.Options<Record<string, postgres.PostgresType>> & { socket: typeof open } = {
    ...handlers,
    socket: open,
    max: 1,
    max_lifetime: null,
    connect_timeout: connectMs / 1_000,
    onnotice: () => {},
    fetch_types: false,
    connection: {
      application_name: handlers.onnotify ? 'stoa listening' : 'stoa',
      TimeZone: 'UTC',
      statement_timeout: STATEMENT_TIMEOUT_MS,
      // A transaction does no other work between its statements. The locks of a vanished client's transaction are freed.
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      tcp_user_timeout: UNANSWERED_MS,
      tcp_keepalives_idle: 10,
      tcp_keepalives_interval: 5,
      tcp_keepalives_count: 3,
      jit: 'off',
      ...parameters,
    },
    types: {
      time: { to: 1184, from: [1184], serialize: (v: string) => v, parse: (v: string) => new Date(v).toISOString() },
      integer64: { to: 20, from: [20], serialize: String, parse: Number },
      arrays: { to: 0, from: TEXT_ARRAYS, serialize: (v: string) => v, parse: textsFrom },
      numberArrays: { to: 0, from: NUMBER_ARRAYS, serialize: (v: string) => v, parse: numbersFrom },
    },
  }
  const sql = ('url' in at
    ? postgres(at.url, settings)
    : postgres({
        ...settings,
        host: at.socketDirectory,
        database: at.database,
        user: at.user,
      })) as unknown as postgres.Sql
  const end = async (waitS: number) => {
    await sql.end({ timeout: waitS })
    close() // It may still be connecting.
  }
  return { sql, end }
}

/** Whether the connection answers. PostgreSQL delivers earlier notifications before it completes a later statement. */
export async function answers({ sql }: Driver, withinMs: number): Promise<boolean> {
  const answer = sql`select 1`.then(
    () => true,
    () => false,
  )
  return (await endsWithin(answer, withinMs)) && answer
}

const SLICES = 5

/** Waits for the work in slices between which the event loop reads its connections: after the loop was blocked for long,
 *  a single timer would fire before an answer that arrived long ago is read. */
export async function endsWithin(work: PromiseLike<unknown>, withinMs: number): Promise<boolean> {
  let hasEnded = false
  const end = () => {
    hasEnded = true
  }
  const ended = work.then(end, end)
  for (let slice = 0; slice < SLICES && !hasEnded; slice++) {
    await Promise.race([ended, wait(withinMs / SLICES, null, { ref: false })])
  }
  return hasEnded
}

/** The driver's parsed options of the URL. */
type Target = { host: string[]; port: number[]; path: string | false }

function connectOnce(connectMs: number) {
  let isUsed = false
  let isClosed = false
  let socket: Socket | null = null
  return {
    open: async ({ host, port, path }: Target): Promise<Socket> => {
      if (isUsed) throw new ConnectFailed({ code: 'CONNECTION_CLOSED', message: 'the server closed the connection' })
      isUsed = true
      let failure = new ConnectFailed({ message: 'no host' })
      const places = path ? [{ path }] : host.map((name, at) => ({ host: name, port: port[at] as number }))
      for (const place of places) {
        try {
          socket = await connected(place, connectMs / places.length)
          if (isClosed) socket.destroy()
          // The driver takes the TLS server name from it.
          return Object.assign(socket, place)
        } catch (error) {
          failure = error as ConnectFailed
        }
      }
      throw failure
    },
    close: () => {
      isClosed = true
      socket?.destroy()
    },
  }
}

type Place = { path: string } | { host: string; port: number }

function connected(place: Place, connectMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(place)
    const fail = (error: { code?: string; message: string }) => {
      socket.destroy()
      reject(new ConnectFailed(error))
    }
    const timer = setTimeout(() => fail({ message: 'no connection in time' }), connectMs)
    socket.once('error', fail)
    socket.once('close', () => clearTimeout(timer))
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', fail)
      resolve(socket)
    })
  })
}

/** The object ids of boolean[], name[], text[] and varchar[], and of the integer arrays. */
const TEXT_ARRAYS = [1000, 1003, 1009, 1015]
const NUMBER_ARRAYS = [1005, 1007, 1016]
const numbersFrom = (array: string) => textsFrom(array).map(text => (text === null ? null : Number(text)))
