// Packs what an organisation with many entries says about a set: its table, and beside it verdicts and notes.
import type { Match } from '../match/match.ts'
import { buffersOf, buildTable, type TableData } from '../match/table.ts'
import { packTexts, type Texts } from '../match/texts.ts'

export type Verdict = 'allow' | 'deny'
export type OverrideRow = [key: string, verdict: Verdict, note: string | null]

/** Pages are rows as JSON. */
export type OverridesJob = { kind: 'overrides'; match: Match; pages: string[]; salt: number }

export type PackedOverrides = {
  data: TableData
  /** For each entry whether it denies, and whether it has a note. */
  marks: Uint8Array<ArrayBuffer>
  notes: Texts
}

export const DENIES = 1
export const NOTED = 2

export function packOverrides({ match, pages, salt }: Omit<OverridesJob, 'kind'>): PackedOverrides {
  const rows = pages.flatMap(page => JSON.parse(page) as OverrideRow[])
  const keys = rows.map(([key]) => key)
  return {
    data: buildTable(match, keys, salt),
    marks: Uint8Array.from(
      rows,
      ([, verdict, note]) => (verdict === 'deny' ? DENIES : 0) | (note === null ? 0 : NOTED),
    ),
    notes: packTexts(rows.map(([, , note]) => note ?? '')),
  }
}

/** What travels without being copied. */
export const buffersOfOverrides = ({ data, marks, notes }: PackedOverrides): ArrayBuffer[] => [
  ...buffersOf(data),
  ...[marks.buffer, notes.bytes.buffer, notes.offsets.buffer],
]
