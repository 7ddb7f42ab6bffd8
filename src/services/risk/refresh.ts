// Operations under /v1/risk/reference/refresh: importing what the sources publish now.
import { Type } from 'typebox'
import { invalidField } from '../../kit/check.ts'
import { conflict, Fault } from '../../kit/fault.ts'
import { integer, string, timestamp } from '../../kit/fields.ts'
import { withLease } from '../../kit/lease.ts'
import { referenceRefreshed } from './events.ts'
import { factsOf } from './facts.ts'
import { SetName } from './fields.ts'
import { type ImportResult, importSource } from './import/import.ts'
import type { LoadedSet } from './loaded-sets.ts'
import { keepReceipts, type Receipt } from './receipts.ts'
import { operation, type Risk, requireSet } from './state.ts'
import type { SourceRow } from './store.ts'

const ReferenceReceipt = Type.Object(
  {
    source: string('The source that was loaded', 'OFAC', { maxLength: 40 }),
    version: Type.Optional(string('Digest of the loaded data', '4f3a9c21', { pattern: '^[\\w.:+/= -]{0,200}$' })),
    keys: Type.Optional(integer('Number of designations loaded', 17_000, { minimum: 0, maximum: 2_000_000_000 })),
    asOf: Type.Optional(timestamp('When the load happened; by default the time of the request')),
    refusal: Type.Optional(string('Why the load failed, if it did', 'The file was empty', { maxLength: 500 })),
  },
  {
    additionalProperties: false,
    title: 'ReferenceReceipt',
    description: 'What the component that screens against a set has loaded from a source',
  },
)

const ReferenceTaken = Type.Object(
  {
    source: string('The source', 'disposable'),
    version: string('Digest of the current data of the source', '4f3a9c21'),
    keys: integer('Members it contributes', 5_000),
    wrote: integer('Members written by this run', 12),
    unchanged: Type.Boolean({ description: 'Whether the source publishes the same data as before' }),
    resumed: Type.Boolean({ description: 'Whether the run continued a partially imported version' }),
    refusal: Type.Optional(string('Why nothing was imported from the source', 'The list is empty')),
  },
  { title: 'ReferenceTaken', description: 'The result of a refresh for one source' },
)

export const refreshReference = operation({
  route: 'POST /v1/risk/reference/refresh',
  summary:
    'Imports what the sources of a set publish now; `force` accepts a list that grew or shrank more than tenfold',
  description:
    'Repeating it is safe: a source that publishes the same data writes nothing. A list that cannot be read, or whose size changed too much, is refused in `took` and the earlier version stays. Sets that are stored elsewhere take receipts instead.',
  access: 'superadmin',
  input: {
    set: SetName,
    force: Type.Optional(
      Type.Boolean({
        description: 'Accepts a list that grew or shrank more than tenfold; never one that is empty or cannot be read',
      }),
    ),
    receipts: Type.Optional(
      Type.Array(ReferenceReceipt, { maxItems: 100, description: 'Only for sets that are stored elsewhere' }),
    ),
  },
  output: Type.Object({
    set: SetName,
    version: string('The version of the set after the refresh', 'disposable@4f3a9c21'),
    stale: Type.Boolean({ description: 'Whether the set is still older than its maximum age' }),
    took: Type.Array(ReferenceTaken, { description: 'The result for each source' }),
  }),
  faults: ['not_found', 'conflict', 'not_held', 'upstream_unreachable'],
  audit: 'risk.refresh',
  emits: referenceRefreshed,
  run: async (context, { set, force = false, receipts }) => {
    const { state: risk, clock, request, write } = context
    const loaded = requireSet(risk, set)
    requireKind(loaded, receipts)
    const { version: before } = factsOf(loaded, clock.now())
    const results = receipts
      ? await write(({ db, emit }) => keepReceipts({ db, clock, emit }, loaded, receipts as Receipt[]))
      : await importSet(risk.engines, risk, loaded, force, request.signal)
    if (!results) throw conflict(`A refresh of ${set} is already running; wait until it has finished.`)
    await risk.loadedSets.reload(set)
    requireReachableSource(loaded, results)
    const { version, stale } = factsOf(requireSet(risk, set), clock.now())
    await write(async ({ record }) => record(set, { version: { from: before, to: version } }))
    return { set, version, stale, took: results.map(({ unreachable: _, ...rest }) => rest) }
  },
})

function requireKind({ entry }: LoadedSet, receipts: unknown[] | undefined): void {
  const { set, kind, refusal } = entry
  if (kind === 'seam') throw new Fault('not_held', { message: `There is no data for the set ${set}: ${refusal}` })
  if (kind === 'attest' && !receipts?.length) {
    throw invalidField('receipts', `are required: ${set} is stored by the component that screens against it`)
  }
  if (kind !== 'attest' && receipts) {
    throw invalidField('receipts', `are only accepted for sets that are stored elsewhere, which ${set} is not`)
  }
}

/** If no source could be reached, the whole request fails. */
function requireReachableSource({ entry }: LoadedSet, results: readonly ImportResult[]): void {
  if (results.length === 0 || !results.every(({ unreachable }) => unreachable)) return
  const reasons = results.map(({ source, refusal }) => `${source}: ${refusal}`).join('; ')
  throw new Fault('upstream_unreachable', {
    message: `Nothing could be imported for ${entry.set}. ${reasons.slice(0, 2_000)}.`,
  })
}

const unchangedOf = ({ source, version, keys }: SourceRow): ImportResult => ({
  source,
  version: version ?? '',
  keys,
  wrote: 0,
  unchanged: true,
  resumed: false,
})

/** Imports a set under a lease. Returns null while another process imports it. */
export async function importSet(
  engines: Risk['engines'],
  { thread, mirror }: Risk,
  { entry, sources }: LoadedSet,
  force: boolean,
  signal: AbortSignal,
): Promise<ImportResult[] | null> {
  // Local sets are computed here and therefore always current.
  if (entry.kind === 'local') return sources.map(unchangedOf)
  return withLease(engines, `risk ${entry.set}`, signal, async lease => {
    const results: ImportResult[] = []
    for (const source of entry.sources) {
      lease.signal.throwIfAborted()
      results.push(await importSource({ ...engines, thread, mirror, lease }, entry.set, source, force))
    }
    return results
  })
}
