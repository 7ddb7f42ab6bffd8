// Gets a publisher's document: from the publisher, over https and from public addresses alone, or from the mirror that the
// operator named.
import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Clock, type Http, HttpFailure } from '../../../engines/engines.ts'
import type { Source } from '../sources/source.ts'

const BYTES_MAX = 64 * 1024 * 1024
const TIMEOUT_MS = 60_000
const REDIRECTS_MAX = 5
const TRIES = 3
/** After the first try; twice as long after the second. */
const PAUSE_MS = 5_000

export type Validators = { etag: string | null; modified: string | null }
export type Document = Validators & { kind: 'document'; bytes: Uint8Array; encoding: string | null }
export type Fetched = Document | { kind: 'unchanged' }

/** Why nothing came, in words for the operator. */
export class FetchFailed extends Error {}
/** One that another try may mend. */
class RetryableFetchFailed extends FetchFailed {}

type Engines = { http: Http; clock: Clock }

export const originOf = ({ source, origin }: Source, mirror: string | null): string =>
  mirror === null ? origin : `${mirror}/${source}`

/** Tries again what the way may be to blame for. */
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
      signal.throwIfAborted() // Who stopped us is to blame, not the publisher.
      if (!(error instanceof RetryableFetchFailed) || tries === TRIES) throw error
      await engines.clock.sleep(PAUSE_MS * tries, signal)
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
      ...{ timeoutMs: TIMEOUT_MS, bodyBytesMax: BYTES_MAX, signal },
      // The mirror is where the operator says, wherever that is; where it would send us is for nobody to say.
      ...(isMirror ? { reach: 'configured' as const } : { redirects: REDIRECTS_MAX }),
    })
    if (status !== 200) body.destroy()
    if (status === 304) return { kind: 'unchanged' }
    if (status >= 500 || status === 429) throw new RetryableFetchFailed(`The publisher answered ${status}`)
    if (status !== 200) throw new FetchFailed(`The publisher answered ${status}`)
    const bytes = Buffer.concat(await body.toArray())
    const text = (name: string) => (typeof headers[name] === 'string' ? (headers[name] as string).slice(0, 500) : null)
    const encoding = text('content-encoding')?.toLowerCase() ?? null
    return { kind: 'document', bytes, encoding, etag: text('etag'), modified: text('last-modified') }
  } catch (error) {
    throw error instanceof HttpFailure ? failure(error) : error
  }
}

/** An address that may not be dialled, or a document that is too long, is the same at the next try. */
function failure({ reason, message }: HttpFailure): FetchFailed {
  const says = `The document could not be taken: ${message}`
  return reason === 'network' || reason === 'timeout' ? new RetryableFetchFailed(says) : new FetchFailed(says)
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
