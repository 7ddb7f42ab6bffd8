// Structured logs, one JSON object a line, on stderr. Fields are chosen where they are logged; what cannot be chosen,
// the text of errors, is scrubbed here.
import pino, { type Logger } from 'pino'
import type { Clock } from '../engines/engines.ts'
import type { Principal } from '../kit/caller.ts'

export type Log = {
  /** For everything but requests. */
  events: Logger
  /** One line for a request that was answered. */
  request(entry: RequestEntry): void
}

export type RequestEntry = {
  id: string
  operation: string
  method: string
  status: number
  ms: number
  ip: string
  caller: Principal | null
}

/** Lines are handed on in one piece of about this size, or after this time: a write for each would cost more than all
 *  else that is done for a small request. */
const BATCH_CHARS = 32_768
const BATCH_MS = 250

export function openLog(level: string, clock: Clock): Log & { flush(): void } {
  const destination = pino.destination({ fd: 2, sync: false })
  const batch = batched(text => destination.write(text))
  const flush = () => {
    batch.flush()
    destination.flushSync()
  }
  return { ...logInto(level, clock, batch), flush }
}

/** The log over anything that takes lines; tests keep them. */
export function logInto(level: string, clock: Clock, sink: { write(line: string): void }): Log {
  const timestamp = timeField(clock)
  const events = pino({ level, base: null, timestamp, serializers: { err: errorFields } }, sink)
  const wanted = events.isLevelEnabled('info')
  // The one line that every request writes is put together by hand. All in it but the address is made by us or taken
  // from a closed list; the address can be what a trusted proxy said.
  const request = ({ id, operation, method, status, ms, ip, caller }: RequestEntry) => {
    if (!wanted) return
    const who = caller ? `,"org":"${caller.org}","credential":"${caller.credential.id}"` : ''
    sink.write(
      `{"level":30${timestamp()},"request":"${id}","operation":"${operation}","method":"${method}","status":${status},"ms":${ms.toFixed(1)},"ip":${JSON.stringify(ip)}${who}}\n`,
    )
  }
  return { events, request }
}

function batched(hand: (text: string) => void): { write(line: string): void; flush(): void } {
  let lines = ''
  let timer: NodeJS.Timeout | null = null
  const flush = () => {
    if (timer) clearTimeout(timer)
    timer = null
    if (lines !== '') hand(lines)
    lines = ''
  }
  return {
    flush,
    write: line => {
      lines += line
      timer ??= setTimeout(flush, BATCH_MS).unref()
      // Warnings and errors do not wait: they may be the last thing that is said.
      if (lines.length > BATCH_CHARS || line.charCodeAt('{"level":'.length) >= '4'.charCodeAt(0)) flush()
    },
  }
}

/** RFC 3339, worked out once a second but for the milliseconds. */
function timeField(clock: Clock): () => string {
  let second = 0
  let prefix = ''
  return () => {
    const now = clock.now()
    const ms = now.getTime() % 1000
    if (now.getTime() - ms !== second) {
      second = now.getTime() - ms
      prefix = `,"time":"${now.toISOString().slice(0, 20)}`
    }
    return `${prefix}${String(ms).padStart(3, '0')}Z"`
  }
}

/** An error without what callers sent: PostgreSQL quotes row values in its messages, so of its errors only the code
 *  and the place stay. */
export function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { message: scrub(String(error)) }
  const { code, constraint_name, table_name, routine } = error as Error & Record<string, string | undefined>
  const message = error.name === 'PostgresError' ? 'PostgreSQL refused the statement' : scrub(error.message)
  const stack = error.stack
    ?.split('\n')
    .filter(line => line.startsWith('    at '))
    .join('\n')
  const cause = error.cause === undefined ? undefined : errorFields(error.cause)
  return { name: error.name, message, code, constraint_name, table_name, routine, stack, cause }
}

/** Keys, and digits as long as a card number's. */
export function scrub(text: string): string {
  return text.replace(/\b(sk|pk)-[0-9A-Za-z]+/g, '$1-…').replace(/\d(?:[ -]?\d){12,18}/g, '…')
}
