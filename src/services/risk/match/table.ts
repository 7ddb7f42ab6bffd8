// The members of a set in flat arrays: built once, usually on a worker thread, transferred without a copy, then
// read-only.
import { buildDigits, type DigitsData, digitsOf, openDigits } from './digits-table.ts'
import { openDomains } from './domain-table.ts'
import { exactFrom } from './exact.ts'
import type { Match } from './match.ts'
import { buildNets, type NetData, netOf, openNets } from './net-table.ts'
import { buildPatterns, openPatterns, type PatternData } from './pattern-table.ts'
import { buildRanges, openRanges, type RangeData, rangeText } from './range-table.ts'
import { buildTextHash, openTextLookup, type TextHash } from './text-hash.ts'
import { openTexts } from './texts.ts'

/** Only numbers, strings and typed arrays, so that it can be transferred between threads. */
export type TableData = {
  /** Number of members passed to `buildTable`. */
  count: number
  /** Number of members that are never found because they are unsafe or too costly. Only patterns can be. */
  dropped: number
} & (
  | { match: 'domain' | 'exact'; index: TextHash }
  | { match: 'net'; index: NetData }
  | { match: 'digits'; index: DigitsData }
  | { match: 'range'; index: RangeData }
  | { match: 'pattern'; index: PatternData }
)

export type Table = {
  /** Index of the most specific member that covers the key, -1 for none, -2 if the matcher cannot read the key. Set
   *  `isReadable` if that was checked already. */
  find(key: string, isReadable?: boolean): number
  /** The member's canonical text. */
  member(index: number): string
  /** Size of the typed arrays in bytes. */
  bytes: number
}

/** The members must be as `memberFrom` returns them and distinct, in any order. A secret salt prevents lists crafted to
 *  collide in the hash. */
export function buildTable(match: Match, members: readonly string[], salt = 0): TableData {
  const counts = { count: members.length, dropped: 0 }
  switch (match) {
    case 'domain':
    case 'exact':
      return { match, ...counts, index: buildTextHash(members, salt) }
    case 'net':
      return { match, ...counts, index: buildNets(members) }
    case 'digits':
      return { match, ...counts, index: buildDigits(members) }
    case 'range':
      return { match, ...counts, index: buildRanges(members) }
    case 'pattern': {
      const index = buildPatterns(members)
      return { match, ...counts, dropped: index.dropped, index }
    }
  }
}

export function openTable(data: TableData): Table {
  const bytes = buffersOf(data).reduce((sum, { byteLength }) => sum + byteLength, 0)
  return { bytes, ...openIndex(data) }
}

function openIndex({ match, index }: TableData): Pick<Table, 'find' | 'member'> {
  switch (match) {
    case 'domain':
      return { find: openDomains(index), member: openTexts(index) }
    case 'exact':
      return { find: findExact(index), member: openTexts(index) }
    case 'net':
      return { find: openNets(index), member: at => netOf(index, at) }
    case 'digits':
      return { find: openDigits(index), member: at => digitsOf(index, at) }
    case 'range':
      return { find: openRanges(index), member: at => rangeText(index, at) }
    case 'pattern':
      return { find: openPatterns(index), member: openTexts(index.texts) }
  }
}

function findExact(index: TextHash): Table['find'] {
  const find = openTextLookup(index)
  return key => {
    const text = exactFrom(key)
    return text === null ? -2 : find(text)
  }
}

/** The buffers to transfer. */
export const buffersOf = (data: TableData): ArrayBuffer[] => buffersIn(data)

/** Each array has its own buffer, so there are no duplicates. */
function buffersIn(data: object): ArrayBuffer[] {
  return Object.values(data).flatMap(value => {
    if (ArrayBuffer.isView(value)) return [value.buffer as ArrayBuffer]
    return typeof value === 'object' ? buffersIn(value) : []
  })
}
