// What a key is given to be held to: how the fields read, and what is wrong with them that a schema cannot say.
import { Type } from 'typebox'
import { invalidInput } from '../../kit/check.ts'
import { orNone, SLUG, timestamp } from '../../kit/fields.ts'
import { LIMIT_ENTRY, splitEntry } from '../../kit/limits.ts'
import type { Bounds } from './store.ts'

const ENTRIES_MAX = 100
/** A hundred million dollars: beyond it numbers in a client may lose cents. */
const CENTS_MAX = 10_000_000_000
const RATE_MAX = 1_000_000

export const Limit = orNone(
  Type.Array(
    Type.String({
      pattern: LIMIT_ENTRY,
      description: 'An entry `kind:name`, where the kind is product, read, model or project, and the name may be *',
    }),
    {
      maxItems: ENTRIES_MAX,
      description: 'What the key is held to, `read:risk`, `project:web-shop`; none means everything its owner may do',
      examples: [['read:*']],
    },
  ),
)

const cents = (what: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: CENTS_MAX, description: `${what}, in cents; 0 is no cap` }))

export const Budget = orNone(
  Type.Object(
    { month: cents('For model calls in a UTC calendar month'), total: cents('For model calls in all') },
    {
      additionalProperties: false,
      description: 'What the key may spend; the two are set together',
      examples: [{ month: 5_000, total: 0 }],
    },
  ),
)

export const Rate = orNone(
  Type.Integer({
    minimum: 1,
    maximum: RATE_MAX,
    description: 'How many requests it may make in any 60 seconds',
    examples: [600],
  }),
)

export const Expires = orNone({ ...timestamp('When it stops working'), examples: ['2096-11-15T09:30:00.000Z'] })

type Given = {
  limit?: string[] | null
  budget?: { month?: number; total?: number } | null
  rate?: number | null
  expires?: string | null
}

/** What was given of the bounds, as it is kept. */
export function boundsFrom(given: Given, now: Date, services: ReadonlySet<string>): Partial<Bounds> {
  const { limit, budget, rate, expires } = given
  return {
    ...(limit !== undefined && { limits: entriesFrom(limit ?? [], services) }),
    ...(budget !== undefined && { budget: { month: budget?.month ?? 0, total: budget?.total ?? 0 } }),
    ...(rate !== undefined && { rate }),
    ...(expires !== undefined && { expires: expires === null ? null : futureFrom(expires, now) }),
  }
}

function entriesFrom(entries: string[], services: ReadonlySet<string>): string[] {
  for (const [at, entry] of entries.entries()) {
    const [kind, name] = splitEntry(entry)
    const says = name === '*' ? null : whatIsWrong(kind, name, services)
    if (says) throw invalidInput([{ path: `limit.${at}`, says }])
  }
  return [...new Set(entries)]
}

function whatIsWrong(kind: string, name: string, services: ReadonlySet<string>): string | null {
  if (kind === 'project') return SLUG.test(name) ? null : "must have a project's slug behind the colon"
  if (kind === 'model' || services.has(name)) return null
  return 'names no service; GET /v1 lists them'
}

/** Beyond it a time needs more digits than RFC 3339 has. */
const YEAR_MAX = 9999

function futureFrom(text: string, now: Date): string {
  const time = new Date(text)
  const wrong = (says: string) => invalidInput([{ path: 'expires', says }])
  if (Number.isNaN(time.getTime())) throw wrong('is not a time that exists')
  if (time <= now) throw wrong('must be in the future')
  if (time.getUTCFullYear() > YEAR_MAX) throw wrong(`must be in the year ${YEAR_MAX} or before`)
  return time.toISOString()
}
