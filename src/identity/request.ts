// Remembers the entries that one request has read from the database. oidc-provider reads an entry, changes it and
// writes it back whole; the payload as read shows what changed, and that the entry existed.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import type { oidc } from '../services/iam/public.ts'

type Entry = oidc.Entry
type Payload = Entry['payload']

type RequestScope = {
  /** The network of the client's address. */
  client: string
  /** A signal that is aborted when the client leaves before it is answered. */
  signal: () => AbortSignal
  /** Entries loaded together with a refresh token, which the library reads next. */
  prefetched: Map<string, Entry>
  /** The member that a refresh token belongs to, or null, and the key `<user> <client> <grant>` it was looked up by. */
  person: { of: string; found: oidc.SignedInMember | null } | null
  /** Payloads as read, by model and id. As JSON, because the library changes payloads in place. */
  found: Map<string, string>
  /** The refresh token that the next saved one replaces. */
  replaced: string | null
  /** Sessions whose id changes because a person signs in. */
  renamed: Set<string>
}

const requests = new AsyncLocalStorage<RequestScope>()

/** Runs the handler of one request in a new scope. */
export function inOneRequest<T>(client: string, signal: RequestScope['signal'], handler: () => T): T {
  const fresh = { prefetched: new Map(), found: new Map(), renamed: new Set<string>() }
  return requests.run({ client, signal, person: null, replaced: null, ...fresh }, handler)
}

export class ClientLeft extends Error {}

export function signalOf(response: ServerResponse): AbortSignal {
  const left = new AbortController()
  const leave = () => response.writableFinished || left.abort(new ClientLeft())
  if (response.destroyed) leave()
  else response.once('close', leave)
  return left.signal
}

/** The client of this request; null outside of a request. */
export const clientOfRequest = (): string | null => requests.getStore()?.client ?? null

export function thisRequest(): RequestScope {
  const request = requests.getStore()
  if (!request) throw new Error('not inside a request to the identity origin')
  return request
}

/** The payload of `<model> <id>` as this request has read or saved it. */
export function payloadAsRead(name: string): Payload | null {
  const text = thisRequest().found.get(name)
  return text === undefined ? null : JSON.parse(text)
}

/** Applies this request's changes (`before` to `mine`) to what another request has written since (`current`). Nested
 *  maps, such as the apps of a session, are merged key by key. */
export function merged(before: Payload, mine: Payload, current: Payload): Payload {
  const result: Payload = { ...current }
  for (const name of new Set([...Object.keys(before), ...Object.keys(mine)])) {
    if (isDeepStrictEqual(before[name], mine[name])) continue
    if (mine[name] === undefined) delete result[name]
    else if (isMap(mine[name]) && isMap(current[name])) {
      result[name] = merged(isMap(before[name]) ? before[name] : {}, mine[name], current[name])
    } else result[name] = mine[name]
  }
  return result
}

const isMap = (value: unknown): value is Payload => typeof value === 'object' && value !== null && !Array.isArray(value)
