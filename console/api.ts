// The one client of the console, and what all screens ask it.
import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { createStoa, StoaApiError } from '../client/stoa.js'

export const stoa = createStoa({ baseUrl: location.origin, session: true })
export type Stoa = typeof stoa

export type Me = Awaited<ReturnType<Stoa['getMe']>>
export const me = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => stoa.getMe({}, { signal }),
  staleTime: 60_000,
})
export const services = queryOptions({
  queryKey: ['services'],
  queryFn: ({ signal }) => stoa.listServices({}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

export const manages = ({ role }: Me) => role !== 'member'

/** The session ended: by itself, at another place, or with the person's membership. */
export const isSignedOut = (error: unknown) => error instanceof StoaApiError && error.status === 401

/** Listens for answers that say so. */
export const signedOut = new EventTarget()

const onError = (error: unknown) => void (isSignedOut(error) && signedOut.dispatchEvent(new Event('end')))

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  // The client tries again by itself.
  defaultOptions: { queries: { retry: false, staleTime: 10_000 }, mutations: { retry: false } },
})

/** The host accepts at most 200 characters, which it keeps in a cookie. */
const RETURN_MAX = 200

/** Signs in and returns to this screen, or to its beginning if the address is too long. */
export function signInUrl({ pathname, search }: { pathname: string; search: string }): string {
  const full = pathname + search
  return `/v1/account/login?to=${encodeURIComponent(full.length > RETURN_MAX ? pathname : full)}`
}
