// A key as the API returns it.
import { type Static, Type } from 'typebox'
import { integer, string, timestamp, withoutNulls } from '../../kit/fields.ts'
import { centsOf } from '../../kit/meter.ts'
import { capsOf } from './bounds.ts'
import type { KeyRow } from './store.ts'

export const KeyStatus = Type.Enum(['active', 'expired', 'revoked'], {
  title: 'KeyStatus',
  description: 'Whether a key works; only an `active` one does',
  examples: ['active'],
})

const cents = (what: string, example: number) => Type.Number({ description: `${what}, in cents`, examples: [example] })

const KeyBudget = Type.Object(
  { month: cents('Its cap per UTC calendar month', 5_000), total: cents('Its cap in total', 0) },
  { title: 'KeyBudget', description: 'What a key may spend; 0 means no cap' },
)

export const Key = Type.Object(
  {
    id: string("The key's id", 'key_4vJ9mWcX2bQeT7yLrK0sZp1n'),
    name: string('Its name', 'Web shop'),
    type: Type.Enum(['secret', 'publishable'], {
      description: '`secret` is for servers and acts as its owner; `publishable` may be public and writes events',
    }),
    prefix: string('Its first characters, to recognise it by', 'sk-4vJ9mWcX'),
    key: Type.Optional(string('The full key, if it is publishable', 'pk-…')),
    status: KeyStatus,
    creator: string('The e-mail address of its owner', 'ada@example.com'),
    created: timestamp('When it was created'),
    expires: Type.Optional(timestamp('When it stops working')),
    limit: Type.Optional(
      Type.Array(Type.String(), { description: 'The entries it is restricted to', examples: [['read:*']] }),
    ),
    budget: Type.Optional(KeyBudget),
    rate: Type.Optional(integer('Requests it may make in any 60 seconds', 600)),
    spend: cents('What it has spent in total', 0),
    spendMonth: cents('What it has spent in this UTC calendar month', 0),
    lastUsed: Type.Optional(timestamp('When it was last used, to the minute')),
    overlapUntil: Type.Optional(
      timestamp('Until when the text from before the last rotation stays valid; absent if it is not'),
    ),
    revokedBy: Type.Optional(string('The e-mail address of the person who revoked it', 'ada@example.com')),
    revokedAt: Type.Optional(timestamp('When it was revoked')),
  },
  { title: 'Key', description: 'A key of the organisation; its text is not part of it, unless it is publishable' },
)

/** `creator` is the e-mail address of its owner. */
export function recordOf(row: KeyRow, creator: string, now: Date): Static<typeof Key> {
  const { id, name, type, prefix, text, created, expires, limits, rate, last_used, revoked_at, revoked_by } = row
  const { budget, spent, spent_month } = row
  return withoutNulls({
    ...{ id, name, type, prefix, key: text, status: statusOf(row, now), creator, created, expires },
    limit: limits.length > 0 ? limits : null,
    budget: capsOf(budget),
    ...{ rate, spend: centsOf(spent), spendMonth: centsOf(spent_month) },
    ...{ lastUsed: last_used, overlapUntil: overlapOf(row, now), revokedBy: revoked_by, revokedAt: revoked_at },
  })
}

function statusOf({ revoked, expires }: KeyRow, now: Date): Static<typeof KeyStatus> {
  if (revoked) return 'revoked'
  return expires !== null && Date.parse(expires) <= now.getTime() ? 'expired' : 'active'
}

function overlapOf(row: KeyRow, now: Date): string | null {
  const { former_until: until } = row
  return until !== null && Date.parse(until) > now.getTime() && isActive(row, now) ? until : null
}

export const isActive = (row: KeyRow, now: Date): boolean => statusOf(row, now) === 'active'

/** The first day of the UTC calendar month. */
export const monthOf = (now: Date): string => `${now.toISOString().slice(0, 7)}-01`
