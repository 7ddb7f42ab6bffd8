// A request as sent, built from an operation's route and the caller's flat input.

export type ApiRequest = {
  /** `POST /v1/projects`, for messages. Without the values of the input, which may be confidential. */
  route: string
  method: string
  url: string
  headers: Record<string, string>
  body: string | null
  /** Whether sending it twice does no more than sending it once. */
  isRepeatable: boolean
  /** Whether the operation answers with a redirect. */
  mayRedirect: boolean
  /** Whether it calls a model, which takes long and costs money each time. */
  isCostly: boolean
  /** Whether a browser should continue it when the page is left. */
  keepalive: boolean
}

/** The client's name of an operation, and its route. */
export type Operation = readonly [id: string, method: string, path: string]

/** Path parameters are filled from the input; the rest becomes the query of a GET or DELETE, otherwise the body. */
export function requestFor(baseUrl: string, [, method, path]: Operation, input: object, headers: Headers): ApiRequest {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const filled = path.replace(PATH_FIELD, (_, name) => {
    const value = rest.get(name)
    rest.delete(name)
    return segment(name, value)
  })
  const url = new URL(baseUrl + filled)
  const inQuery = method === 'GET' || method === 'DELETE'
  if (inQuery)
    for (const [name, value] of rest) for (const one of [value].flat()) url.searchParams.append(name, String(one))
  else headers.set('content-type', 'application/json')
  return {
    route: `${method} ${path}`,
    method,
    url: url.href,
    headers: Object.fromEntries(headers),
    body: inQuery ? null : JSON.stringify(Object.fromEntries(rest)),
    isRepeatable: ['GET', 'PUT', 'DELETE'].includes(method),
    mayRedirect: false,
    isCostly: false,
    keepalive: false,
  }
}

const PATH_FIELD = /\{(\w+)\}/g

/** Throws a TypeError that shows how to write it, without the value, which may be confidential. */
export function requireObject([id, , path]: Operation, input: unknown): void {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return
  const names = Array.from(path.matchAll(PATH_FIELD), ([, name]) => `${name}: '…'`)
  const shown = `stoa.${id}({ ${names.join(', ') || '…'} })`
  throw new TypeError(`\`${id}\` takes one object with named fields; write \`${shown}\`.`)
}

/** URL parsing removes empty and dot segments, which would call another operation. */
function segment(name: string, value: unknown): string {
  const text = String(value ?? '')
  if (text === '') throw new TypeError(`\`${name}\` is missing.`)
  if (['.', '..'].includes(text)) throw new TypeError(`\`${name}\` must not be "${text}"`)
  return encodeURIComponent(text)
}
