// Operations under /v1/account/keys. A key belongs to the organisation it was created in and to the person who created
// it: only its owner may change it; the owner and the organisation's admins may see and revoke it.

import { isDeepStrictEqual } from 'node:util'
import { Type } from 'typebox'
import type { Clock, Random, Tx } from '../../engines/engines.ts'
import { nothing } from '../../kit/answer.ts'
import { administers, type Caller } from '../../kit/caller.ts'
import { conflict, Fault, notFound } from '../../kit/fault.ts'
import { displayName, integer, prefixedId, secret, string } from '../../kit/fields.ts'
import { lock } from '../../kit/lock.store.ts'
import { listing, type Position, pageByTime, paging } from '../../kit/page.ts'
import { requireUnrestricted } from '../../kit/restricted.ts'
import { changesIn } from '../../kit/write.ts'
import { emailsOf } from '../iam/public.ts'
import { Budget, boundsFrom, Expires, Limit, Rate } from './bounds.ts'
import { keyCreated, keyRevoked, keyRotated, keyUpdated } from './events.ts'
import { selectKeyPage } from './key-pages.store.ts'
import { digestOf, type KeyType, newKeyText, prefixOf } from './key-text.ts'
import { mayOf } from './may.ts'
import { isActive, Key, KeyStatus, monthOf, recordOf } from './record.ts'
import { operation } from './state.ts'
import * as store from './store.ts'
import * as tables from './tables.ts'

const Id = prefixedId('key', 'A key')
const Name = displayName("The key's name")
const NewKey = Type.Object({ ...Key.properties, key: secret('The full key; store it now', 'sk-…') })
const WEEK_S = 7 * 24 * 60 * 60
const settable = { limit: Limit, budget: Budget, rate: Rate, expires: Expires }

export const listKeys = operation({
  route: 'GET /v1/account/keys',
  summary: "Lists the caller's keys, newest first; for an owner or admin, all keys of the organisation",
  description:
    'Revoked and expired keys stay listed. Publishable keys are listed with their text, secret keys without it.',
  access: 'bearer',
  showsUsage: true,
  input: { status: Type.Optional(KeyStatus), ...paging },
  output: listing(Key),
  run: async ({ db, caller, clock }, { status, ...query }) => {
    const now = clock.now()
    const filter = { org: caller.org, user: administers(caller) ? null : caller.user, status }
    const select = (last: Position, count: number) => selectKeyPage(db, filter, now.toISOString(), last, count)
    const found = await pageByTime(query, select)
    const ids = found.data.map(({ id }) => id)
    const rows = await store.selectKeys(db, caller.org, ids, monthOf(now))
    const emails = await emailsOf(db, [...new Set(rows.map(({ user }) => user))])
    return { ...found, data: rows.map(row => recordOf(row, emails.get(row.user) ?? '', now)) }
  },
})

export const createKey = operation({
  route: 'POST /v1/account/keys',
  summary: 'Creates a key; only this answer contains the full text of a secret key, in `key`',
  description:
    'The key acts as the person who creates it, in this organisation, and ends when they leave it. A limit can only narrow what that person may do. The maximum number of active keys is a setting.',
  access: 'bearer',
  issuesCredential: true,
  input: {
    name: Name,
    type: Type.Optional(
      Type.Enum(['secret', 'publishable'], {
        description:
          '`secret`, the default, is for servers and acts as its owner; `publishable` may be public and writes events',
        examples: ['secret'],
      }),
    ),
    ...settable,
  },
  output: Type.Object({
    ...NewKey.properties,
    may: Type.Array(string('A sentence', 'Acts as ada@example.com, an owner of home.'), {
      description: 'What the key may do, in words; for people to read',
    }),
  }),
  status: 201,
  faults: ['conflict'],
  audit: 'key.create',
  emits: keyCreated,
  run: async ({ bounds: room, caller, clock, random, state, write }, { name, type = 'secret', ...given }) => {
    boundsFrom(given, clock.now(), state.services) // Invalid input is rejected before it waits in the queue.
    const text = newKeyText(random, type)
    return write({ serialize: true }, async ({ db, record, emit }) => {
      await lock(db, `keys of ${caller.org}`) // Before the time is read: the key may have expired meanwhile.
      const now = clock.now()
      const bounds = { ...NO_BOUNDS, ...boundsFrom(given, now, state.services) }
      const key = await keepKey({ db, clock, random }, { ...caller, name, type, text, bounds })
      await room.require(db, tables.keys, caller.org)
      record(key.id, changesIn(null, key, RECORDED))
      emit('account.key.created', { ...shownOf(key), ...(key.expires !== null && { expires: key.expires }) })
      return {
        ...recordOf({ ...key, ...UNUSED }, caller.email, now),
        key: text,
        may: mayOf(key, caller, state.currency),
      }
    })
  },
})

