// What a lens reads: whose events, of which time, under which conditions. Reads are queued by organisation, apart from requests.

import { Type } from 'typebox'
import type { Chosen, Database, Distinct, Of } from '../../../engines/engines.ts'
import { SKETCH_ERROR, scopeOfProject, scopeOfWorkspace } from '../../../engines/engines.ts'
import type { Principal } from '../../../kit/caller.ts'
import { invalidField } from '../../../kit/check.ts'
import { string, timestamp } from '../../../kit/fields.ts'
import type { Context } from '../../../kit/operation.ts'
import { eventSettings } from '../settings.ts'
import type { EventState } from '../state.ts'
import { type Range, type RangeAsked, rangeInput, rangeOf, type Span } from './range.ts'
import { conditionsOf, whereInput } from './where.ts'

const DAY_MS = 86_400_000
/** Conditions are read from rows, not from counts. */
const ROWS_DAYS_MAX = 400

export const lensInput = { ...rangeInput, ...whereInput }

export const RangeRead = Type.Object(
  {
    from: timestamp('From when on'),
    to: Type.String({ format: 'date-time', description: 'Until when', examples: ['2026-11-16T09:30:00.000Z'] }),
    zone: string('The time zone of its days', 'Europe/Vienna'),
  },
  { title: 'LensRange', description: 'The time that was read' },
)

/** In answers with a number of distinct visitors. */
export const DistinctRead = Type.Object(
  {
    method: Type.Enum(['exact', 'sketch'], {
      description:
        'How visitors were counted: exactly, or, if there are more than 10,000, by an estimate (HyperLogLog)',
      examples: ['exact'],
    }),
    error: Type.Number({
      description: 'How much the estimate may deviate, as a share; 0 if it is exact',
      examples: [0],
    }),
  },
  { title: 'DistinctMethod', description: 'How exact the numbers of visitors are' },
)

export const methodOf = (all: readonly Distinct[]) =>
  all.every(({ isExact }) => isExact)
    ? { method: 'exact' as const, error: 0 }
    : { method: 'sketch' as const, error: SKETCH_ERROR }

export type Asked = { db: Database; range: Range; chosen: Chosen; before: Chosen }

type Asking = Pick<Context<'reader', EventState>, 'caller' | 'clock' | 'orgSettings' | 'state' | 'warehouse'>

/** `readsRows`: also without a condition. */
export async function asked(
  { caller, clock, orgSettings, state, warehouse }: Asking,
  { where, ...input }: RangeAsked & { where?: string[] },
  readsRows = false,
): Promise<Asked> {
  const conditions = conditionsOf(where)
  const db = state.analytics.for(caller.org)
  const of = scopeOf(caller)
  const { zone } = await orgSettings.of(eventSettings, caller.org)
  const first = async () => {
    const found = await warehouse.lenses.first(db, of)
    return found === null ? null : Date.parse(found)
  }
  const range = await rangeOf(input, clock.now().getTime(), zone, first)
  if (range.toMs - range.fromMs > ROWS_DAYS_MAX * DAY_MS && (readsRows || conditions.length > 0)) {
    throw invalidField(readsRows ? 'range' : 'where', `can be used for at most ${ROWS_DAYS_MAX} days`)
  }
  const chosenIn = ({ fromMs, toMs }: Span) => ({ ...of, fromMs, toMs, where: conditions })
  return { db, range, chosen: chosenIn(range), before: chosenIn(range.previous) }
}

/** The events that a caller reads. */
export const scopeOf = ({ org, project, workspace }: Principal): Of => {
  if (workspace !== null) return { org, scopes: [scopeOfWorkspace(workspace)] }
  return { org, scopes: [project === null ? '' : scopeOfProject(project)] }
}

const isoOf = (ms: number) => new Date(ms).toISOString()
export const shownRange = ({ fromMs, toMs, zone }: Range) => ({ from: isoOf(fromMs), to: isoOf(toMs), zone })
