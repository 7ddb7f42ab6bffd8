// Where oidc-provider keeps its things: PostgreSQL, under the digest of each id. An id that leaks out of the database
// opens nothing.
import { createHash } from 'node:crypto'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { errors } from 'oidc-provider'
import type { Clock, Database } from '../engines/engines.ts'
import { asFound, merged, thisRequest } from './request.ts'
import * as store from './store.ts'

/** A grant that nobody has tokens of yet: long enough for the code to come back. */
const UNREDEEMED_S = 60 * 60
/** Two tabs may refresh with the same token within this time; used again later, it is taken for stolen. */
const REFRESH_GRACE_MS = 30_000

export type ClientFinder = (id: string) => Promise<AdapterPayload | undefined>
type Engines = { db: Database; clock: Clock }
type Payload = store.Entry['payload']

/** Makes the adapter of each kind of thing. Clients are the organisations' apps, and are only ever read here. */
export function adapterFactory(engines: Engines, brand: string, findClient: ClientFinder): (model: string) => Adapter {
  return model => (model === 'Client' ? clientAdapter(findClient) : entryAdapter(engines, { brand, model }))
}

function entryAdapter({ db, clock }: Engines, place: store.Place): Adapter {
  const graceMs = place.model === 'RefreshToken' ? REFRESH_GRACE_MS : 0
  const now = () => clock.now().toISOString()
  const graceStart = () => new Date(clock.now().getTime() - graceMs).toISOString()

  const nameOf = (id: string) => `${place.model} ${id}`
  const select = (id: string) => store.selectEntry(db, place, digestOf(id), now())

  async function find(id: string): Promise<store.Entry | null> {
    const { ahead, found } = thisRequest()
    const entry =
      place.model === 'RefreshToken' ? await findToken(id, ahead) : (ahead.get(nameOf(id)) ?? (await select(id)))
    if (entry) found.set(nameOf(id), JSON.stringify(entry.payload))
    return entry
  }

  async function findToken(id: string, ahead: Map<string, store.Entry>): Promise<store.Entry | null> {
    const token = await store.selectRefreshToken(db, place.brand, digestOf(id), now())
    if (token?.session) ahead.set(`Session ${token.payload.sessionUid}`, token.session)
    if (token?.grant) ahead.set(`Grant ${token.payload.grantId}`, token.grant)
    return token
  }

  /** What was there is changed where it still is, and never put back: who ended it meanwhile has ended it. */
  async function change(id: string, before: Payload, mine: Payload, expires: string | null): Promise<void> {
    if (await store.updateEntry(db, place, digestOf(id), before, columnsOf(mine, expires))) {
      return void thisRequest().found.set(nameOf(id), JSON.stringify(mine))
    }
    const entry = await select(id)
    if (entry) await change(id, entry.payload, merged(before, mine, entry.payload), expires)
  }

  async function add(id: string, mine: Payload, expires: string | null): Promise<void> {
    const columns = columnsOf(mine, expires)
    if (place.model !== 'Session' || !columns.user) await store.insertEntry(db, place, digestOf(id), columns)
    // Who signed in with a password that was changed meanwhile is not signed in.
    else if (!(await store.insertSession(db, place, digestOf(id), columns, proofOf(columns.user)))) return
    thisRequest().found.set(nameOf(id), columns.payload)
  }

  /** As it was saved, with the id by which it was found and whether it was used. */
  function payloadOf(entry: store.Entry | null, id?: string): AdapterPayload | undefined {
    if (!entry) return undefined
    const { payload, consumed } = entry
    const used = consumed !== null && (graceMs === 0 || consumed <= graceStart())
    return {
      ...payload,
      ...(id !== undefined && { jti: id }),
      ...(used && { consumed: Math.floor(Date.parse(consumed) / 1000) }),
    } as AdapterPayload
  }

  return {
    upsert: async (id, payload, expiresIn) => {
      const { jti: _, ...mine } = payload
      const expires = endOf(clock, place.model === 'Grant' ? UNREDEEMED_S : expiresIn)
      const before = asFound(nameOf(id))
      await (before ? change(id, before, mine, expires) : add(id, mine, expires))
    },
    find: async id => payloadOf(await find(id), id),
    findByUid: async uid => {
      return payloadOf(thisRequest().ahead.get(nameOf(uid)) ?? (await store.selectEntryByUid(db, place, uid, now())))
    },
    findByUserCode: async () => undefined,
    consume: async id => {
      const used =
        place.model === 'AuthorizationCode'
          ? await store.redeemCode(db, place.brand, digestOf(id), now())
          : await store.consumeEntry(db, place, digestOf(id), now(), graceStart())
      if (used) return
      throw new errors.InvalidGrant('already used')
    },
    destroy: async id => {
      if (place.model !== 'Session' || thisRequest().renamed.has(id)) {
        return store.deleteEntry(db, place, digestOf(id))
      }
      await store.deleteSession(db, place, digestOf(id))
      await db.caughtUp()
    },
    revokeByGrantId: grantId => store.deleteByGrant(db, place, grantId),
  }
}

function columnsOf(payload: Payload, expires: string | null): store.NewEntry {
  const text = JSON.stringify(payload)
  if (text.includes('\\u0000')) throw new errors.InvalidRequest('NUL is in no text')
  const {
    grantId = null,
    uid = null,
    accountId = null,
    clientId = null,
  } = payload as Record<string, string | undefined>
  return { payload: text, grantId, uid, user: accountId, client: clientId, expires }
}

/** Which password the person came with in this request, as the step in which they did tells. */
function proofOf(user: string): string {
  for (const found of thisRequest().found.values()) {
    const { login, proof }: { login?: { accountId?: string }; proof?: string } = JSON.parse(found).result ?? {}
    if (login?.accountId === user && proof) return proof
  }
  throw new Error('a session began without a sign-in')
}

const endOf = (clock: Clock, lastsS: number | undefined) =>
  lastsS ? new Date(clock.now().getTime() + lastsS * 1000).toISOString() : null

/** Whether a grant is still there: while it is, whoever was given it is signed in. */
export async function isSignedIn({ db, clock }: Engines, brand: string, grantId: string): Promise<boolean> {
  return (await store.selectEntry(db, { brand, model: 'Grant' }, digestOf(grantId), clock.now().toISOString())) !== null
}

/** Keeps with a grant which organisation it is for. */
export async function chooseOrg({ db }: Engines, brand: string, grantId: string, org: string): Promise<void> {
  await store.updateOrg(db, { brand, model: 'Grant' }, digestOf(grantId), org)
}

/** Makes a grant the one that a browser's session has for an app, in place of the one before. Of several tabs that try it
 *  at once the first does; answers which one the session has now. */
export async function claimGrant(
  { db }: Engines,
  brand: string,
  session: string,
  claim: { client: string; before: string | null; grant: string },
): Promise<string> {
  const place = { brand, model: 'Session' }
  if (await store.updateGrantOf(db, place, digestOf(session), claim)) return claim.grant
  // A session that is about to begin has no other tabs.
  return (await store.selectGrantOf(db, place, digestOf(session), claim.client)) ?? claim.grant
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

const digestOf = (id: string) => createHash('sha256').update(id).digest()
