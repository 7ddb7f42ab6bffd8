// Operations under /v1/iam/apps: the OpenID Connect clients of an organisation.

import { Type } from 'typebox'
import type { Seal, Tx } from '../../../engines/engines.ts'
import { nothing } from '../../../kit/answer.ts'
import type { Caller, OrgId } from '../../../kit/caller.ts'
import { invalidField } from '../../../kit/check.ts'
import { conflict, Fault, notFound, orNotFound } from '../../../kit/fault.ts'
import { boolean, displayName, secret, string, timestamp, withoutNulls } from '../../../kit/fields.ts'
import { BRAND, DEFAULT_BRAND } from '../../../kit/host/brand.ts'
import { lock } from '../../../kit/lock.store.ts'
import type { Context } from '../../../kit/operation.ts'
import { listing, page, paging, shownAs } from '../../../kit/page.ts'
import { changesIn } from '../../../kit/write.ts'
import { appCreated, appDeleted, appSecretRotated, appUpdated } from '../events.ts'
import { AppId as Id } from '../fields.ts'
import { endSignInsTo } from '../sessions/oidc.store.ts'
import { type Iam, operation } from '../state.ts'
import * as tables from '../tables.ts'
import { admission, changedAdmission, chosenAdmission, NEW_ADMISSION, requireAdmission } from './admission.ts'
import * as store from './store.ts'

const URIS_MAX = 20
const URI_EXAMPLES = [['https://shop.example.com/callback']]

export const Brand = string(
  `The brand at whose origin people sign in to the app; \`${DEFAULT_BRAND}\` if omitted`,
  DEFAULT_BRAND,
  { pattern: BRAND.source },
)
/** The input fields that identify an app. */
const app = { id: Id, brand: Type.Optional(Brand) }
const Name = displayName('The name of the app, shown when people sign in')
const uris = (description: string, minItems: number) =>
  Type.Array(Type.String({ maxLength: 2_000 }), {
    minItems,
    maxItems: URIS_MAX,
    description,
    examples: URI_EXAMPLES,
  })
const RedirectUris = uris('The URLs that people may return to after signing in: compared exactly, no wildcards', 1)
const LogoutUris = uris('The URLs that people may return to after signing out: compared exactly, no wildcards', 0)

const shownUris = (description: string) => Type.Array(Type.String(), { description, examples: URI_EXAMPLES })

const App = Type.Object(
  {
    id: Id,
    app: string('Its short name', 'web'),
    brand: string('The brand at whose origin people sign in', DEFAULT_BRAND),
    issuer: Type.Optional(
      string(
        'The issuer of its tokens, which clients are configured with; absent while this host does not serve the brand',
        'https://id.example.com',
      ),
    ),
    name: string('The name that people see when they sign in', 'Web shop'),
    type: Type.Enum(['confidential', 'public'], { description: 'Whether it has a secret' }),
    redirectUris: shownUris('The URLs that people may return to after signing in'),
    logoutUris: shownUris('The URLs that people may return to after signing out'),
    trusted: Type.Boolean({ description: "Whether its tokens carry the person's role" }),
    ...admission,
    created: timestamp('When it was created'),
    updated: timestamp('When it was last changed'),
  },
  { title: 'App', description: 'An OpenID Connect client of the organisation, which people sign in to' },
)
const Trusted = boolean(
  "Whether the app's tokens carry the person's role. Tokens of other apps read as a member and write events. Only owners can set it",
  false,
)
const Secret = secret('The client secret, which is returned only here', '4vJ9mWcX2bQeT7yLrK0sZp1n4vJ9mWcX2bQeT7yLrK0')

