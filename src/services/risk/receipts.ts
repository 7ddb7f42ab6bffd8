// Receipts: the component that screens against a set reports what it has loaded. The members are not sent.
import type { Clock, Tx } from '../../engines/engines.ts'
import { ADMIN_ORG } from '../../kit/caller.ts'
import { invalidField } from '../../kit/check.ts'
import type { EmitTo } from '../../kit/events.ts'
import type { referenceRefreshed } from './events.ts'
import type { ImportResult } from './import/import.ts'
import type { LoadedSet } from './loaded-sets.ts'
import { shortened } from './sources/text.ts'
import * as store from './store.ts'

export type Receipt = { source: string; version?: string; keys?: number; asOf?: string; refusal?: string }

/** How far the clock of that component may be fast. */
const SKEW_MS = 60_000
/** Earlier times come from a clock or field that was not set. */
const EARLIEST_MS = Date.UTC(2000)

export async function keepReceipts(
  { db, clock, emit }: { db: Tx; clock: Clock; emit: EmitTo<typeof referenceRefreshed> },
  { entry }: LoadedSet,
  receipts: readonly Receipt[],
): Promise<ImportResult[]> {
  const { set } = entry
  for (const [at, { source, asOf, refusal }] of receipts.entries()) {
    const invalid = (field: string, says: string) => invalidField(`receipts.${at}.${field}`, says)
    if (!entry.sources.some(one => one.source === source)) throw invalid('source', `is not a source of ${set}`)
    if (receipts.findIndex(one => one.source === source) !== at) throw invalid('source', 'occurs twice')
    if (refusal && shortened(refusal) === '') throw invalid('refusal', 'must contain printable text')
    if (asOf === undefined) continue
    if (!(Date.parse(asOf) >= EARLIEST_MS)) throw invalid('asOf', 'must be in the year 2000 or later')
    if (Date.parse(asOf) > clock.now().getTime() + SKEW_MS) throw invalid('asOf', 'must not be in the future')
  }
  const rows = await store.selectSources(db, set)
  const results: ImportResult[] = []
  for (const receipt of receipts) {
    const before = rows.find(({ source }) => source === receipt.source)
    const result = await keepReceipt(db, set, receipt, before, clock)
    results.push(result)
    const { source, version, keys, wrote } = result
    if (wrote > 0) emit('risk.reference.refreshed', { set, source, version, keys }, ADMIN_ORG)
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
  const refused = (reason: string): ImportResult => {
    const current = { version: before?.version ?? '', keys: before?.keys ?? 0 }
    return { source, ...current, wrote: 0, unchanged: false, resumed: false, refusal: reason }
  }
  const at = asOf === undefined ? clock.now().toISOString() : new Date(asOf).toISOString()
  const older = 'A newer load has already been reported; nothing was changed'
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

/** A list of designations is never empty. */
function loadProblem(version: string, keys: number): string | null {
  if (keys === 0) return 'The load had no designations'
  return version.trim() === '' ? 'The load has no version' : null
}
