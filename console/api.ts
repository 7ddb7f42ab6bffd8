// The one client of the console, and what all screens ask it.
import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { createStoa, StoaApiError } from '../client/stoa.js'

export const stoa = createStoa({ baseUrl: location.origin, session: true })
export type Stoa = typeof stoa

export type Me = Awaited<ReturnType<Stoa['getMe']>>
export const me = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal, client }) => {
    const before = client.getQueryData<Me>(['me'])
    const now = await stoa.getMe({}, { signal })
    const isSame = !before || (before.org === now.org && before.user === now.user)
    // What was read belongs to the former organisation.
    if (!isSame) void client.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' })
    return now
  },
  staleTime: 60_000,
  // Another tab may have signed in to another organisation, to which the writes of this one would go.
  refetchOnWindowFocus: 'always',
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

const ORG_IN_PATH = /^\/o\/([a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?)(?:\/|$)/

/** Signs in and returns to this screen, or to its beginning if the address is too long. Members of the organisation that the
 *  address names, or of `org`, are signed in to it without a choice. */
export function signInUrl(
  { pathname, search }: { pathname: string; search: string },
  org = pathname.match(ORG_IN_PATH)?.[1],
): string {
  const full = pathname + search
  const to = full.length > RETURN_MAX ? pathname : full
  return `/v1/account/login?${new URLSearchParams({ to, ...(org && { org }) })}`
}
