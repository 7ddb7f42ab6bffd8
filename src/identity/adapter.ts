// Stores oidc-provider's models in PostgreSQL, each under the digest of its id: the database contains no usable token,
// code or session id.

import type { Adapter, AdapterPayload } from 'oidc-provider'
import { errors } from 'oidc-provider'
import type { Clock, Database } from '../engines/engines.ts'
import type { OrgId } from '../kit/caller.ts'
import { oidc as store } from '../services/iam/public.ts'
import { thisRequest } from './request.ts'
import { digestOfEntry, graceStart, REFRESH_GRACE_MS, save } from './saving.ts'

/** The lifetime of a grant without tokens: long enough for its code to be redeemed. */
const UNREDEEMED_S = 60 * 60
export type ClientFinder = (id: string) => Promise<AdapterPayload | undefined>
type Engines = { db: Database; clock: Clock }

/** Returns the adapter factory for oidc-provider. Clients are the organisations' apps and are read-only here. */
export function adapterFactory(engines: Engines, brand: string, findClient: ClientFinder): (model: string) => Adapter {
  return model => (model === 'Client' ? clientAdapter(findClient) : entryAdapter(engines, { brand, model }))
}

function entryAdapter({ db, clock }: Engines, type: store.EntryType): Adapter {
  const graceMs = type.model === 'RefreshToken' ? REFRESH_GRACE_MS : 0
  const now = () => clock.now().toISOString()

  const nameOf = (id: string) => `${type.model} ${id}`
  const select = (id: string) => store.selectEntry(db, type, digestOfEntry(id), now())

  async function find(id: string): Promise<store.Entry | null> {
    const { prefetched, found } = thisRequest()
    const entry = await (type.model === 'RefreshToken'
      ? findToken(db, type.brand, id, now())
      : (prefetched.get(nameOf(id)) ?? select(id)))
    if (entry) found.set(nameOf(id), JSON.stringify(entry.payload))
    return entry
  }

  /** The payload as saved, plus the id it was found by and when it was consumed. */
  function payloadOf(entry: store.Entry | null, id?: string): AdapterPayload | undefined {
    if (!entry) return undefined
    const { payload, consumed } = entry
    const isConsumed = consumed !== null && (graceMs === 0 || consumed <= graceStart(clock))
    return {
      ...payload,
      ...(id !== undefined && { jti: id }),
      ...(isConsumed && { consumed: Math.floor(Date.parse(consumed) / 1000) }),
    } as AdapterPayload
  }

  return {
    upsert: async (id, payload, expiresIn) => {
      const { jti: _, ...stored } = payload
      await save({ db, clock }, type, id, stored, expiryOf(clock, type.model === 'Grant' ? UNREDEEMED_S : expiresIn))
    },
    find: async id => payloadOf(await find(id), id),
    findByUid: async uid => {
      return payloadOf(
        thisRequest().prefetched.get(nameOf(uid)) ?? (await store.selectEntryByUid(db, type, uid, now())),
      )
    },
    findByUserCode: async () => undefined,
    consume: async id => {
      // The library saves the next token right after this; both happen in one statement.
      if (type.model === 'RefreshToken') thisRequest().replaced = id
      else if (!(await store.redeemCode(db.autocommit, type.brand, digestOfEntry(id), now())))
        throw new errors.InvalidGrant('already used')
    },
    destroy: async id => {
      const isEnded = type.model === 'Session' && !thisRequest().renamed.has(id)
      await (isEnded ? store.deleteSession : store.deleteEntry)(db.autocommit, type, digestOfEntry(id))
      // Every process must refuse its tokens before this request is answered.
      if (isEnded || type.model === 'Grant') await db.waitForNotifications()
    },
    revokeByGrantId: grantId => store.deleteByGrant(db.autocommit, type, grantId),
  }
}

/** Prefetches the session, the grant and the person, which the library reads next. */
async function findToken(db: Database, brand: string, id: string, at: string): Promise<store.Entry | null> {
  const request = thisRequest()
  const token = await store.selectRefreshToken(db, brand, digestOfEntry(id), at)
  if (!token) return null
  const { accountId, clientId, grantId, sessionUid } = token.payload
  if (token.session) request.prefetched.set(`Session ${sessionUid}`, token.session)
  if (token.grant) request.prefetched.set(`Grant ${grantId}`, token.grant)
  request.person = { of: `${accountId} ${clientId} ${grantId}`, found: token.person }
  return token
}

const expiryOf = (clock: Clock, ttlS: number | undefined) =>
  ttlS ? new Date(clock.now().getTime() + ttlS * 1000).toISOString() : null

/** A person is signed in to an app for as long as the grant exists. */
export async function isSignedIn({ db, clock }: Engines, brand: string, grantId: string): Promise<boolean> {
  return (
    (await store.selectEntry(db, { brand, model: 'Grant' }, digestOfEntry(grantId), clock.now().toISOString())) !== null
  )
}

/** Stores the organisation that a grant is for. */
export async function setGrantOrg({ db }: Engines, brand: string, grantId: string, org: OrgId): Promise<void> {
  await store.updateGrantOrg(db.autocommit, { brand, model: 'Grant' }, digestOfEntry(grantId), org)
}

/** Replaces the grant that a browser session has for an app. If several tabs do this at once, the first one succeeds.
 *  Returns the grant the session has afterwards. */
export async function claimGrant(
  { db }: Engines,
  brand: string,
  session: string,
  claim: { client: string; before: string | null; grant: string },
): Promise<string> {
  const type = { brand, model: 'Session' }
  if (await store.updateGrantOf(db.autocommit, type, digestOfEntry(session), claim)) return claim.grant
  // A session that is not stored yet has no other tabs.
  return (await store.selectGrantOf(db, type, digestOfEntry(session), claim.client)) ?? claim.grant
}

export function grantOrg({ db }: Engines, brand: string, grantId: string): Promise<string | null> {
  return store.selectGrantOrg(db, { brand, model: 'Grant' }, digestOfEntry(grantId))
}

function clientAdapter(findClient: ClientFinder): Adapter {
  const refuse = async () => {
    throw new Error('clients are registered through /v1/iam/apps')
  }
  return {
    find: async id => (id.includes('\0') ? undefined : findClient(id)),
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    upsert: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  }
}
