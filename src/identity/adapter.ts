// Where oidc-provider keeps its things: PostgreSQL, under the digest of each id. An id that leaks out of the database
// opens nothing.
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { errors } from 'oidc-provider'
import type { Clock, Database } from '../engines/engines.ts'
import { oidc as store } from '../services/iam/public.ts'
import { thisRequest } from './request.ts'
import { digestOf, graceStart, REFRESH_GRACE_MS, save } from './saving.ts'

/** A grant that nobody has tokens of yet: long enough for the code to come back. */
const UNREDEEMED_S = 60 * 60
export type ClientFinder = (id: string) => Promise<AdapterPayload | undefined>
type Engines = { db: Database; clock: Clock }

/** Makes the adapter of each kind of thing. Clients are the organisations' apps, and are only ever read here. */
export function adapterFactory(engines: Engines, brand: string, findClient: ClientFinder): (model: string) => Adapter {
  return model => (model === 'Client' ? clientAdapter(findClient) : entryAdapter(engines, { brand, model }))
}

function entryAdapter({ db, clock }: Engines, type: store.EntryType): Adapter {
  const graceMs = type.model === 'RefreshToken' ? REFRESH_GRACE_MS : 0
  const now = () => clock.now().toISOString()

  const nameOf = (id: string) => `${type.model} ${id}`
  const select = (id: string) => store.selectEntry(db, type, digestOf(id), now())

  async function find(id: string): Promise<store.Entry | null> {
    const { prefetched, found } = thisRequest()
    const entry = await (type.model === 'RefreshToken'
      ? findToken(db, type.brand, id, now())
      : (prefetched.get(nameOf(id)) ?? select(id)))
    if (entry) found.set(nameOf(id), JSON.stringify(entry.payload))
    return entry
  }

  /** As it was saved, with the id by which it was found and whether it was used. */
  function payloadOf(entry: store.Entry | null, id?: string): AdapterPayload | undefined {
    if (!entry) return undefined
    const { payload, consumed } = entry
    const used = consumed !== null && (graceMs === 0 || consumed <= graceStart(clock))
    return {
      ...payload,
      ...(id !== undefined && { jti: id }),
      ...(used && { consumed: Math.floor(Date.parse(consumed) / 1000) }),
    } as AdapterPayload
  }

  return {
    upsert: async (id, payload, expiresIn) => {
      const { jti: _, ...kept } = payload
      await save({ db, clock }, type, id, kept, endOf(clock, type.model === 'Grant' ? UNREDEEMED_S : expiresIn))
    },
    find: async id => payloadOf(await find(id), id),
    findByUid: async uid => {
      return payloadOf(
        thisRequest().prefetched.get(nameOf(uid)) ?? (await store.selectEntryByUid(db, type, uid, now())),
      )
    },
    findByUserCode: async () => undefined,
    consume: async id => {
      // The next one is saved at once, and both in one statement.
      if (type.model === 'RefreshToken') thisRequest().replaced = id
      else if (!(await store.redeemCode(db.autocommit, type.brand, digestOf(id), now())))
        throw new errors.InvalidGrant('already used')
    },
    destroy: async id => {
      const isEnded = type.model === 'Session' && !thisRequest().renamed.has(id)
      await (isEnded ? store.deleteSession : store.deleteEntry)(db.autocommit, type, digestOf(id))
      // What came of it opens nothing any more once this is answered.
      if (isEnded || type.model === 'Grant') await db.waitForNotifications()
    },
    revokeByGrantId: grantId => store.deleteByGrant(db.autocommit, type, grantId),
  }
}

/** With what is always asked for next. */
async function findToken(db: Database, brand: string, id: string, at: string): Promise<store.Entry | null> {
  const { prefetched } = thisRequest()
  const token = await store.selectRefreshToken(db, brand, digestOf(id), at)
  if (token?.session) prefetched.set(`Session ${token.payload.sessionUid}`, token.session)
  if (token?.grant) prefetched.set(`Grant ${token.payload.grantId}`, token.grant)
  return token
}

const endOf = (clock: Clock, lastsS: number | undefined) =>
  lastsS ? new Date(clock.now().getTime() + lastsS * 1000).toISOString() : null

/** Whether a grant is still there: while it is, whoever was given it is signed in. */
export async function isSignedIn({ db, clock }: Engines, brand: string, grantId: string): Promise<boolean> {
  return (await store.selectEntry(db, { brand, model: 'Grant' }, digestOf(grantId), clock.now().toISOString())) !== null
}

/** Keeps with a grant which organisation it is for. */
export async function chooseOrg({ db }: Engines, brand: string, grantId: string, org: string): Promise<void> {
  await store.updateOrg(db.autocommit, { brand, model: 'Grant' }, digestOf(grantId), org)
}

/** Makes a grant the one that a browser's session has for an app, in place of the one before. Of several tabs that try it
 *  at once the first does; answers which one the session has now. */
export async function claimGrant(
  { db }: Engines,
  brand: string,
  session: string,
  claim: { client: string; before: string | null; grant: string },
): Promise<string> {
  const type = { brand, model: 'Session' }
  if (await store.updateGrantOf(db.autocommit, type, digestOf(session), claim)) return claim.grant
  // A session that is about to begin has no other tabs.
  return (await store.selectGrantOf(db, type, digestOf(session), claim.client)) ?? claim.grant
}

export function chosenOrg({ db }: Engines, brand: string, grantId: string): Promise<string | null> {
  return store.selectOrg(db, { brand, model: 'Grant' }, digestOf(grantId))
}

function clientAdapter(findClient: ClientFinder): Adapter {
  const refuse = async () => {
    throw new Error('clients are registered through /v1/iam/apps')
  }
  return {
    find: async id => (id.includes('\0') ? undefined : findClient(id)),
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    ...{ upsert: refuse, consume: refuse, destroy: refuse, revokeByGrantId: refuse },
  }
}
