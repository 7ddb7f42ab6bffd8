// Operations under /v1/iam/apps: the clients that may ask the identity provider who somebody is.
import { Type } from 'typebox'
import type { Seal, Tx } from '../../engines/engines.ts'
import { nothing } from '../../kit/answer.ts'
import { BRAND, DEFAULT_BRAND } from '../../kit/brand.ts'
import { invalidInput } from '../../kit/check.ts'
import { Fault, notFound } from '../../kit/fault.ts'
import { displayName, timestamp } from '../../kit/fields.ts'
import type { Context } from '../../kit/operation.ts'
import { listing, page, paging } from '../../kit/page.ts'
import { changesIn } from '../../kit/write.ts'
import * as store from './sign-in/store.ts'
import { operation } from './state.ts'

const URIS_MAX = 20

const Id = Type.String({
  pattern: '^[a-z0-9-]{1,100}$',
  description: 'The client id, `<org>-<app>`',
  examples: ['home-web'],
})
export const Brand = Type.String({
  pattern: BRAND.source,
  description: `The brand at whose origin people sign in to it; without one, \`${DEFAULT_BRAND}\``,
  examples: [DEFAULT_BRAND],
})
/** What names an app in a request. */
const app = { id: Id, brand: Type.Optional(Brand) }
const Name = displayName("The app's name, which people see when they sign in")
const uris = (what: string, minItems: number) =>
  Type.Array(Type.String({ maxLength: 2_000 }), {
    ...{ minItems, maxItems: URIS_MAX, description: what },
    examples: [['https://shop.example.com/callback']],
  })
const RedirectUris = uris('Where people come back to after signing in: compared to the letter, no wildcards', 1)
const LogoutUris = uris('Where people may come back to after signing out', 0)

const App = Type.Object({
  id: Id,
  app: Type.String(),
  brand: Type.String(),
  name: Type.String(),
  type: Type.Enum(['confidential', 'public']),
  redirectUris: Type.Array(Type.String()),
  logoutUris: Type.Array(Type.String()),
  created: timestamp('When it was created'),
  updated: timestamp('When it was last changed'),
})
const Secret = Type.String({ description: 'The client secret. Keep it now' })

export const listApps = operation({
  route: 'GET /v1/iam/apps',
  summary: "The organisation's apps, by client id and brand",
  access: 'admin',
  input: paging,
  output: listing(App),
  run: ({ db, caller }, asked) =>
    page(
      asked,
      (last, count) => {
        const [id = '', brand = ''] = last.split(' ')
        return store.selectApps(db, caller.org, { id, brand }, count)
      },
      ({ id, brand }) => `${id} ${brand}`,
    ),
})

export const createApp = operation({
  route: 'POST /v1/iam/apps',
  summary: 'Registers an app; the answer alone carries the secret of a confidential one',
  access: 'admin',
  issuesCredential: true,
  input: {
    app: Type.String({
      pattern: '^[a-z0-9]{1,40}$',
      description: "The app's short name: lower-case letters and digits, so that `<org>-<app>` is unique",
      examples: ['web'],
    }),
    brand: Type.Optional(Brand),
    name: Type.Optional(Name),
    type: Type.Enum(['confidential', 'public'], {
      description: '`confidential` for servers, which can keep a secret; `public` for browsers and devices',
      examples: ['confidential'],
    }),
    redirectUris: RedirectUris,
    logoutUris: Type.Optional(LogoutUris),
  },
  output: Type.Object({ ...App.properties, secret: Type.Optional(Secret) }),
  status: 201,
  faults: ['conflict'],
  audit: 'app.create',
  run: async (context, { app, brand = DEFAULT_BRAND, name = app, type, ...given }) => {
    const { caller, clock, random, seal, write } = context
    const { redirectUris, logoutUris = [] } = given
    requireCallbacks('redirectUris', redirectUris)
    requireCallbacks('logoutUris', logoutUris)
    await requireBrand(context.db, brand)
    const id = `${caller.org}-${app}`
    const secret = type === 'confidential' ? random.token(43) : null
    const at = clock.now().toISOString()
    const sealed = secret === null ? null : seal.seal(caller.org, secretName({ brand, id }), secret)
    const about = { id, app, brand, name, type, redirectUris, logoutUris, created: at, updated: at }
    return write(async ({ db, record }) => {
      const made = await store.insertApp(db, caller.org, { ...about, sealed })
      if (!made) {
        throw new Fault('conflict', {
          message: `There is an app \`${id}\` already; choose another name.`,
          fields: [{ path: 'app', says: 'is taken' }],
        })
      }
      record(auditName(id, brand), changesIn(null, made, RECORDED))
      return { ...made, ...(secret !== null && { secret }) }
    })
  },
})

export const getApp = operation({
  route: 'GET /v1/iam/apps/{id}',
  summary: 'One app, without its secret',
  access: 'admin',
  input: app,
  output: App,
  faults: ['not_found'],
  run: ({ db, caller }, named) => ownApp(db, caller.org, named),
})

