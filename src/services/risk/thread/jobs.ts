// Jobs of the worker thread: parsing the document of a source, and building the table of a set. On the main thread both
// would block every request for seconds.
import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { CATALOGUE } from '../catalogue.ts'
import type { Match } from '../match/match.ts'
import { buffersOf, buildTable, type TableData } from '../match/table.ts'
import { requireHeap } from '../sources/heap.ts'
import { type Member, Unreadable, type Value } from '../sources/source.ts'
import { bytesFrom } from './document.ts'

const CHUNK_MEMBERS = 5_000

export type ParseJob = { source: string; document: Uint8Array; encoding: string | null }
export type Parsed = {
  /** SHA-256 over the members in order; independent of the formatting of the document. */
  version: string
  /** SHA-256 of the document itself. */
  raw: string
  keys: number
  /** The members in chunks of up to CHUNK_MEMBERS. */
  chunks: { keys: number; packed: Uint8Array }[]
}
/** Why a document was rejected. */
export type ParseRefusal = { refusal: string }

export type BuildJob = {
  match: Match
  sources: { source: string; chunks: Uint8Array[] }[]
  /** Random, drawn for this table. */
  salt: number
}
export type Built = {
  data: TableData
  /** The distinct values of members, as JSON. */
  values: string[]
  /** For each member, the index of its value. */
  valueAt: Uint32Array
  scores: Float64Array | null
}

/** Members as columns: the keys, the distinct values, the index of each member's value (0 if all have the first), and
 *  the scores (0 if there are none). */
type Packed = [keys: string[], values: Value[], which: number[] | 0, scores: (number | null)[] | 0]

export function parse({ source, document, encoding }: ParseJob): Parsed | ParseRefusal {
  const read = CATALOGUE.flatMap(({ sources }) => sources).find(one => one.source === source)?.parse
  if (!read) throw new Error(`there is no parser for ${source}`)
  try {
    const bytes = bytesFrom(document, encoding)
    const raw = createHash('sha256').update(bytes).digest('hex')
    const { members } = read(new TextDecoder().decode(bytes))
    requireUsable(members)
    return { ...pack(members), raw }
  } catch (error) {
    if (error instanceof Unreadable) return { refusal: error.message }
    // Raised when a document is nested too deeply or expands to more than fits into memory.
    if (error instanceof RangeError) return { refusal: `The document cannot be read: ${error.message}` }
    throw error
  }
}

/** More than any known list has, and few enough for the memory of one process. */
const VALUES_MAX = 100_000

function requireUsable(members: readonly Member[]): void {
  if (members.length <= VALUES_MAX) return
  const distinct = new Set<string>()
  for (const { value } of members) {
    distinct.add(JSON.stringify(value))
    if (distinct.size > VALUES_MAX)
      throw new Unreadable(`The list has more than ${VALUES_MAX} different values of members`)
  }
}

export function pack(members: readonly Member[]): Omit<Parsed, 'raw'> {
  const digest = createHash('sha256')
  const chunks: Parsed['chunks'] = []
  for (let from = 0; from < members.length; from += CHUNK_MEMBERS) {
    const some = members.slice(from, from + CHUNK_MEMBERS)
    const texts = some.map(({ value }) => textOf(value))
    for (const [at, { key, score }] of some.entries()) {
      digest.update(`${JSON.stringify(key)} ${texts[at]} ${score ?? ''}\n`)
    }
    chunks.push({ keys: some.length, packed: deflateRawSync(JSON.stringify(columnsOf(some, texts)), { level: 1 }) })
  }
  return { version: digest.digest('hex'), keys: members.length, chunks }
}

/** Independent of the order of the fields. */
const textOf = (value: Value) =>
  JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))))

function columnsOf(members: readonly Member[], texts: readonly string[]): Packed {
  const distinct = [...new Set(texts)]
  const numbers = new Map(distinct.map((text, number) => [text, number]))
  const scored = members.some(({ score }) => score !== undefined)
  return [
    members.map(({ key }) => key),
    distinct.map(text => JSON.parse(text)),
    distinct.length > 1 ? texts.map(text => numbers.get(text) as number) : 0,
    scored ? members.map(({ score }) => score ?? null) : 0,
  ]
}

const unpack = (chunk: Uint8Array): Packed => JSON.parse(inflateRawSync(chunk).toString())

/** Merges the members of all sources. A member lists every source that has it; where their values differ, the source
 *  that comes first in the catalogue wins. */
export function build({ match, sources, salt }: BuildJob): Built {
  const merger = openMerger(sources.map(({ source }) => source))
  // The largest source is added last and not indexed by key, which saves memory: no later source can repeat its keys.
  const largest = sources.toSorted((a, b) => sizeOf(b) - sizeOf(a))[0]
  const inOrder = sources.filter(one => one !== largest)
  for (const { source, chunks } of largest ? [...inOrder, largest] : []) {
    for (const chunk of chunks) {
      requireHeap()
      merger.add(source, unpack(chunk), source !== largest?.source)
    }
  }
  const { keys, values, valueAt, scores } = merger
  const hasScores = scores.some(score => score !== undefined)
  return {
    data: buildTable(match, keys, salt),
    values,
    valueAt: Uint32Array.from(valueAt),
    scores: hasScores ? Float64Array.from(keys, (_, at) => scores[at] ?? Number.NaN) : null,
  }
}

const sizeOf = ({ chunks }: BuildJob['sources'][number]) => chunks.reduce((sum, { length }) => sum + length, 0)

/** Merges members by key. Most members of a source have the same value, so each value is stored once. */
function openMerger(ranking: readonly string[]) {
  const keys: string[] = []
  const values: string[] = []
  const valueAt: number[] = []
  const scores: (number | undefined)[] = []
  const numbers = new Map<string, number>()
  const indexByKey = new Map<string, number>()

  function numberOf(text: string): number {
    const number = numbers.get(text) ?? values.length
    if (number === values.length) {
      numbers.set(text, number)
      values.push(text)
    }
    return number
  }

  function add(source: string, [names, own, which, weights]: Packed, isIndexed: boolean): void {
    const indexes = own.map(value => numberOf(JSON.stringify({ ...value, source })))
    for (const [at, key] of names.entries()) {
      const value = which === 0 ? 0 : (which[at] as number)
      const known = indexByKey.get(key)
      const index = known ?? keys.length
      if (weights !== 0) scores[index] ??= weights[at] ?? undefined
      if (known !== undefined) {
        valueAt[known] = numberOf(
          merged(values[valueAt[known] as number] as string, own[value] as Value, source, ranking),
        )
        continue
      }
      if (isIndexed) indexByKey.set(key, index)
      keys.push(key)
      valueAt.push(indexes[value] as number)
    }
  }
  return { keys, values, valueAt, scores, add }
}

function merged(known: string, value: Value, source: string, ranking: readonly string[]): string {
  const before = JSON.parse(known) as Record<string, string> & { source: string }
  const named = [...before.source.split(', '), source].sort((a, b) => ranking.indexOf(a) - ranking.indexOf(b))
  const isFirst = named[0] === source
  return JSON.stringify({ ...(isFirst ? { ...before, ...value } : { ...value, ...before }), source: named.join(', ') })
}

/** The buffers to transfer instead of copy. */
export const buffersIn = ({ data, valueAt, scores }: Built): ArrayBuffer[] => [
  ...buffersOf(data),
  valueAt.buffer as ArrayBuffer,
  ...(scores ? [scores.buffer as ArrayBuffer] : []),
]
