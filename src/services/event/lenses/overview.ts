// GET /v1/event/overview: the figures of a time, and of the time before.
import { type Static, Type } from 'typebox'
import type { Chosen, Database, Distinct, Totals, Warehouse } from '../../../engines/engines.ts'
import { boolean, integer } from '../../../kit/fields.ts'
import { operation } from '../state.ts'
import { asked, DistinctRead, lensInput, methodOf, RangeRead, shownRange } from './asked.ts'

const figures = {
  visitors: integer('How many distinct visitors', 1_204),
  sessions: integer('How many sessions began', 1_630),
  pageviews: integer('How many page views', 5_120),
  events: integer('How many events, page views included', 7_411),
  bounceRate: Type.Number({
    description: 'The share of sessions with one page view and under 10 seconds; 0 if there is no session',
    examples: [0.42],
  }),
  visitSeconds: Type.Number({ description: 'How long a session lasted on average, in seconds', examples: [94.2] }),
  revenue: Type.Record(Type.String(), Type.Number(), {
    description: 'The revenue by currency; `` if an event names none',
    examples: [{ EUR: 129.5 }],
  }),
  requests: Type.Optional(integer('How many model calls were settled; absent for workspaces and with conditions', 40)),
  tokens: Type.Optional(integer('How many tokens they used', 51_200)),
  spend: Type.Optional(Type.Number({ description: 'What they cost, in cents', examples: [12.5] })),
}

const UNCOUNTED_MAX = 100_000

const Previous = Type.Object(figures, { title: 'Figures', description: 'The same of the time before' })

const Overview = Type.Object(
  {
    range: RangeRead,
    ...figures,
    distinct: DistinctRead,
    previous: Type.Optional(Previous),
    uncounted: Type.Optional(
      integer(
        `How many stored events of the organisation are not included yet, because a former version stored them; ${UNCOUNTED_MAX} means at least so many`,
        12_000,
      ),
    ),
  },
  { title: 'Overview', description: 'The figures of a time' },
)

export const getEventOverview = operation({
  route: 'GET /v1/event/overview',
  summary: 'Returns visitors, sessions, page views, events, revenue and model usage of a time',
  description:
    'A visitor is a `distinctId`, else an `anonymousId`, else the address and agent of a day. A session belongs to the time at which it began. Events are included within 2 seconds of their arrival.',
  access: 'reader',
  project: 'chosen',
  input: {
    ...lensInput,
    compare: Type.Optional(boolean('Whether `previous` has the same of the time before; default true', true)),
  },
  output: Overview,
  faults: ['warehouse_unreachable'],
  run: async (context, { compare = true, ...input }) => {
    const { warehouse, caller } = context
    const { db, range, chosen, before } = await asked(context, input)
    const hasUsage = caller.workspace === null
    // One after the other: an organisation has one connection, and what waits for a slow read would be given up.
    const uncounted = await warehouse.uncounted(db, caller.org, UNCOUNTED_MAX)
    const now = await figuresOf(warehouse, db, chosen, hasUsage)
    const then = compare ? await figuresOf(warehouse, db, before, hasUsage) : null
    return {
      range: shownRange(range),
      ...now.figures,
      distinct: methodOf([now.visitors, ...(then ? [then.visitors] : [])]),
      ...(then && { previous: then.figures }),
      ...(uncounted > 0 && { uncounted }),
    }
  },
})

type Figures = Static<typeof Previous>

async function figuresOf(
  { lenses }: Warehouse,
  db: Database,
  chosen: Chosen,
  hasUsage: boolean,
): Promise<{ figures: Figures; visitors: Distinct }> {
  const { visitors, revenue, usage, ...totals } = await lenses.figures(db, chosen)
  const figures = { ...shownTotals({ ...totals, visitors }), revenue: roundedAll(revenue), ...(hasUsage && usage) }
  return { figures, visitors }
}

export const shownTotals = ({ visitors, sessions, bounces, ms, pageviews, events }: Totals) => ({
  visitors: visitors.count,
  sessions,
  pageviews,
  events,
  bounceRate: sessions === 0 ? 0 : bounces / sessions,
  visitSeconds: sessions === 0 ? 0 : ms / sessions / 1_000,
})

const roundedAll = (amounts: Record<string, number>) =>
  Object.fromEntries(Object.entries(amounts).map(([currency, amount]) => [currency, rounded(amount)]))

/** Sums of decimal numbers have more digits than their parts. A former version accepted amounts that add up to infinity. */
const rounded = (amount: number) =>
  Number.isFinite(amount * 1e6) ? Math.round(amount * 1e6) / 1e6 : Math.sign(amount) * Number.MAX_VALUE