export const updateApp = operation({
  route: 'PATCH /v1/iam/apps/{id}',
  summary: 'Changes what is given of an app',
  access: 'admin',
  issuesCredential: true, // Where people come back to decides who gets their tokens.
  input: {
    ...app,
    name: Type.Optional(Name),
    redirectUris: Type.Optional(RedirectUris),
    logoutUris: Type.Optional(LogoutUris),
  },
  output: App,
  faults: ['not_found'],
  audit: 'app.update',
  run: async ({ caller, clock, write }, { id, brand, ...given }) => {
    requireCallbacks('redirectUris', given.redirectUris ?? [])
    requireCallbacks('logoutUris', given.logoutUris ?? [])
    return write(async ({ db, record }) => {
      const app = await lockedApp(db, caller.org, { id, brand })
      const changes = changesIn(app, { ...app, ...given }, RECORDED)
      if (Object.keys(changes).length === 0) return app
      const changed = { ...app, ...given, updated: clock.now().toISOString() }
      await store.updateApp(db, caller.org, changed)
      record(auditName(id, brand), changes)
      return changed
    })
  },
})

export const deleteApp = operation({
  route: 'DELETE /v1/iam/apps/{id}',
  summary: 'Removes an app; nobody can sign in to it any more',
  access: 'admin',
  input: app,
  output: nothing,
  faults: ['not_found'],
  audit: 'app.delete',
  run: ({ caller, write }, { id, brand = DEFAULT_BRAND }) =>
    write(async ({ db, record }) => {
      if (!(await store.deleteApp(db, caller.org, { id, brand }))) throw notFound('app')
      record(auditName(id, brand))
    }),
})

export const rotateAppSecret = operation({
  route: 'POST /v1/iam/apps/{id}/secret',
  summary: 'Replaces the secret of a confidential app at once, and answers the new one',
  access: 'admin',
  issuesCredential: true,
  input: app,
  output: Type.Object({ id: Id, secret: Secret }),
  faults: ['not_found', 'conflict'],
  audit: 'app.secret',
  run: async ({ caller, clock, random, seal, write }, { id, brand = DEFAULT_BRAND }) => {
    const secret = random.token(43)
    return write(async ({ db, record }) => {
      const { type } = await lockedApp(db, caller.org, { id, brand })
      if (type === 'public') throw new Fault('conflict', { message: 'A public app has no secret.' })
      const sealed = seal.seal(caller.org, secretName({ brand, id }), secret)
      await store.updateAppSecret(db, caller.org, { brand, id }, sealed, clock.now().toISOString())
      record(auditName(id, brand))
      return { id, secret }
    })
  },
})

/** What the trail says of an app. */
const RECORDED = ['name', 'redirectUris', 'logoutUris'] as const

const auditName = (id: string, brand = DEFAULT_BRAND) => (brand === DEFAULT_BRAND ? id : `${id} at ${brand}`)

/** What a secret is sealed as; that of the first brand is called as it was before there were others. */
const secretName = ({ brand, id }: store.AppId) => (brand === DEFAULT_BRAND ? `app ${id}` : `app ${id} ${brand}`)

/** The secret of an app as the identity provider needs it, to compare what a client presents. */
export const openSecret = (seal: Seal, { org, sealed, ...app }: store.Client): string | null =>
  sealed === null ? null : seal.unseal(org, secretName(app), sealed)

async function ownApp(
  db: Context['db'],
  org: store.Client['org'],
  { id, brand = DEFAULT_BRAND }: { id: string; brand?: string | undefined },
): Promise<store.App> {
  const app = await store.selectApp(db, org, { id, brand })
  if (!app) throw notFound('app')
  return app
}

/** The same, held still until the transaction ends. */
async function lockedApp(
  db: Tx,
  org: store.Client['org'],
  { id, brand = DEFAULT_BRAND }: { id: string; brand?: string | undefined },
): Promise<store.App> {
  await store.lockApp(db, org, { id, brand })
  return ownApp(db, org, { id, brand })
}

/** Raised for a brand that no setting names. */
export async function requireBrand(db: Context['db'], brand: string): Promise<void> {
  if (!(await store.hasBrand(db, brand))) throw invalidInput([{ path: 'brand', says: 'is not a brand of this host' }])
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** https, or http on this very machine for development; nothing that a browser would read differently from how it is
 *  written, since it is compared to the letter. */
/** What else a URL may have there means something in the headers that name it. */
const HOST_NAME = /^([\w.-]+|\[[\da-f:.]+\])$/

function requireCallbacks(field: string, texts: readonly string[]): void {
  for (const [at, text] of texts.entries()) {
    const wrong = (says: string) => invalidInput([{ path: `${field}.${at}`, says }])
    const url = URL.canParse(text) ? new URL(text) : null
    if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.includes(url.hostname)))) {
      throw wrong('must be an https URL, or http on localhost')
    }
    if (url.href !== text && url.href !== `${text}/`)
      throw wrong(`must be written as browsers do, ${url.href.slice(0, 200)}`)
    if (text.includes('#') || url.username || url.password || text.includes('*')) {
      throw wrong('must have no fragment, no user and no wildcard')
    }
    if (!HOST_NAME.test(url.hostname)) throw wrong('must name a host')
    if (texts.indexOf(text) !== at) throw wrong('is there twice')
  }
}
