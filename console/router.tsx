// The addresses: `/` leads to the organisation of the session, `/o/{org}/…` are the screens of an organisation, `/host/…` those of
// superadmins, and `/me` is the own account.
import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router'
import { isSignedOut, me, queryClient, signInUrl } from './api.ts'
import { Frame } from './frame/frame.tsx'
import { Failed, NotFound } from './frame/problems.tsx'
import { parseSearch, stringifySearch } from './frame/search.ts'
import { type Screen, services } from './services/services.ts'

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound, errorComponent: Failed })

/** Who is signed in; a browser without a session is sent to sign-in. */
async function signedIn({ location }: { location: { pathname: string; searchStr: string } }) {
  try {
    return await queryClient.ensureQueryData(me)
  } catch (error) {
    if (!isSignedOut(error)) throw error
    globalThis.location.replace(signInUrl({ pathname: location.pathname, search: location.searchStr }))
    return new Promise<never>(() => {}) // The page is left.
  }
}

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async context => {
    const { org } = await signedIn(context)
    throw redirect({ to: '/o/$org/$', params: { org, _splat: 'home' } })
  },
})

const organisation = createRoute({
  getParentRoute: () => root,
  path: '/o/$org',
  beforeLoad: signedIn,
  component: Frame,
  notFoundComponent: NotFound,
})

const beginning = createRoute({
  getParentRoute: () => organisation,
  path: '/',
  beforeLoad: ({ params: { org } }) => {
    throw redirect({ to: '/o/$org/$', params: { org, _splat: 'home' } })
  },
})

/** What belongs to the host or to the person, and not to an organisation. */
const platform = createRoute({
  getParentRoute: () => root,
  id: 'platform',
  beforeLoad: signedIn,
  component: Frame,
})

const screens = services.flatMap(one => one.screens)
const isOfPlatform = ({ path }: Screen) => path.startsWith('/')
const routesBelow = (parent: typeof organisation | typeof platform, of: Screen[]) =>
  of.map(({ path, load }) =>
    createRoute({ getParentRoute: () => parent as typeof platform, path }).lazy(async () => {
      const component = await load()
      return { options: { component } } as never
    }),
  )

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    organisation.addChildren([
      beginning,
      ...routesBelow(
        organisation,
        screens.filter(one => !isOfPlatform(one)),
      ),
    ]),
    platform.addChildren(routesBelow(platform, screens.filter(isOfPlatform))),
  ]),
  defaultPreload: 'intent',
  defaultErrorComponent: Failed,
  scrollRestoration: true,
  parseSearch,
  stringifySearch,
})
