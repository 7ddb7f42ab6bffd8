// What the tables of the risk reference cost, two million members in all: how long a look-up takes by kind of key, how
// much memory a member, and how long they take to build beside a loop that goes on. Run by hand, with nothing to compare:
//   node bench/risk-tables.ts
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { CATALOGUE, type SetEntry } from '../src/services/risk/catalogue.ts'
import { openTable, type Table } from '../src/services/risk/match/table.ts'
import { structureMembers } from '../src/services/risk/sources/structure.ts'
import { type Built, buffersIn, pack, parse } from '../src/services/risk/thread/jobs.ts'
import { openThread, type Thread } from '../src/services/risk/thread/open.ts'
import { keysOf } from './servers/risk-keys.ts'
import { documents } from './servers/risk-members.ts'

const KEYS = 200_000
const PASSES = 5
const IDLE_MS = 5_000
const BEAT_MS = 5
const MB = 1024 * 1024

/** Which set each kind of key is looked up in; those that no set reads are in none. */
const LOOK_UPS: [kind: string, set: string][] = [
  ['e-mail', 'domain'],
  ['domain', 'domain'],
  ['IPv4', 'net'],
  ['IPv6', 'net'],
  ['card prefix', 'bin'],
  ['card prefix', 'asn'],
  ['agent', 'crawler'],
  ['agent', 'browser'],
  ['ASN', 'asn'],
  ['digest', 'device'],
]

type Sources = { source: string; chunks: Uint8Array[] }[]
type Held = { set: string; table: Table; built: Built; ms: number }

const say = (text: string) => void process.stdout.write(`${text}\n`)
const held: SetEntry[] = CATALOGUE.filter(({ kind }) => kind === 'fetch' || kind === 'local')

async function run(): Promise<void> {
  const packed = new Map(held.map(entry => [entry.set, packedOf(entry)]))
  const thread = openThread()
  const holding = setInterval(() => {}, 1_000) // The thread by itself holds no process.
  await thread.build({ match: 'exact', sources: [], salt: 1 }) // Starting the thread is no part of a build.
  const idle = await besideLoop(() => wait(IDLE_MS))
  const building = await besideLoop(() => buildAll(thread, packed))
  await thread.close()
  clearInterval(holding)
  tellBuild(building.result, building, idle)
  tellMemory(building.result)
  tellLookUps(new Map(building.result.map(({ set, table }) => [set, table])))
}

function packedOf({ sources }: SetEntry): Sources {
  return sources.map(({ source }) => {
    const document = documents[source]
    if (document) {
      const parsed = parse({ kind: 'parse', source, document: Buffer.from(document()), encoding: null })
      if ('refusal' in parsed) throw new Error(`${source}: ${parsed.refusal}`)
      return { source, chunks: parsed.chunks.map(chunk => chunk.packed) }
    }
    const members = source === 'structure' ? structureMembers() : []
    return { source, chunks: pack(members).chunks.map(chunk => chunk.packed) }
  })
}

async function buildAll(thread: Thread, packed: ReadonlyMap<string, Sources>): Promise<Held[]> {
  const all: Held[] = []
  for (const { set, match } of held) {
    const from = performance.now()
    const built = await thread.build({ match, sources: packed.get(set) ?? [], salt: 1 })
    all.push({ set, built, table: openTable(built.data), ms: performance.now() - from })
  }
  return all
}

type Delays = { longestMs: number; loopP99Ms: number; beatP99Ms: number; beatMaxMs: number }

/** Does the work, and tells how late the loop of this thread was meanwhile: by Node's own measure, and by how late a timer
 *  came, as a request would have. */
async function besideLoop<T>(work: () => Promise<T>): Promise<Delays & { result: T; ms: number }> {
  const loop = monitorEventLoopDelay({ resolution: 1 })
  const lateness = createHistogram()
  let last = performance.now()
  const beat = setInterval(() => {
    const now = performance.now()
    lateness.record(Math.max(1, Math.round((now - last - BEAT_MS) * 1_000)))
    last = now
  }, BEAT_MS)
  const from = performance.now()
  loop.enable()
  const result = await work()
  loop.disable()
  clearInterval(beat)
  const ms = performance.now() - from
  const delays = { longestMs: loop.max / 1e6, loopP99Ms: loop.percentile(99) / 1e6 }
  return { result, ms, ...delays, beatP99Ms: lateness.percentile(99) / 1e3, beatMaxMs: lateness.max / 1e3 }
}

function tellBuild(all: Held[], building: Delays & { ms: number }, idle: Delays): void {
  say(
    `built in ${(building.ms / 1000).toFixed(2)} s: ${all.map(({ set, ms }) => `${set} ${ms.toFixed(0)} ms`).join(', ')}`,
  )
  for (const [when, one] of [['idle', idle] as const, ['building', building] as const]) {
    say(
      `  ${when}: loop delay p99 ${one.loopP99Ms.toFixed(2)} ms, longest ${one.longestMs.toFixed(2)} ms; ` +
        `a timer late by p99 ${one.beatP99Ms.toFixed(2)} ms, at most ${one.beatMaxMs.toFixed(2)} ms`,
    )
  }
}

function tellMemory(all: Held[]): void {
  let members = 0
  let bytes = 0
  for (const { set, built } of all) {
    const { count } = built.data
    const arrays = buffersIn(built).reduce((sum, { byteLength }) => sum + byteLength, 0)
    const values = built.values.reduce((sum, text) => sum + text.length * 2, 0)
    if (count > 0) say(`${set}: ${count} members, ${((arrays + values) / count).toFixed(1)} bytes each`)
    members += count
    bytes += arrays + values
  }
  say(`all: ${members} members, ${(bytes / MB).toFixed(1)} MB, ${(bytes / members).toFixed(1)} bytes each`)
}

/** Once through to have it compiled, and then the best and the worst pass. */
function tellLookUps(tables: ReadonlyMap<string, Table>): void {
  for (const [kind, set] of LOOK_UPS) {
    const { find } = tables.get(set) as Table
    const keys = keysOf(7, [kind], KEYS)
    const hits = keys.filter(key => find(key) >= 0).length
    const passes = Array.from({ length: PASSES }, () => cpuNs(() => lookUp(find, keys)) / KEYS).sort((a, b) => a - b)
    const [best, worst] = [passes[0] as number, passes.at(-1) as number]
    const share = `${((hits / KEYS) * 100).toFixed(0)} % hits`
    say(`${kind} in ${set}: ${best.toFixed(0)} to ${worst.toFixed(0)} ns a look-up, ${share}`)
  }
}

function lookUp(find: Table['find'], keys: readonly string[]): number {
  let sum = 0
  for (const key of keys) sum += find(key)
  return sum
}

function cpuNs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) * 1_000
}

await run()
