// Operations under /v1/risk/reference/refresh: taking what the publishers have now.
import { Type } from 'typebox'
import { invalidInput } from '../../kit/check.ts'
import { Fault } from '../../kit/fault.ts'
import { timestamp } from '../../kit/fields.ts'
import { withLease } from '../../kit/lease/lease.ts'
import { factsOf } from './facts.ts'
import { SetName } from './fields.ts'
import { type ImportResult, importSource } from './import/import.ts'
import type { LoadedSet } from './loaded-sets.ts'
import { keepReceipts, type Receipt } from './receipts.ts'
import { operation, type Risk, requireSet } from './state.ts'
import type { SourceRow } from './store.ts'

const ReceiptIn = Type.Object(
  {
    source: Type.String({ maxLength: 40, description: 'The publisher the receipt is for' }),
    version: Type.Optional(
      Type.String({ pattern: '^[\\w.:+/= -]{0,200}$', description: 'Digest of what it supplied' }),
    ),
    keys: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_000_000_000, description: 'Designations in that load' })),
    asOf: Type.Optional(timestamp('When the load happened; on arrival unless said')),
    refusal: Type.Optional(Type.String({ maxLength: 500, description: 'Why the load failed, if it did' })),
  },
  { additionalProperties: false },
)

const ImportResultOut = Type.Object({
  source: Type.String(),
  version: Type.String({ description: 'The digest that landed' }),
  keys: Type.Integer(),
  wrote: Type.Integer({ description: 'Members written by this run' }),
  unchanged: Type.Boolean({ description: 'Whether the publisher says what it said before' }),
  resumed: Type.Boolean({ description: 'Whether the run went on with a version that had landed in part' }),
  refusal: Type.Optional(Type.String({ description: 'Why the publisher contributed nothing' })),
})

export const refreshReference = operation({
  route: 'POST /v1/risk/reference/refresh',
  summary:
    'Takes what the publishers of a set have now; `force` accepts a list that has changed its size beyond belief',
  access: 'superadmin',
  input: {
    set: SetName,
    force: Type.Optional(Type.Boolean()),
    receipts: Type.Optional(Type.Array(ReceiptIn, { maxItems: 100, description: 'For sets that are held elsewhere' })),
  },
  output: Type.Object({
    set: SetName,
    version: Type.String({ description: 'The composed version after it' }),
    stale: Type.Boolean({ description: 'Whether it is still past its bound' }),
    took: Type.Array(ImportResultOut),
  }),
  faults: ['not_found', 'conflict', 'not_held', 'upstream_unreachable'],
  audit: 'risk.refresh',
  run: async (context, { set, force = false, receipts }) => {
    const { state: risk, clock, request, write } = context
    const loaded = requireSet(risk, set)
    requireKind(loaded, receipts)
    const results = receipts
      ? await write(({ db }) => keepReceipts({ db, clock }, loaded, receipts as Receipt[]))
      : await importSet(risk.engines, risk, loaded, force, request.signal)
    if (!results) throw new Fault('conflict', { message: `A refresh of ${set} is going on; wait until it is through.` })
    await risk.loadedSets.reload(set)
    requireReachableSource(loaded, results)
    const { version, stale } = factsOf(requireSet(risk, set), clock.now())
    await write(async ({ record }) => record(set, { version: { to: version } }))
    return { set, version, stale, took: results.map(({ unreachable: _, ...rest }) => rest) }
  },
})

function requireKind({ entry }: LoadedSet, receipts: unknown[] | undefined): void {
  const { set, kind, refusal } = entry
  if (kind === 'seam') throw new Fault('not_held', { message: `The set ${set} is not held: ${refusal}` })
  if (kind === 'attest' && !receipts?.length) {
    throw invalidInput([
      { path: 'receipts', says: `are needed: ${set} is held by the component that screens against it` },
    ])
  }
  if (kind !== 'attest' && receipts) {
    throw invalidInput([{ path: 'receipts', says: `are only for sets that are held elsewhere, which ${set} is not` }])
  }
}

/** When nothing could be got from any publisher, the whole call has failed. */
function requireReachableSource({ entry }: LoadedSet, results: readonly ImportResult[]): void {
  if (results.length === 0 || !results.every(({ unreachable }) => unreachable)) return
  const says = results.map(({ source, refusal }) => `${source}: ${refusal}`).join('; ')
  throw new Fault('upstream_unreachable', {
    message: `Nothing could be taken for ${entry.set}. ${says.slice(0, 2_000)}.`,
  })
}

const unchangedOf = ({ source, version, keys }: SourceRow): ImportResult => ({
  ...{ source, version: version ?? '', keys },
  ...{ wrote: 0, unchanged: true, resumed: false },
})

/** One process at a time takes a set; the other is answered null. */
export async function importSet(
  engines: Risk['engines'],
  { thread, mirror }: Risk,
  { entry, sources }: LoadedSet,
  force: boolean,
  signal: AbortSignal,
): Promise<ImportResult[] | null> {
  // What is computed here is always what it can be.
  if (entry.kind === 'local') return sources.map(unchangedOf)
  return withLease(engines, `risk ${entry.set}`, signal, async lease => {
    const found: ImportResult[] = []
    for (const source of entry.sources) {
      lease.signal.throwIfAborted()
      found.push(await importSource({ ...engines, thread, mirror, lease }, entry.set, source, force))
    }
    return found
  })
}