export const updateKey = operation({
  route: 'PATCH /v1/account/keys/{id}',
  summary: "Changes the given fields of the caller's own key; null, and for `limit` also [], removes a bound",
  description:
    'Only its owner may change a key, and only while it is active. Its text stays the same. The new bounds apply to the next request.',
  access: 'bearer',
  issuesCredential: true,
  input: { id: Id, name: Type.Optional(Name), ...settable },
  output: Key,
  faults: ['not_found', 'conflict'],
  audit: 'key.update',
  emits: keyUpdated,
  run: async ({ caller, clock, state, write }, { id, name, ...given }) => {
    boundsFrom(given, clock.now(), state.services)
    return write(async ({ db, record, emit }) => {
      const { row, now } = await ownActiveKey(db, caller, id, clock)
      const changed = { ...row, name: name ?? row.name, ...boundsFrom(given, now, state.services) }
      if (!isDeepStrictEqual(changed, row)) {
        await store.updateKey(db, caller.org, id, changed)
        const changes = changesIn<store.KeyRow>(row, changed, RECORDED)
        record(id, changes)
        emit('account.key.updated', { ...shownOf(changed), changed: Object.keys(changes).map(fieldOf) })
      }
      return recordOf(changed, caller.email, now)
    })
  },
})

export const rotateKey = operation({
  route: 'POST /v1/account/keys/{id}/rotate',
  summary:
    "Replaces the text of the caller's own key; only this answer contains the new text of a secret key, in `key`",
  description:
    'The key keeps its id, bounds and spending. Only its owner may rotate it, and only while it is active. With `overlap`, the former text stays valid for that time. Both texts are the same key: they share its rate and budget, and end when it is revoked. Another rotation ends the former text immediately, so that at most two are valid.',
  access: 'bearer',
  issuesCredential: true,
  input: {
    id: Id,
    overlap: Type.Optional(
      integer('How many seconds the former text stays valid, at most seven days; default 0', 3600, {
        minimum: 0,
        maximum: WEEK_S,
      }),
    ),
  },
  output: NewKey,
  keyed: true,
  faults: ['not_found', 'conflict'],
  audit: 'key.rotate',
  emits: keyRotated,
  run: ({ caller, clock, random, write }, { id, overlap = 0 }) =>
    write(async ({ db, record, emit }) => {
      const { row, now } = await ownActiveKey(db, caller, id, clock)
      const text = newKeyText(random, row.type)
      const stored = storedText(row.type, text)
      const until = overlap > 0 ? new Date(now.getTime() + overlap * 1000).toISOString() : null
      await store.updateKeyText(db, caller.org, id, stored, until)
      record(id, { prefix: { from: row.prefix, to: stored.prefix }, overlap: { to: overlap } })
      emit('account.key.rotated', { ...shownOf(row), ...(until !== null && { overlapUntil: until }) })
      return { ...recordOf({ ...row, ...stored, former_until: until }, caller.email, now), key: text }
    }),
})

