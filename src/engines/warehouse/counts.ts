// What events count as: a row for each quarter of an hour, scope, dimension and value, with the visitors as a set.

import { setOf, visitorHash } from './distinct.ts'
import type { Visit } from './sessions.ts'
import { type EventRow, FACTS, type Fact, type Usage } from './types.ts'

export const QUARTER_MS = 15 * 60_000

/** What is counted separately; `all` is everything together, with the sessions, `tokens` and `spend` are of model calls. The
 *  numbers are stored. */
export const DIMENSIONS = {
  ...{ all: 0, event: 1, path: 2, source: 3, campaign: 4, country: 5, device: 6, browser: 7, system: 8, release: 9 },
  ...{ error: 10, currency: 11, tokens: 12, spend: 13 },
} satisfies Record<Fact | 'all' | 'event' | 'error' | 'currency' | 'tokens' | 'spend', number>
export type Dimension = keyof typeof DIMENSIONS

export type Delta = {
  scope: string
  dimension: number
  at: string
  value: string
  events: number
  pageviews: number
  sessions: number
  bounces: number
  ms: number
  /** A sum of decimal numbers, which the database adds up without the errors of floating point. */
  amount: string
  first: string
  last: string
  visitors: Buffer
}

type Place = Pick<EventRow, 'project' | 'workspace'>
type Counting = Omit<Delta, 'visitors' | 'scope' | 'dimension' | 'at' | 'value' | 'amount'> & {
  visitors: Set<string>
  amounts: number[]
}

export const ALL = ''
export const scopeOfProject = (slug: string) => `p:${slug}`
export const scopeOfWorkspace = (id: string) => `w:${id}`

/** The scopes in which something of this place is counted. */
export const scopesOf = ({ project, workspace }: Place): string[] => [
  ALL,
  ...(project === null ? [] : [scopeOfProject(project)]),
  ...(workspace === null ? [] : [scopeOfWorkspace(workspace)]),
]

/** A time, and the quarter of an hour in which it is. */
type Moment = { time: string; quarter: string }

const momentOf = (ms: number): Moment => ({
  time: new Date(ms).toISOString(),
  quarter: new Date(ms - (((ms % QUARTER_MS) + QUARTER_MS) % QUARTER_MS)).toISOString(),
})

const valuesOf = (row: EventRow): [Dimension, string | null][] => [
  ['all', ''],
  ['event', row.event],
  ['error', row.fingerprint],
  ['currency', row.revenue === null ? null : (row.currency ?? '')],
  ...FACTS.map((fact): [Dimension, string | null] => [fact, row[fact]]),
]

/** Adds up what is appended together. `visitor` is the one that the event counts as. */
export function openDeltas() {
  const found = new Map<string, Counting>()
  const hashes = new Map<string, Buffer>()

  function at(scope: string, dimension: Dimension, { quarter, time }: Moment, value: string): Counting {
    const key = `${scope}\0${DIMENSIONS[dimension]}\0${quarter}\0${value}`
    const known = found.get(key)
    if (known) return known
    const none = { events: 0, pageviews: 0, sessions: 0, bounces: 0, ms: 0, amounts: [] }
    const made = { ...none, first: time, last: time, visitors: new Set<string>() }
    found.set(key, made)
    return made
  }

  function addEvent(row: EventRow, visitor: string, atMs: number): void {
    const values = valuesOf(row)
    const moment = momentOf(atMs)
    for (const scope of scopesOf(row)) {
      for (const [dimension, value] of values) {
        if (value === null) continue
        const counting = at(scope, dimension, moment, value)
        counting.events++
        if (row.event === PAGEVIEW) counting.pageviews++
        if (dimension === 'currency') counting.amounts.push(row.revenue as number)
        if (row.timestamp < counting.first) counting.first = row.timestamp
        if (row.timestamp > counting.last) counting.last = row.timestamp
        counting.visitors.add(visitor)
      }
    }
    if (!hashes.has(visitor)) hashes.set(visitor, visitorHash(visitor))
  }

  function addVisit(place: Place, { firstMs, bounces, ms }: Visit, sign: 1 | -1): void {
    const moment = momentOf(firstMs)
    for (const scope of scopesOf(place)) {
      const counting = at(scope, 'all', moment, '')
      counting.sessions += sign
      counting.bounces += sign * bounces
      counting.ms += sign * ms
    }
  }

  function addUsage({ project, atMs, tokens, spend }: Usage): void {
    const moment = momentOf(atMs)
    for (const scope of scopesOf({ project, workspace: null })) {
      for (const [dimension, amount] of [
        ['tokens', tokens],
        ['spend', spend],
      ] as const) {
        const counting = at(scope, dimension, moment, '')
        counting.events++
        counting.amounts.push(amount)
      }
    }
  }

  return {
    addEvent,
    addVisit,
    addUsage,
    deltas: (): Delta[] =>
      [...found].map(([key, { amounts, ...counting }]) => {
        const [scope, dimension, at, value] = key.split('\0') as [string, string, string, string]
        const visitors = setOf([...counting.visitors].map(one => hashes.get(one) as Buffer))
        return {
          ...counting,
          amount: amounts.join('+') || '0',
          scope,
          dimension: Number(dimension),
          at,
          value,
          visitors,
        }
      }),
  }
}

export const PAGEVIEW = '$pageview'
