// A set's members in flat arrays: built once, off the thread that serves, handed over without a copy, and then only read.
import { buildDigits, type DigitsData, digitsOf, openDigits } from './digits-table.ts'
import { openDomains } from './domain-table.ts'
import { exactFrom } from './exact.ts'
import type { Match } from './match.ts'
import { buildNets, type NetData, netOf, openNets } from './net-table.ts'
import { buildPatterns, openPatterns, type PatternData } from './pattern-table.ts'
import { buildRanges, openRanges, type RangeData, rangeText } from './range-table.ts'
import { buildTextHash, openWhole, type TextHash } from './text-hash.ts'
import { openTexts } from './texts.ts'

/** Only numbers, strings and typed arrays, so that it travels between threads. */
export type TableData = {
  /** How many members were given. */
  count: number
  /** How many of them are never found, because they cannot be used safely. Only patterns can be so. */
  dropped: number
} & (
  | { match: 'domain' | 'exact'; index: TextHash }
  | { match: 'net'; index: NetData }
  | { match: 'digits'; index: DigitsData }
  | { match: 'range'; index: RangeData }
  | { match: 'pattern'; index: PatternData }
)

export type Table = {
  /** Index of the most specific member that covers the key, -1 for none, -2 when the matcher cannot read the key. `isRead`
   *  says that it is known that it can. */
  find(key: string, isRead?: boolean): number
  /** The member's canonical text. */
  member(index: number): string
  /** Bytes held by the typed arrays. */
  bytes: number
}

/** The members are as `memberFrom` spells them, each once, in any order. With a salt that nobody else knows, no list can
 *  be made up whose texts all have the same hash. */
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
  const find = openWhole(index)
  return key => {
    const text = exactFrom(key)
    return text === null ? -2 : find(text)
  }
}

/** The buffers to transfer. */
export const buffersOf = (data: TableData): ArrayBuffer[] => buffersIn(data)

/** Each array has a buffer of its own, so none comes twice. */
function buffersIn(holder: object): ArrayBuffer[] {
  return Object.values(holder).flatMap(value => {
    if (ArrayBuffer.isView(value)) return [value.buffer as ArrayBuffer]
    return typeof value === 'object' ? buffersIn(value) : []
  })
}