export const deleteKey = operation({
  route: 'DELETE /v1/account/keys/{id}',
  summary: 'Revokes one key; it stays listed, with who revoked it and when',
  description:
    'The person who created the key, and any owner or admin of the organisation, may revoke it. It stops working immediately and cannot be restored. Revoking it again changes nothing.',
  access: 'bearer',
  endsCredential: true,
  input: { id: Id },
  output: nothing,
  faults: ['not_found'],
  audit: 'key.revoke',
  emits: keyRevoked,
  run: async ({ caller, clock, write }, { id }) =>
    write(async ({ db, record, emit }) => {
      requireUnrestricted(caller)
      const row = await visibleKey(db, caller, id, clock.now())
      if (row.revoked) return
      const now = clock.now()
      await store.revokeKey(db, caller.org, id, caller.email, now.toISOString())
      record(id, { status: { from: isActive(row, now) ? 'active' : 'expired', to: 'revoked' } })
      emit('account.key.revoked', { ...shownOf(row), revokedBy: caller.user })
    }),
})

const NO_BOUNDS: store.Bounds = { expires: null, limits: [], budget: { month: 0, total: 0 }, rate: null }
/** The fields that a new key does not have yet. */
const UNUSED = {
  ...{ spent: 0, spent_month: 0, last_used: null, former_until: null },
  ...{ revoked: false, revoked_at: null, revoked_by: null },
}

type IssuedKey = Pick<Caller, 'org' | 'user'> & { name: string; type: KeyType; text: string; bounds?: store.Bounds }

/** Stores a new key. */
export async function keepKey(
  { clock, random, db }: { clock: Clock; random: Random; db: Tx },
  { org, user, name, type, text, bounds = NO_BOUNDS }: IssuedKey,
): Promise<store.NewKey> {
  const id = `key_${random.token(24)}`
  const created = clock.now().toISOString()
  const key = { id, org, user, name, type, created, ...storedText(type, text), ...bounds }
  await store.insertKey(db, key)
  return key
}

const storedText = (type: KeyType, text: string): store.StoredText => ({
  prefix: prefixOf(text),
  text: type === 'publishable' ? text : null,
  digest: digestOf(text),
})

/** Creates an unlimited secret key for that person and returns its text. */
export async function issueKey(
  engines: { clock: Clock; random: Random; db: Tx },
  owner: Pick<IssuedKey, 'org' | 'user' | 'name'>,
): Promise<string> {
  const text = newKeyText(engines.random, 'secret')
  await keepKey(engines, { ...owner, type: 'secret', text })
  return text
}

/** The key, if the caller may see it; locked until the transaction ends. */
async function visibleKey(db: Tx, caller: Caller, id: string, now: Date): Promise<store.KeyRow> {
  await store.lockKey(db, caller.org, id)
  const row = await store.selectKey(db, caller.org, id, monthOf(now))
  if (!row || !(administers(caller) || row.user === caller.user)) throw notFound('key')
  return row
}

/** The caller's own key while it is active, locked until the transaction ends, and the time after waiting for the lock. */
async function ownActiveKey(
  db: Tx,
  caller: Caller,
  id: string,
  clock: Clock,
): Promise<{ row: store.KeyRow; now: Date }> {
  const row = await visibleKey(db, caller, id, clock.now())
  const now = clock.now()
  if (row.user !== caller.user) {
    const owner = (await emailsOf(db, [row.user])).get(row.user)
    throw new Fault('forbidden', { message: `Only its owner, ${owner}, may change this key; you may revoke it.` })
  }
  if (!isActive(row, now)) throw conflict('A revoked or expired key cannot be changed; create another one.')
  return { row, now }
}

/** The fields of a key that the audit trail records. */
const RECORDED = ['name', 'type', 'expires', 'limits', 'budget', 'rate'] as const
/** The name of such a field in the API. */
const fieldOf = (name: string) => (name === 'limits' ? 'limit' : name)

/** The fields of a key in events. */
const shownOf = ({ id, name, type, user }: Pick<store.KeyRow, 'id' | 'name' | 'type' | 'user'>) => ({
  id,
  name,
  type,
  user,
})