export const listApps = operation({
  route: 'GET /v1/iam/apps',
  summary: "Lists the organisation's apps, by client id and brand",
  access: 'admin',
  input: paging,
  output: listing(App),
  run: ({ db, caller, state }, query) =>
    shownAs(
      page(
        query,
        (last, count) => {
          const [id = '', brand = ''] = last.split(' ')
          return store.selectApps(db, caller.org, { id, brand }, count)
        },
        ({ id, brand }) => `${id} ${brand}`,
      ),
      app => shown(app, state),
    ),
})

export const createApp = operation({
  route: 'POST /v1/iam/apps',
  summary: 'Registers an app; for a confidential app, only this response contains the secret',
  description: 'People sign in with the authorization code flow and PKCE. The maximum number of apps is a setting.',
  access: 'admin',
  owners: 'trusted apps',
  issuesCredential: true,
  input: {
    app: string("The app's short name: lower-case letters and digits, so that `<org>-<app>` is unique", 'web', {
      pattern: '^[a-z0-9]{1,40}$',
    }),
    brand: Type.Optional(Brand),
    name: Type.Optional(Name),
    type: Type.Enum(['confidential', 'public'], {
      description: '`confidential` for servers, which can keep a secret; `public` for apps in browsers and on devices',
      examples: ['confidential'],
    }),
    redirectUris: RedirectUris,
    logoutUris: Type.Optional(LogoutUris),
    trusted: Type.Optional(Trusted),
    ...chosenAdmission,
  },
  output: Type.Object({ ...App.properties, secret: Type.Optional(Secret) }),
  status: 201,
  faults: ['conflict'],
  audit: 'app.create',
  emits: appCreated,
  run: async (context, { app, brand = DEFAULT_BRAND, name = app, type, ...given }) => {
    const { bounds, caller, clock, random, seal, state, write } = context
    const { redirectUris, logoutUris = [], trusted = false, ...chosen } = given
    const admitting = { ...NEW_ADMISSION, ...chosen }
    if (trusted) requireOwner(caller)
    requireCallbacks('redirectUris', redirectUris)
    requireCallbacks('logoutUris', logoutUris)
    requireAdmission({ ...admitting, trusted }, await ownUrls(context.db, state))
    await requireBrand(context.db, brand)
    const id = `${caller.org}-${app}`
    const secret = type === 'confidential' ? random.token(43) : null
    const at = clock.now().toISOString()
    const sealed = secret === null ? null : seal.seal(caller.org, secretName({ brand, id }), secret)
    const fields = {
      id,
      app,
      brand,
      name,
      type,
      redirectUris,
      logoutUris,
      trusted,
      ...admitting,
      created: at,
      updated: at,
    }
    return write({ serialize: true }, async ({ db, record, emit }) => {
      await requireOwnAudience(db, caller.org, admitting.audience)
      const created = await store.insertApp(db, caller.org, { ...fields, sealed })
      if (!created)
        throw conflict(`The app \`${id}\` already exists. Choose another short name.`, 'app', 'is already in use')
      await bounds.require(db, tables.apps, caller.org)
      record(auditName(id, brand), changesIn(null, created, AUDITED))
      emit('iam.app.created', { id, brand, name, type, trusted })
      return { ...shown(created, state), ...(secret !== null && { secret }) }
    })
  },
})

export const getApp = operation({
  route: 'GET /v1/iam/apps/{id}',
  summary: 'Returns one app, without its secret',
  access: 'admin',
  input: app,
  output: App,
  faults: ['not_found'],
  run: async ({ db, caller, state }, input) => shown(await findApp(db, caller.org, input), state),
})

