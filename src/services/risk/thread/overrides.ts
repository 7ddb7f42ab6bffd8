// Packs the overrides of an organisation on a set: the table of keys, and the verdict and note of each.
import type { Match } from '../match/match.ts'
import { buffersOf, buildTable, type TableData } from '../match/table.ts'
import { packTexts, type Texts } from '../match/texts.ts'

export type Verdict = 'allow' | 'deny'
export type OverrideRow = [key: string, verdict: Verdict, note: string | null]

/** A page is a JSON array of OverrideRow. */
export type OverridesJob = { match: Match; pages: string[]; salt: number }

export type PackedOverrides = {
  data: TableData
  /** For each override DENIES and NOTED. */
  flags: Uint8Array<ArrayBuffer>
  notes: Texts
}

export const DENIES = 1
export const NOTED = 2

export function packOverrides({ match, pages, salt }: OverridesJob): PackedOverrides {
  const rows = pages.flatMap(page => JSON.parse(page) as OverrideRow[])
  const keys = rows.map(([key]) => key)
  return {
    data: buildTable(match, keys, salt),
    flags: Uint8Array.from(
      rows,
      ([, verdict, note]) => (verdict === 'deny' ? DENIES : 0) | (note === null ? 0 : NOTED),
    ),
    notes: packTexts(rows.map(([, , note]) => note ?? '')),
  }
}

/** The buffers to transfer instead of copy. */
export const buffersOfOverrides = ({ data, flags, notes }: PackedOverrides): ArrayBuffer[] => [
  ...buffersOf(data),
  flags.buffer,
  notes.bytes.buffer,
  notes.offsets.buffer,
]
