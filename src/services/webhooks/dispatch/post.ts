// One attempt: a POST of which only the beginning of the response is read.
import { type Http, HttpFailure, type HttpResponse } from '../../../engines/engines.ts'

/** The total time for the DNS look-up, the connection, TLS, and the header and body of the response. */
export const TIMEOUT_MS = 10_000
const READ_BYTES_MAX = 16 * 1024
const KEPT_CHARACTERS = 1_000

/** `error` is null if it succeeded. */
export type Outcome = { httpStatus: number | null; error: string | null; response: string; durationMs: number }

/** Undefined if it could not be sent from here. */
export async function post(
  http: Http,
  url: string,
  headers: Record<string, string>,
  body: Uint8Array,
): Promise<Outcome | undefined> {
  const startMs = performance.now()
  let answer: HttpResponse | null = null
  const parts: Buffer[] = []
  let error: string | null
  try {
    answer = await http.send({
      ...{ method: 'POST', url, headers, body },
      timeoutMs: TIMEOUT_MS,
      bodyBytesMax: Number.POSITIVE_INFINITY,
    })
    await readBeginning(answer, parts)
    error = failureIn(answer.status)
  } catch (cause) {
    if (isShortOfFiles(cause)) return undefined
    error = reasonOf(cause, answer !== null)
  }
  return {
    httpStatus: answer?.status ?? null,
    error,
    response: answer ? shown(answer, Buffer.concat(parts)) : '',
    durationMs: Math.round(performance.now() - startMs),
  }
}

/** The rest is not read: the connection is closed. */
async function readBeginning({ body }: HttpResponse, parts: Buffer[]): Promise<void> {
  let size = 0
  for await (const part of body) {
    parts.push(part)
    size += part.length
    if (size > READ_BYTES_MAX) break
  }
}

/** A compressed body is not decompressed. */
function shown({ headers }: HttpResponse, bytes: Buffer): string {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return ''
  return bytes.toString('utf8').replaceAll('\0', '\ufffd').slice(0, KEPT_CHARACTERS).toWellFormed()
}

function failureIn(status: number): string | null {
  if (status >= 200 && status <= 299) return null
  return status >= 300 && status <= 399
    ? `It answered ${status}; redirects are not followed.`
    : `It answered ${status}.`
}

/** Without a file descriptor no connection can be opened. */
function isShortOfFiles(error: unknown): boolean {
  const { code = '' } = ((error as Error).cause ?? {}) as { code?: string }
  return code === 'EMFILE' || code === 'ENFILE'
}

function reasonOf(error: unknown, isAnswered: boolean): string {
  if (!(error instanceof HttpFailure)) throw error
  if (error.reason === 'timeout') return `It did not answer within ${TIMEOUT_MS / 1000} s.`
  if (error.reason === 'address') return 'Its address is not public, and not in STOA_OUTBOUND_ALLOW.'
  const { code = '' } = (error.cause ?? {}) as { code?: string }
  const says = SAYS[code]
  if (says !== undefined) return `${says} (${code}).`
  if (code.startsWith('ERR_HTTP2_')) return `Its response over HTTP/2 was cut off (${code}).`
  if (error.message.includes('does not match the HTTP/1.1 protocol')) return `${NO_HTTP}.`
  return `${isAnswered ? 'Its response was cut off' : 'It could not be reached'}: ${error.message.replace('the call failed: ', '')}.`
}

const NO_HTTP = 'Its response is not valid HTTP'
const SAYS: Record<string, string> = {
  UND_ERR_SOCKET: 'It closed the connection before its response was complete',
  ECONNREFUSED: 'It refused the connection',
  EHOSTUNREACH: 'There is no route to it',
  ENETUNREACH: 'There is no route to it',
  ECONNRESET: 'It reset the connection before its response was complete',
  UND_ERR_HEADERS_OVERFLOW: 'The header of its response is too long',
  ERR_ASSERTION: NO_HTTP,
  UND_ERR_INVALID_ARG: NO_HTTP,
}
