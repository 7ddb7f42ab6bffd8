// The options of the client and of a single call.

export type StoaOptions = {
  /** The URL of the host, such as `https://localhost:8443`, without a path. */
  baseUrl: string
  /** A secret key of the organisation, `sk-…`, or an access token. Without one, only public operations can be called. */
  key?: string | undefined
  /** Acts as the person signed in to the browser, instead of with a key. */
  session?: boolean | undefined
  /** Allows a secret key in a browser page, where every visitor can read it. */
  dangerouslyAllowBrowser?: boolean | undefined
  /** How long one attempt may take until the whole answer has arrived, in milliseconds; defaults to 60,000, and to
   *  600,000 for model calls. */
  timeoutMs?: number | undefined
  /** How often a failed call is retried; defaults to 2. */
  retries?: number | undefined
  /** The longest wait before an attempt, in milliseconds; defaults to 30,000, at most 24 days. If the host asks for a
   *  longer one, the call fails immediately. */
  retryWaitMaxMs?: number | undefined
  /** Sent with every request, such as `X-Project-Id`. */
  headers?: Record<string, string> | undefined
  /** Used instead of the global `fetch`. */
  fetch?: Fetch | undefined
}

export type CallOptions = {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** As in `StoaOptions`, for this call. */
  timeoutMs?: number | undefined
  /** As in `StoaOptions`, for this call. */
  retries?: number | undefined
  /** Headers of this call, in addition to those of the client. */
  headers?: Record<string, string> | undefined
}

/** For operations that create something. */
export type CreateOptions = CallOptions & {
  /** The host runs the operation once per key. By default every call has a new key, shared by its attempts. */
  idempotencyKey?: string | undefined
}

type Fetch = (url: string, init: FetchInit) => Promise<Response>

export type FetchInit = {
  method: string
  headers: Record<string, string>
  body: string | null
  signal: AbortSignal
  redirect: 'manual'
  credentials?: 'include'
  keepalive?: true
}

/** A misspelt one would be noticed only by the answers. The last two are of `createEvents`. */
const OPTIONS = [
  ...[
    'baseUrl',
    'key',
    'session',
    'headers',
    'timeoutMs',
    'retries',
    'retryWaitMaxMs',
    'fetch',
    'dangerouslyAllowBrowser',
  ],
  ...['intervalMs', 'onError'],
]

export type ClientSettings = ReturnType<typeof settingsFrom>

export function settingsFrom(options: StoaOptions) {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError("Pass one object with named options: `{ baseUrl: 'https://…', key: '…' }`.")
  }
  const unknown = Object.keys(options).find(name => !OPTIONS.includes(name))
  if (unknown !== undefined) {
    throw new TypeError(`There is no option \`${unknown.slice(0, 60)}\`. There are: ${OPTIONS.join(', ')}.`)
  }
  const { key, session = false, dangerouslyAllowBrowser = false } = options
  const baseUrl = checkedBaseUrl(options.baseUrl)
  // `fetch` would refuse it too, with an error that contains the key.
  if (key !== undefined && !VISIBLE_ASCII.test(key)) throw new TypeError('`key` must be visible ASCII characters only.')
  if (session && key !== undefined) throw new TypeError('Use `key` or `session`, not both.')
  if (key?.startsWith('sk-') && isPage() && !dangerouslyAllowBrowser) {
    throw new TypeError(
      'Every visitor of this page can read the secret key. Use `session: true`, a publishable key for events, or a ' +
        'server; ' +
        'if the key may be public, set `dangerouslyAllowBrowser: true`.',
    )
  }
  return {
    baseUrl,
    key,
    session,
    timeoutMs: options.timeoutMs,
    retries: options.retries ?? 2,
    retryWaitMaxMs: options.retryWaitMaxMs ?? 30_000,
    headers: options.headers ?? {},
    // Looked up for every request, so that a later replacement of the global is used.
    fetch: options.fetch ?? ((url: string, init: FetchInit) => fetch(url, init)),
  }
}

const VISIBLE_ASCII = /^[\x21-\x7e]+$/

/** The origin. Messages do not repeat the user and password, which may be in the URL. */
function checkedBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('`baseUrl` must start with https:// or http://')
  if (url.username || url.password) {
    throw new TypeError('`baseUrl` must not contain a user or password. Pass a secret as `key`.')
  }
  // The paths of the operations start with /v1, at the root of the host.
  if (url.pathname !== '/' || /[?#]/.test(text)) {
    throw new TypeError(`\`baseUrl\` must have no path, query or fragment; write \`baseUrl: '${url.origin}'\`.`)
  }
  return url.origin
}

export const isPage = () => 'document' in globalThis
