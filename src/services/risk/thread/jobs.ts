// What is done in a thread of its own: reading a publisher's document, and building the table of a set. Both would hold up
// every request for seconds.
import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { CATALOGUE } from '../catalogue.ts'
import type { Match } from '../match/match.ts'
import { buffersOf, buildTable, type TableData } from '../match/table.ts'
import { requireHeap } from '../sources/heap.ts'
import { type Member, Unreadable, type Value } from '../sources/source.ts'
import { bytesFrom } from './document.ts'

const CHUNK_MEMBERS = 5_000

export type ParseJob = { kind: 'parse'; source: string; document: Uint8Array; encoding: string | null }
export type Parsed = {
  /** SHA-256 over the members in order, whatever the document looked like. */
  version: string
  /** SHA-256 of the document itself. */
  raw: string
  keys: number
  /** The members, so many at a time. */
  chunks: { keys: number; packed: Uint8Array }[]
}
/** Why a document cannot be used, for the operator. */
export type Unread = { refusal: string }

export type BuildJob = {
  kind: 'build'
  match: Match
  sources: { source: string; chunks: Uint8Array[] }[]
  /** Drawn for this table. */
  salt: number
}
export type Built = {
  data: TableData
  /** What is said about members, each once, as JSON; and which of these each member has. */
  values: string[]
  valueAt: Uint32Array
  scores: Float64Array | null
}

/** Members as columns: the keys, the values there are, which of these each has (0 for the first throughout), and scores if
 *  there are any. */
type Packed = [keys: string[], values: Value[], which: number[] | 0, scores: (number | null)[] | 0]

export function parse({ source, document, encoding }: ParseJob): Parsed | Unread {
  const read = CATALOGUE.flatMap(({ sources }) => sources).find(one => one.source === source)?.parse
  if (!read) throw new Error(`nobody knows how to read ${source}`)
  try {
    const bytes = bytesFrom(document, encoding)
    const raw = createHash('sha256').update(bytes).digest('hex')
    const { members } = read(new TextDecoder().decode(bytes))
    requireUsable(members)
    return { ...pack(members), raw }
  } catch (error) {
    if (error instanceof Unreadable) return { refusal: error.message }
    // A document that is nested or repeated beyond what can be held in memory is no better than one that is no list.
    if (error instanceof RangeError) return { refusal: `The document cannot be read: ${error.message}` }
    throw error
  }
}

/** Beyond any list there is, and within what one process can hold. */
const VALUES_MAX = 100_000

function requireUsable(members: readonly Member[]): void {
  if (members.length <= VALUES_MAX) return
  const said = new Set<string>()
  for (const { value } of members) {
    said.add(JSON.stringify(value))
    if (said.size > VALUES_MAX)
      throw new Unreadable(`The list says more than ${VALUES_MAX} different things about its members`)
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

/** The same for values that say the same, whatever the order they say it in. */
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

/** All members of all sources, each once. A member that several name says so, and the source that comes first in the
 *  catalogue is believed where they differ. */
export function build({ match, sources, salt }: BuildJob): Built {
  const merger = openMerger(sources.map(({ source }) => source))
  // The largest comes last and is not remembered by key: only the others can have named a member of it before.
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

/** Gathers members by key. Most of a source say the same, so what they say is kept once. */
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

  function add(source: string, [names, said, which, weights]: Packed, isRemembered: boolean): void {
    const own = said.map(value => numberOf(JSON.stringify({ ...value, source })))
    for (const [at, key] of names.entries()) {
      const value = which === 0 ? 0 : (which[at] as number)
      const known = indexByKey.get(key)
      const index = known ?? keys.length
      if (weights !== 0) scores[index] ??= weights[at] ?? undefined
      if (known !== undefined) {
        valueAt[known] = numberOf(
          merged(values[valueAt[known] as number] as string, said[value] as Value, source, ranking),
        )
        continue
      }
      if (isRemembered) indexByKey.set(key, index)
      keys.push(key)
      valueAt.push(own[value] as number)
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

/** What travels without being copied. */
export const buffersIn = ({ data, valueAt, scores }: Built): ArrayBuffer[] => [
  ...buffersOf(data),
  valueAt.buffer as ArrayBuffer,
  ...(scores ? [scores.buffer as ArrayBuffer] : []),
]