export const updateApp = operation({
  route: 'PATCH /v1/iam/apps/{id}',
  summary: 'Changes the given fields of an app',
  description:
    'The id, brand, type and `people` cannot be changed. Only an owner can change a trusted app or `mayWrite`.',
  access: 'admin',
  owners: 'trusted apps',
  issuesCredential: true, // Redirect URIs decide who receives tokens.
  input: {
    ...app,
    name: Type.Optional(Name),
    redirectUris: Type.Optional(RedirectUris),
    logoutUris: Type.Optional(LogoutUris),
    trusted: Type.Optional(Trusted),
    ...changedAdmission,
  },
  output: App,
  faults: ['not_found', 'conflict'],
  audit: 'app.update',
  emits: appUpdated,
  run: async ({ db: context, caller, clock, state, write }, { id, brand, ...given }) => {
    requireCallbacks('redirectUris', given.redirectUris ?? [])
    requireCallbacks('logoutUris', given.logoutUris ?? [])
    const own = await ownUrls(context, state)
    return write(async ({ db, record, emit }) => {
      const app = await lockedApp(db, caller.org, { id, brand })
      const changes = changesIn(app, { ...app, ...given }, AUDITED)
      if (Object.keys(changes).length === 0) return shown(app, state)
      requireAdmission({ ...app, ...given }, own)
      if (changes.audience) await requireOwnAudience(db, caller.org, given.audience ?? null)
      if (given.mayWrite) throw invalidField('mayWrite', 'can only be set to false')
      // Changing where a trusted app's tokens are sent would allow acting with the role of the person.
      if (app.trusted || given.trusted || changes.mayWrite) requireOwner(caller)
      const changed = { ...app, ...given, updated: clock.now().toISOString() }
      await store.updateApp(db, caller.org, changed)
      // Tokens that went to an earlier callback must not get the role of their person, and each is for one audience.
      if ((changes.trusted && changed.trusted) || changes.audience) await endSignInsTo(db, changed)
      record(auditName(id, brand), changes)
      const { name, trusted } = changed
      emit('iam.app.updated', { id, brand: app.brand, name, trusted, changed: Object.keys(changes) })
      return shown(changed, state)
    })
  },
})

export const deleteApp = operation({
  route: 'DELETE /v1/iam/apps/{id}',
  summary: 'Deletes an app; people can no longer sign in to it, and its tokens end',
  description: "It cannot be undone. People's accounts stay.",
  access: 'admin',
  input: app,
  output: nothing,
  faults: ['not_found'],
  audit: 'app.delete',
  emits: appDeleted,
  run: ({ caller, write }, { id, brand = DEFAULT_BRAND }) =>
    write(async ({ db, record, emit }) => {
      if (!(await store.deleteApp(db, caller.org, { id, brand }))) throw notFound('app')
      record(auditName(id, brand))
      emit('iam.app.deleted', { id, brand })
    }),
})

export const rotateAppSecret = operation({
  route: 'POST /v1/iam/apps/{id}/secret',
  summary: 'Replaces the secret of a confidential app immediately, and returns the new one',
  description:
    'The old secret stops working immediately; tokens that were already issued stay valid. A public app has no secret (`conflict`). Only an owner can replace the secret of a trusted app.',
  access: 'admin',
  owners: 'trusted apps',
  issuesCredential: true,
  input: app,
  output: Type.Object({ id: Id, secret: Secret }),
  faults: ['not_found', 'conflict'],
  audit: 'app.secret',
  emits: appSecretRotated,
  run: async ({ caller, clock, random, seal, write }, { id, brand = DEFAULT_BRAND }) => {
    const secret = random.token(43)
    return write(async ({ db, record, emit }) => {
      const { type, trusted } = await lockedApp(db, caller.org, { id, brand })
      if (trusted) requireOwner(caller)
      if (type === 'public') throw conflict('A public app has no secret.')
      const sealed = seal.seal(caller.org, secretName({ brand, id }), secret)
      await store.updateAppSecret(db, caller.org, { brand, id }, sealed, clock.now().toISOString())
      record(auditName(id, brand))
      emit('iam.app.secret_rotated', { id, brand })
      return { id, secret }
    })
  },
})

const shown = ({ issuer, ...app }: store.App, state: Iam) =>
  withoutNulls({ ...app, issuer: issuer === '' ? state.issuer() : issuer })

