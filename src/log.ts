// Structured logs, one JSON object a line, on stderr. Fields are chosen where they are logged; what cannot be chosen,
// the text of errors, is scrubbed here.
import pino, { type Logger } from 'pino'

export type Log = { log: Logger; flush(): void }

export function openLog(level: string): Log {
  const destination = pino.destination({ fd: 2, sync: false, minLength: 4096, periodicFlush: 250 })
  const log = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: errorFields } },
    destination,
  )
  return { log, flush: () => destination.flushSync() }
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
