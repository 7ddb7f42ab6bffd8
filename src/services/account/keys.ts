// Operations under /v1/account/keys. A key belongs to the organisation it was created in and to the person who created
// it: its owner alone edits it; the owner and the organisation's admins see and revoke it.
import { isDeepStrictEqual } from 'node:util'
import { Type } from 'typebox'
import { Unchanged } from '../../kit/audit.ts'
import { administers, type Caller } from '../../kit/caller.ts'
import { Fault, notFound } from '../../kit/fault.ts'
import { displayName } from '../../kit/fields.ts'
import { type Context, nothing, operation } from '../../kit/operation.ts'
import { listing, page, paging, placeFrom, placeKey } from '../../kit/page.ts'
import { Budget, boundsFrom, Expires, Limit, Rate } from './bounds.ts'
import { digestOf, type KeyType, newKeyText, prefixOf } from './key-text.ts'
import { isLive, Key, KeyStatus, monthOf, recordOf } from './record.ts'
import * as store from './store.ts'

export const LIVE_KEYS_MAX = 1_000

const Id = Type.String({
  pattern: '^key_[0-9A-Za-z]{1,40}$',
  description: "A key's id, `key_…`",
  examples: ['key_4vJ9mWcX2bQeT7yLrK0sZp1n'],
})
const Name = displayName("The key's name")
const settable = { limit: Limit, budget: Budget, rate: Rate, expires: Expires }

export const listKeys = operation({
  route: 'GET /v1/account/keys',
  summary: "The caller's keys, for an owner or admin all of the organisation's, newest first",
  access: 'bearer',
  input: { status: Type.Optional(KeyStatus), ...paging },
  output: listing(Key),
  run: async ({ db, caller, clock }, { status = null, ...asked }) => {
    const now = clock.now()
    const filter = { ...timesFrom(now), id: null, user: administers(caller) ? null : caller.user, status }
    const found = await page(
      asked,
      (last, count) => store.selectKeys(db, caller.org, filter, placeFrom(last), count),
      placeKey,
    )
    return { ...found, data: found.data.map(row => recordOf(row, now)) }
  },
})

export const createKey = operation({
  route: 'POST /v1/account/keys',
  summary: 'Creates a key; the answer alone carries the whole text of a secret one, in `key`',
  access: 'bearer',
  mints: true,
  inTurns: true,
  input: {
    name: Name,
    type: Type.Optional(
      Type.Enum(['secret', 'publishable'], {
        description: '`secret` unless said: for servers, acts as its owner; `publishable` may be public, writes events',
      }),
    ),
    ...settable,
  },
  output: Type.Object({ ...Key.properties, key: Type.String({ description: 'The whole key. Keep it now' }) }),
  status: 201,
  faults: ['conflict'],
  audit: { what: 'key.create', on: (_input, { id }) => id },
  run: async (context, { name, type = 'secret', ...given }) => {
    const { db, caller, clock, random, services } = context
    const now = clock.now()
    const bounds = { ...NO_BOUNDS, ...boundsFrom(given, now, services) }
    if ((await store.countLiveKeys(db, caller.org, now.toISOString())) >= LIVE_KEYS_MAX) {
      throw new Fault('conflict', {
        message: `The organisation has ${LIVE_KEYS_MAX} live keys, the most it may have; revoke one first.`,
      })
    }
    const text = newKeyText(random, type)
    const key = await keepKey(context, { ...caller, name, type, text, bounds })
    const fresh = { email: caller.email, spent: 0, spent_month: 0, last_used: null, revoked_at: null, revoked_by: null }
    return { ...recordOf({ ...key, ...fresh }, now), key: text }
  },
})

export const updateKey = operation({
  route: 'PATCH /v1/account/keys/{id}',
  summary: "Changes what is given of one's own key; null, and for `limit` also [], takes a bound away",
  access: 'bearer',
  mints: true,
  input: { id: Id, name: Type.Optional(Name), ...settable },
  output: Key,
  faults: ['not_found', 'conflict'],
  audit: { what: 'key.update', on: ({ id }) => id },
  run: async (context, { id, name, ...given }) => {
    const { db, caller, clock, services } = context
    const row = await visibleKey(context, id)
    const now = clock.now()
    if (row.user !== caller.user) {
      throw new Fault('forbidden', { message: `Only its owner, ${row.email}, may change this key; you may revoke it.` })
    }
    if (!isLive(row, now)) {
      throw new Fault('conflict', { message: 'A key that was revoked or has expired stays so; create another one.' })
    }
    const changed = { ...row, name: name ?? row.name, ...boundsFrom(given, now, services) }
    if (isDeepStrictEqual(changed, row)) return new Unchanged(recordOf(row, now))
    await store.updateKey(db, caller.org, id, changed)
    return recordOf(changed, now)
  },
})

export const deleteKey = operation({
  route: 'DELETE /v1/account/keys/{id}',
  summary: 'Revokes exactly that key; it stays listed, with who revoked it and when',
  access: 'bearer',
  revokes: true,
  input: { id: Id },
  output: nothing,
  faults: ['not_found'],
  audit: { what: 'key.revoke', on: ({ id }) => id },
  run: async (context, { id }) => {
    const { db, caller, clock } = context
    const { revoked_at } = await visibleKey(context, id)
    if (revoked_at !== null) return new Unchanged(undefined)
    await store.revokeKey(db, caller.org, id, caller.email, clock.now().toISOString())
  },
})

const NO_BOUNDS: store.Bounds = { expires: null, limits: [], budget: { month: 0, total: 0 }, rate: null }

type Minted = Pick<Caller, 'org' | 'user'> & { name: string; type: KeyType; text: string; bounds?: store.Bounds }

/** Writes a key down. */
export async function keepKey(
  { clock, random, db }: Pick<Context, 'clock' | 'random' | 'db'>,
  { org, user, name, type, text, bounds = NO_BOUNDS }: Minted,
): Promise<store.NewKey> {
  const id = `key_${random.token(24)}`
  const created = clock.now().toISOString()
  const spelled = { prefix: prefixOf(text), text: type === 'publishable' ? text : null, digest: digestOf(text) }
  const key = { id, org, user, name, type, created, ...spelled, ...bounds }
  await store.insertKey(db, key)
  return key
}

/** The key as the caller may see it, held still until the transaction ends. */
async function visibleKey({ db, caller, clock }: Context<'bearer'>, id: string): Promise<store.KeyRow> {
  await store.lockKey(db, caller.org, id)
  const user = administers(caller) ? null : caller.user
  const filter = { ...timesFrom(clock.now()), id, user, status: null }
  const [row] = await store.selectKeys(db, caller.org, filter, null, 1)
  if (!row) throw notFound('key')
  return row
}

const timesFrom = (now: Date) => ({ at: now.toISOString(), month: monthOf(now) })