function requireOwner(caller: Caller): void {
  if (caller.role === 'owner') return
  throw new Fault('forbidden', { message: 'Only an owner of the organisation can make an app trusted or change one.' })
}

/** The fields whose changes are recorded in the audit trail. */
const AUDITED = [
  ...(['name', 'redirectUris', 'logoutUris', 'trusted', 'people', 'signUp', 'signUpDomains'] as const),
  ...(['refuseDisposable', 'audience', 'claims', 'mayWrite', 'logo', 'color'] as const),
]

const auditName = (id: string, brand = DEFAULT_BRAND) => (brand === DEFAULT_BRAND ? id : `${id} at ${brand}`)

/** The name a secret is sealed under. It omits the default brand: secrets from before there were brands have no brand. */
const secretName = ({ brand, id }: store.AppId) => (brand === DEFAULT_BRAND ? `app ${id}` : `app ${id} ${brand}`)

/** The plain secret of an app, which the identity provider compares with what a client presents. */
export const openSecret = (seal: Seal, { org, sealed, ...app }: store.Client): string | null =>
  sealed === null ? null : seal.unseal(org, secretName(app), sealed)

type Named = { id: string; brand?: string | undefined }

const findApp = async (db: Context['db'], org: OrgId, { id, brand = DEFAULT_BRAND }: Named): Promise<store.App> =>
  orNotFound(await store.selectApp(db, org, { id, brand }), 'app')

/** Like `findApp`, and locks the app until the transaction ends. */
async function lockedApp(db: Tx, org: OrgId, { id, brand = DEFAULT_BRAND }: Named): Promise<store.App> {
  await store.lockApp(db, org, { id, brand })
  return findApp(db, org, { id, brand })
}

/** The URL at which clients reach this host. */
const ownUrls = async (db: Context['db'], { baseUrl, issuer }: Iam): Promise<string[]> => [
  baseUrl,
  issuer(),
  ...(await store.selectIssuers(db)).map(({ issuer }) => issuer),
]

/** All organisations share the issuers: with tokens for the audience of another organisation, one could sign in to its API
 *  as anybody. */
async function requireOwnAudience(db: Tx, org: OrgId, audience: string | null): Promise<void> {
  if (audience === null) return
  let name = audience
  while (name.endsWith('/')) name = name.slice(0, -1)
  await lock(db, `audience ${name}`)
  if (!(await store.isAudienceOfOther(db, org, audience))) return
  throw conflict('Another organisation has apps with this audience. Choose another one.', 'audience', 'is taken')
}

/** Rejects brands that are not in the settings. */
export async function requireBrand(db: Context['db'], brand: string): Promise<void> {
  if (!(await store.hasBrand(db, brand))) throw invalidField('brand', 'is not a brand of this installation')
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Other characters that URLs allow in a host have a meaning in the headers that contain it, such as the content
 *  security policy. */
const HOST_NAME = /^([\w.-]+|\[[\da-f:.]+\])$/

/** https, or http on localhost for development. URLs must be in the form browsers normalise them to, because they are
 *  compared exactly. */
function requireCallbacks(field: string, texts: readonly string[]): void {
  for (const [index, text] of texts.entries()) {
    const wrong = (says: string) => invalidField(`${field}.${index}`, says)
    const url = URL.canParse(text) ? new URL(text) : null
    if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.includes(url.hostname)))) {
      throw wrong('must be an https URL, or http on localhost')
    }
    if (url.href !== text && url.href !== `${text}/`)
      throw wrong(`must be written in its normalised form, ${url.href.slice(0, 200)}`)
    if (text.includes('#') || url.username || url.password || text.includes('*')) {
      throw wrong('must not contain a fragment, user name, password or wildcard')
    }
    if (!HOST_NAME.test(url.hostname)) throw wrong('must contain a valid host name')
    if (texts.indexOf(text) !== index) throw wrong('is a duplicate')
  }
}
