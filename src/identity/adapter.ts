// Where oidc-provider keeps its things: PostgreSQL, under the digest of each id. An id that leaks out of the database
// opens nothing.
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { errors } from 'oidc-provider'
import type { Clock, Sql } from '../engines/engines.ts'
import * as store from './store.ts'

/** A grant that nobody has tokens of yet: long enough for the code to come back. */
const UNREDEEMED_S = 60 * 60
/** Two tabs may refresh with the same token within this time; used again later, it is taken for stolen. */
const REFRESH_GRACE_MS = 30_000

/** What a request to the token endpoint has read with its refresh token, for as long as it runs. */
const readAhead = new AsyncLocalStorage<Map<string, store.Entry>>()
const ahead = (model: string, id: string) => readAhead.getStore()?.get(`${model} ${id}`)

/** Answers one request, reading ahead what it will ask for. */
export const readingAhead = <T>(answer: () => T): T => readAhead.run(new Map(), answer)

export type ClientFinder = (id: string) => Promise<AdapterPayload | undefined>
type Engines = { db: Sql; clock: Clock }

/** Makes the adapter of each kind of thing. Clients are the organisations' apps, and are only ever read here. */
export function adapterFactory(engines: Engines, brand: string, findClient: ClientFinder): (model: string) => Adapter {
  return model => (model === 'Client' ? clientAdapter(findClient) : entryAdapter(engines, { brand, model }))
}

function entryAdapter({ db, clock }: Engines, place: store.Place): Adapter {
  const graceMs = place.model === 'RefreshToken' ? REFRESH_GRACE_MS : 0
  const now = () => clock.now().toISOString()
  const graceStart = () => new Date(clock.now().getTime() - graceMs).toISOString()

  const select = (id: string) => store.selectEntry(db, place, digestOf(id), now())

  async function find(id: string): Promise<store.Entry | null> {
    const read = readAhead.getStore()
    if (!read || place.model !== 'RefreshToken') return ahead(place.model, id) ?? select(id)
    const token = await store.selectRefreshToken(db, place.brand, digestOf(id), now())
    if (token?.session) read.set(`Session ${token.payload.sessionUid}`, token.session)
    if (token?.grant) read.set(`Grant ${token.payload.grantId}`, token.grant)
    return token
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
      const { jti: _, ...kept } = payload
      const text = JSON.stringify(kept)
      if (text.includes('\\u0000')) throw new errors.InvalidRequest('NUL is in no text')
      const expires = endOf(clock, place.model === 'Grant' ? UNREDEEMED_S : expiresIn)
      await store.upsertEntry(db, place, digestOf(id), {
        payload: text,
        grantId: payload.grantId ?? null,
        uid: payload.uid ?? null,
        user: payload.accountId ?? null,
        client: payload.clientId ?? null,
        expires,
      })
    },
    find: async id => payloadOf(await find(id), id),
    findByUid: async uid => {
      return payloadOf(ahead(place.model, uid) ?? (await store.selectEntryByUid(db, place, uid, now())))
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
    destroy: id => store.deleteEntry(db, place, digestOf(id)),
    revokeByGrantId: grantId => store.deleteByGrant(db, place, grantId),
  }
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
