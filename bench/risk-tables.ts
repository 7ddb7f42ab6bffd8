// Measures the tables of the risk reference with two million members: the time of a look-up by kind of key, the memory
// per member, and the time to build the tables with its effect on the event loop. Run by hand, without a control:
//   node tools/launch.mjs bench/risk-tables.ts
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { CATALOGUE, type SetEntry } from '../src/services/risk/catalogue.ts'
import { openTable, type Table } from '../src/services/risk/match/table.ts'
import { structureMembers } from '../src/services/risk/sources/structure.ts'
import { type Built, buffersIn, pack, parse } from '../src/services/risk/thread/jobs.ts'
import { openRiskThread, type RiskThread } from '../src/services/risk/thread/open.ts'
import { keysOf } from './servers/risk-keys.ts'
import { documents } from './servers/risk-members.ts'

const KEYS = 200_000
const PASSES = 5
const IDLE_MS = 5_000
const TIMER_MS = 5
const MB = 1024 * 1024

/** The sets in which each kind of key is looked up. */
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
type BuiltSet = { set: string; table: Table; built: Built; ms: number }

const print = (text: string) => void process.stdout.write(`${text}\n`)
const sets: SetEntry[] = CATALOGUE.filter(({ kind }) => kind === 'fetch' || kind === 'local')

async function run(): Promise<void> {
  const packed = new Map(sets.map(entry => [entry.set, packedOf(entry)]))
  const thread = openRiskThread('bench')
  await thread.call('build', { match: 'exact', sources: [], salt: 1 }, { user: '' }) // Starts the thread, which is not part of a build.
  const idle = await withLoopDelay(() => wait(IDLE_MS))
  const building = await withLoopDelay(() => buildAll(thread, packed))
  await thread.close()
  printBuild(building.result, building, idle)
  printMemory(building.result)
  printLookUps(new Map(building.result.map(({ set, table }) => [set, table])))
}

function packedOf({ sources }: SetEntry): Sources {
  return sources.map(({ source }) => {
    const document = documents[source]
    if (document) {
      const parsed = parse({ source, document: Buffer.from(document()), encoding: null })
      if ('refusal' in parsed) throw new Error(`${source}: ${parsed.refusal}`)
      return { source, chunks: parsed.chunks.map(chunk => chunk.packed) }
    }
    const members = source === 'structure' ? structureMembers() : []
    return { source, chunks: pack(members).chunks.map(chunk => chunk.packed) }
  })
}

async function buildAll(thread: RiskThread, packed: ReadonlyMap<string, Sources>): Promise<BuiltSet[]> {
  const all: BuiltSet[] = []
  for (const { set, match } of sets) {
    const from = performance.now()
    const built = await thread.call('build', { match, sources: packed.get(set) ?? [], salt: 1 }, { user: set })
    all.push({ set, built, table: openTable(built.data), ms: performance.now() - from })
  }
  return all
}

type Delays = { longestMs: number; loopP99Ms: number; timerP99Ms: number; timerMaxMs: number }

/** Does the work and measures the delay of this thread's event loop: with Node's own histogram, and with a timer,
 *  which is delayed like a request. */
async function withLoopDelay<T>(work: () => Promise<T>): Promise<Delays & { result: T; ms: number }> {
  const loop = monitorEventLoopDelay({ resolution: 1 })
  const lateness = createHistogram()
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    lateness.record(Math.max(1, Math.round((now - last - TIMER_MS) * 1_000)))
    last = now
  }, TIMER_MS)
  const from = performance.now()
  loop.enable()
  const result = await work()
  loop.disable()
  clearInterval(timer)
  const ms = performance.now() - from
  const delays = { longestMs: loop.max / 1e6, loopP99Ms: loop.percentile(99) / 1e6 }
  return { result, ms, ...delays, timerP99Ms: lateness.percentile(99) / 1e3, timerMaxMs: lateness.max / 1e3 }
}

function printBuild(all: BuiltSet[], building: Delays & { ms: number }, idle: Delays): void {
  print(
    `built in ${(building.ms / 1000).toFixed(2)} s: ${all.map(({ set, ms }) => `${set} ${ms.toFixed(0)} ms`).join(', ')}`,
  )
  for (const [when, one] of [['idle', idle] as const, ['building', building] as const]) {
    print(
      `  ${when}: loop delay p99 ${one.loopP99Ms.toFixed(2)} ms, longest ${one.longestMs.toFixed(2)} ms; ` +
        `a timer late by p99 ${one.timerP99Ms.toFixed(2)} ms, at most ${one.timerMaxMs.toFixed(2)} ms`,
    )
  }
}

function printMemory(all: BuiltSet[]): void {
  let members = 0
  let bytes = 0
  for (const { set, built } of all) {
    const { count } = built.data
    const arrays = buffersIn(built).reduce((sum, { byteLength }) => sum + byteLength, 0)
    const values = built.values.reduce((sum, text) => sum + text.length * 2, 0)
    if (count > 0) print(`${set}: ${count} members, ${((arrays + values) / count).toFixed(1)} bytes each`)
    members += count
    bytes += arrays + values
  }
  print(`all: ${members} members, ${(bytes / MB).toFixed(1)} MB, ${(bytes / members).toFixed(1)} bytes each`)
}

/** One pass to warm up, then prints the best and the worst of the others. */
function printLookUps(tables: ReadonlyMap<string, Table>): void {
  for (const [kind, set] of LOOK_UPS) {
    const { find } = tables.get(set) as Table
    const keys = keysOf(7, [kind], KEYS)
    const hits = keys.filter(key => find(key) >= 0).length
    const passes = Array.from({ length: PASSES }, () => cpuNs(() => lookUp(find, keys)) / KEYS).sort((a, b) => a - b)
    const [best, worst] = [passes[0] as number, passes.at(-1) as number]
    const share = `${((hits / KEYS) * 100).toFixed(0)} % hits`
    print(`${kind} in ${set}: ${best.toFixed(0)} to ${worst.toFixed(0)} ns a look-up, ${share}`)
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
