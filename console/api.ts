// The one client of the console, and what all screens ask it.
import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { createStoa, StoaApiError } from '../client/stoa.js'

export const stoa = createStoa({ baseUrl: location.origin, session: true, fetch: fetchOwn })
export type Stoa = typeof stoa

const CSRF_PATH = '/v1/account/csrf'

/** Another tab may have signed in to another organisation, or as another person. A token for writes belongs to one session, and a
 *  former session does not return: if the session is that of this page after the token was read, all writes with it go there. */
async function fetchOwn(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const answer = await fetch(input, init)
  const isToken = new URL(String(input)).pathname === CSRF_PATH
  return answer.ok && isToken && !(await isOwnSession()) ? signedInElsewhere() : answer
}

const isSame = (one: Me, other: Me) => one.org === other.org && one.user === other.user

async function isOwnSession(): Promise<boolean> {
  const shown = queryClient.getQueryData<Me>(me.queryKey)
  if (!shown || isSame(shown, await stoa.getMe())) return true
  void queryClient.invalidateQueries(me)
  return false
}

/** In the form of the host's own errors, so that it is shown where the write was asked for. */
const signedInElsewhere = () =>
  Response.json(
    {
      error: {
        code: 'conflict',
        type: 'conflict_error',
        message: 'Another tab signed in to another organisation or account. Nothing was changed.',
      },
    },
    { status: 409 },
  )

/** Tells the other tabs who is signed in. */
const signIns = new BroadcastChannel('sign-ins')
signIns.onmessage = ({ data }: MessageEvent<{ org: string; user: string }>) => {
  const shown = queryClient.getQueryData<Me>(me.queryKey)
  if (shown && (shown.org !== data.org || shown.user !== data.user)) void queryClient.invalidateQueries(me)
}

export type Me = Awaited<ReturnType<Stoa['getMe']>>
export const me = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal, client }) => {
    const before = client.getQueryData<Me>(['me'])
    const now = await stoa.getMe({}, { signal })
    signIns.postMessage({ org: now.org, user: now.user })
    // What was read belongs to the former organisation.
    if (before && !isSame(before, now)) void client.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' })
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

/** What the host accepts, and keeps in a cookie. */
const RETURN = /^\/(?:[\w~.!$&'()*+,;=:@%?#-][\w~.!$&'()*+,;=:@%?#/-]{0,198})?$/

const ORG_IN_PATH = /^\/o\/([a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?)(?:\/|$)/

/** Signs in and returns to this screen, to its beginning if the address is too long, or else to the first one. Members of the organisation that the
 *  address names, or of `org`, are signed in to it without a choice. */
export function signInUrl(
  { pathname, search }: { pathname: string; search: string },
  org = pathname.match(ORG_IN_PATH)?.[1],
): string {
  const to = [pathname + search, pathname].find(one => RETURN.test(one)) ?? '/'
  return `/v1/account/login?${new URLSearchParams({ to, ...(org && { org }) })}`
}
