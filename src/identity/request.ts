// What one request to the identity origin has read of oidc-provider's things. The library reads a thing, changes it and
// writes it back whole; what was read tells what it changed, and that the thing was there.
import { AsyncLocalStorage } from 'node:async_hooks'
import { isDeepStrictEqual } from 'node:util'
import type { oidc } from '../services/iam/public.ts'

type Entry = oidc.Entry
type Payload = Entry['payload']

type Request = {
  /** Read together with a refresh token, for when it is asked for. */
  prefetched: Map<string, Entry>
  /** As JSON: what the library was given it may change in place. */
  found: Map<string, string>
  /** The refresh token that gives way to the one that is saved next. */
  replaced: string | null
  /** Sessions that get another id, because somebody signs in. */
  renamed: Set<string>
}

const requests = new AsyncLocalStorage<Request>()

/** Answers one request. */
export const inOneRequest = <T>(answer: () => T): T =>
  requests.run({ prefetched: new Map(), found: new Map(), replaced: null, renamed: new Set() }, answer)

export function thisRequest(): Request {
  const request = requests.getStore()
  if (!request) throw new Error('this is done for a request to the identity origin alone')
  return request
}

/** How something was found in this request, by its kind and id. */
export function asFound(name: string): Payload | null {
  const text = thisRequest().found.get(name)
  return text === undefined ? null : JSON.parse(text)
}

/** Both what was read and what another request has written since, with what this one changed: to a map of maps, as the
 *  apps of a session are, each adds its own. */
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
