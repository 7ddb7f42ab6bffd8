// The bounds of a key (limit, budget, rate, expires): their schemas, and the checks that a schema cannot express.
import { Type } from 'typebox'
import { invalidField } from '../../kit/check.ts'
import { integer, orNone, SLUG, timestamp } from '../../kit/fields.ts'
import { LIMIT_ENTRY, splitEntry } from '../../kit/host/limits.ts'
import type { Bounds } from './store.ts'

const ENTRIES_MAX = 100
/** A hundred million dollars; above it, numbers in a client may lose cents. */
const CENTS_MAX = 10_000_000_000
const RATE_MAX = 1_000_000

export const Limit = orNone(
  Type.Array(
    Type.String({
      pattern: LIMIT_ENTRY,
      description: 'An entry `kind:name`; the kind is product, read, model or project, and the name may be *',
    }),
    {
      maxItems: ENTRIES_MAX,
      description:
        'Restricts the key to entries such as `read:risk` or `project:web-shop`; if empty, the key may do everything that its owner may do',
      examples: [['read:*']],
    },
  ),
)

const cents = (what: string, example: number) =>
  Type.Optional(integer(`${what}, in cents; 0 means no cap`, example, { minimum: 0, maximum: CENTS_MAX }))

export const Budget = orNone(
  Type.Object(
    { month: cents('Cap on model calls per UTC calendar month', 5_000), total: cents('Cap on all model calls', 0) },
    {
      additionalProperties: false,
      description: 'What the key may spend; both caps are set together, and an omitted cap is 0',
      examples: [{ month: 5_000, total: 0 }],
    },
  ),
)

export const Rate = orNone(
  integer('Requests the key may make in any 60 seconds', 600, { minimum: 1, maximum: RATE_MAX }),
)

export const Expires = orNone({ ...timestamp('When the key stops working'), examples: ['2096-11-15T09:30:00.000Z'] })

type BoundsInput = {
  limit?: string[] | null
  budget?: { month?: number; total?: number } | null
  rate?: number | null
  expires?: string | null
}

/** Null if there is no cap. */
export const capsOf = (budget: Bounds['budget']): Bounds['budget'] | null =>
  budget.month > 0 || budget.total > 0 ? budget : null

/** The given bounds in their stored form. */
export function boundsFrom(given: BoundsInput, now: Date, services: ReadonlySet<string>): Partial<Bounds> {
  const { limit, budget, rate, expires } = given
  return {
    ...(limit !== undefined && { limits: entriesFrom(limit ?? [], services) }),
    ...(budget !== undefined && { budget: { month: budget?.month ?? 0, total: budget?.total ?? 0 } }),
    ...(rate !== undefined && { rate }),
    ...(expires !== undefined && { expires: expires === null ? null : futureFrom(expires, now) }),
  }
}

function entriesFrom(entries: string[], services: ReadonlySet<string>): string[] {
  for (const [index, entry] of entries.entries()) {
    const [kind, name] = splitEntry(entry)
    const says = name === '*' ? null : problemWith(kind, name, services)
    if (says) throw invalidField(`limit.${index}`, says)
  }
  return [...new Set(entries)]
}

function problemWith(kind: string, name: string, services: ReadonlySet<string>): string | null {
  if (kind === 'project') return SLUG.test(name) ? null : "must have a project's slug after the colon"
  if (kind === 'model' || services.has(name)) return null
  return 'does not name a service; GET /v1 lists them'
}

/** RFC 3339 years have four digits. */
const YEAR_MAX = 9999

function futureFrom(text: string, now: Date): string {
  const time = new Date(text)
  const wrong = (says: string) => invalidField('expires', says)
  if (Number.isNaN(time.getTime())) throw wrong('is not a valid time')
  if (time <= now) throw wrong('must be in the future')
  if (time.getUTCFullYear() > YEAR_MAX) throw wrong(`must be in the year ${YEAR_MAX} or before`)
  return time.toISOString()
}
