// Receipts: what the component that screens against a set says it has loaded. Its members never come here.
import type { Clock, Tx } from '../../engines/engines.ts'
import { invalidInput } from '../../kit/check.ts'
import type { ImportResult } from './import/import.ts'
import type { LoadedSet } from './loaded-sets.ts'
import { shortened } from './sources/text.ts'
import * as store from './store.ts'

export type Receipt = { source: string; version?: string; keys?: number; asOf?: string; refusal?: string }

/** How far the clock of that component may be ahead of ours. */
const SKEW_MS = 60_000
/** Times before are those of a clock, or a field, that was not set. */
const EARLIEST_MS = Date.UTC(2000)

export async function keepReceipts(
  { db, clock }: { db: Tx; clock: Clock },
  { entry }: LoadedSet,
  receipts: readonly Receipt[],
): Promise<ImportResult[]> {
  const { set } = entry
  for (const [at, { source, asOf, refusal }] of receipts.entries()) {
    const wrong = (field: string, says: string) => invalidInput([{ path: `receipts.${at}.${field}`, says }])
    if (!entry.sources.some(one => one.source === source)) throw wrong('source', `is no publisher of ${set}`)
    if (receipts.findIndex(one => one.source === source) !== at) throw wrong('source', 'is there twice')
    if (refusal && shortened(refusal) === '') throw wrong('refusal', 'says nothing')
    if (asOf === undefined) continue
    if (!(Date.parse(asOf) >= EARLIEST_MS)) throw wrong('asOf', 'is no time at which anything was loaded')
    if (Date.parse(asOf) > clock.now().getTime() + SKEW_MS) throw wrong('asOf', 'is in the future')
  }
  const rows = await store.selectSources(db, set)
  const results: ImportResult[] = []
  for (const receipt of receipts) {
    const before = rows.find(({ source }) => source === receipt.source)
    results.push(await keepReceipt(db, set, receipt, before, clock))
  }
  return results
}

async function keepReceipt(
  db: Tx,
  set: string,
  { source, version = '', keys = 0, asOf, refusal = '' }: Receipt,
  before: store.SourceRow | undefined,
  clock: Clock,
): Promise<ImportResult> {
  const refused = (says: string): ImportResult => {
    const kept = { version: before?.version ?? '', keys: before?.keys ?? 0 }
    return { source, ...kept, wrote: 0, unchanged: false, resumed: false, refusal: says }
  }
  const at = asOf === undefined ? clock.now().toISOString() : new Date(asOf).toISOString()
  const older = 'A load that is not so old has been told of already; nothing was changed'
  if (before?.asOf && Date.parse(at) < Date.parse(before.asOf)) return refused(older)
  const failed = shortened(refusal) || loadProblem(version, keys)
  if (failed !== null) {
    await store.noteRefusal(db, set, source, failed)
    return refused(failed)
  }
  if (!(await store.keepReceipt(db, set, { source, version, keys, asOf: at }))) return refused(older)
  const unchanged = before?.version === version
  return { source, version, keys, wrote: unchanged ? 0 : 1, unchanged, resumed: false }
}

/** Whoever designates somebody has a list that is not empty. */
function loadProblem(version: string, keys: number): string | null {
  if (keys === 0) return 'The load had no designations'
  return version.trim() === '' ? 'The load has no version' : null
}
