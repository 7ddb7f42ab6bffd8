// Fetches the document of a source: from its origin, over https and from public addresses only, or from the mirror in
// STOA_RISK_MIRROR.
import { readFile, stat } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Clock, type Http, HttpFailure } from '../../../engines/engines.ts'
import type { Source } from '../sources/source.ts'

const BYTES_MAX = 64 * 1024 * 1024
const TIMEOUT_MS = 60_000
const REDIRECTS_MAX = 5
const TRIES = 3
/** The backoff after the first try; twice as long after the second. */
const BACKOFF_MS = 5_000

export type Validators = { etag: string | null; modified: string | null }
export type Document = Validators & { kind: 'document'; bytes: Uint8Array; encoding: string | null }
export type Fetched = Document | { kind: 'unchanged' }

/** Nothing was fetched. The message becomes the refusal of the source. */
export class FetchFailed extends Error {}
/** A failure that a retry may fix. */
class RetryableFetchFailed extends FetchFailed {}

type Engines = { http: Http; clock: Clock }

export const originOf = ({ source, origin }: Source, mirror: string | null): string =>
  mirror === null ? origin : `${mirror}/${source}`

/** Retries failures that may be temporary. */
export async function fetchDocument(
  engines: Engines,
  url: string,
  { isMirror, validators, signal }: { isMirror: boolean; validators: Validators | null; signal: AbortSignal },
): Promise<Fetched> {
  for (let tries = 1; ; tries++) {
    try {
      return await (url.startsWith('file:')
        ? readDocument(url)
        : request(engines.http, url, isMirror, validators, signal))
    } catch (error) {
      signal.throwIfAborted() // An abort is not a failure of the source.
      if (!(error instanceof RetryableFetchFailed) || tries === TRIES) throw error
      await engines.clock.sleep(BACKOFF_MS * tries, signal)
    }
  }
}

async function request(
  http: Http,
  url: string,
  isMirror: boolean,
  validators: Validators | null,
  signal: AbortSignal,
): Promise<Fetched> {
  try {
    const { status, headers, body } = await http.send({
      method: 'GET',
      url,
      headers: {
        'user-agent': 'stoa-risk-reference',
        'accept-encoding': 'gzip',
        ...(validators?.etag && { 'if-none-match': validators.etag }),
        ...(validators?.modified && { 'if-modified-since': validators.modified }),
      },
      timeoutMs: TIMEOUT_MS,
      bodyBytesMax: BYTES_MAX,
      signal,
      // The mirror is configured and may be at any address, but its redirects are not followed.
      ...(isMirror ? { reach: 'configured' as const } : { redirects: REDIRECTS_MAX }),
    })
    if (status !== 200) body.destroy()
    if (status === 304) return { kind: 'unchanged' }
    if (status >= 500 || status === 429) throw new RetryableFetchFailed(`The source answered ${status}`)
    if (status !== 200) throw new FetchFailed(`The source answered ${status}`)
    const bytes = await buffer(body)
    const text = (name: string) => (typeof headers[name] === 'string' ? (headers[name] as string).slice(0, 500) : null)
    const encoding = text('content-encoding')?.toLowerCase() ?? null
    return { kind: 'document', bytes, encoding, etag: text('etag'), modified: text('last-modified') }
  } catch (error) {
    throw error instanceof HttpFailure ? failure(error) : error
  }
}

/** A forbidden address or a document that is too long fails again on every retry. */
function failure({ reason, message }: HttpFailure): FetchFailed {
  const text = `The document could not be fetched: ${message}`
  return reason === 'network' || reason === 'timeout' ? new RetryableFetchFailed(text) : new FetchFailed(text)
}

async function readDocument(url: string): Promise<Document> {
  const path = fileURLToPath(url)
  try {
    if ((await stat(path)).size > BYTES_MAX) throw new FetchFailed(`The file is longer than ${BYTES_MAX} bytes`)
    return { kind: 'document', bytes: await readFile(path), encoding: null, etag: null, modified: null }
  } catch (error) {
    if (error instanceof FetchFailed) throw error
    throw new FetchFailed(`The file cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
