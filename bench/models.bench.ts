// Model calls through the host, against Portkey's gateway and a bare pipe, which call the same model server in the same
// run. The host has a key, the meter, the journal, its log and its schedules; all of them use plain HTTP, the host as
// behind a trusted proxy.
import { setTimeout as wait } from 'node:timers/promises'
import postgres from 'postgres'
import { DATABASE_USER } from '../src/engines/db/embedded/server.ts'
import { installPackages } from '../test/packages.ts'
import { type Finding, findingOf, type OwnBench, type Round, requestBytes } from './harness.ts'
import { bodyOf, type Load, openLoad, type Script, wrong } from './load.ts'
import { databaseCpuUs } from './servers/database-cpu.ts'
import { type Asked, CHAT_PATH, CHUNKS, COMPLETION, chunksOf, requestBody } from './servers/model-wire.ts'
import { type BenchServer, startServer } from './servers/start.ts'

/** Each launch is a new start of all servers. With three, all benchmarks of this file take more than ten minutes. */
const LAUNCHES = 2
const CLIENTS = 32
/** Follow-up work of calls, such as their settlement, is counted too. */
const AFTER_MS = 200

type Gateway = { name: string; server: BenchServer; headers: Record<string, string> }
type Kind = 'host' | 'Portkey' | 'pipe' | 'mock'

/** The model server and the gateways to it, in the given order. */
async function startGateways(servers: AsyncDisposableStack, kinds: readonly Kind[]): Promise<Gateway[]> {
  const mock = servers.use(await startServer('model-upstream.ts'))
  const url = `http://127.0.0.1:${mock.port}`
  const start = async (kind: Kind): Promise<Gateway> => {
    if (kind === 'mock') return { name: kind, server: mock, headers: {} }
    const server = servers.use(await startKind(kind, url))
    return {
      name: kind,
      server,
      headers: { authorization: `Bearer ${server.key ?? 'bench'}`, ...headersFor(kind, url) },
    }
  }
  const gateways: Gateway[] = []
  for (const kind of kinds) gateways.push(await start(kind))
  return gateways
}

function startKind(kind: 'host' | 'Portkey' | 'pipe', url: string): Promise<BenchServer> {
  if (kind === 'host') return startServer('models.ts', { args: [`${url}/v1`] })
  if (kind === 'pipe') return startServer('undici-pipe.ts', { args: [url] })
  const { directory, skip } = installPackages(new URL('portkey/', import.meta.url))
  if (skip !== false) throw new Error(skip)
  return startServer('portkey.ts', { args: [directory] })
}

function headersFor(kind: Kind, url: string): Record<string, string> {
  if (kind === 'host') return { 'x-forwarded-proto': 'https' }
  return kind === 'Portkey' ? { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${url}/v1` } : {}
}

/** The words of the answer. Portkey may add fields to it. */
const ANSWERED = Buffer.from(JSON.parse(COMPLETION).choices[0].message.content as string)

function openClients({ server, headers }: Gateway, asked: Asked, connections: number, onRead = (_at: number) => {}) {
  const request = requestBytes('POST', CHAT_PATH, { headers, body: requestBody(asked) })
  const expected = chunksOf(asked.asksForUsage ?? false).join('')
  // The host sends a comment when an answer has taken long.
  const isRight = (body: Buffer) =>
    asked.chunkMs === 0 ? body.includes(ANSWERED) : body.toString().replaceAll(/^:\n\n/gm, '') === expected
  const script = (at: number): Script => ({
    request: () => request,
    isComplete: bytes => {
      onRead(at)
      const body = bodyOf(bytes)
      if (body && !isRight(body)) throw wrong(bytes)
      return body !== null
    },
  })
  return openLoad({ ...server, isPlain: true, connections, script })
}

type Cost = { perSecond: number; cpuUs: number; databaseUs: number }

async function costOf({ server }: Gateway, load: Load, count: number): Promise<Cost> {
  const databaseUs = () => (server.databasePid === undefined ? 0 : databaseCpuUs(server.databasePid))
  const [before, databaseBefore] = [await server.cpuUs(), databaseUs()]
  const seconds = await load.burst(count)
  await wait(AFTER_MS)
  const cpuUs = ((await server.cpuUs()) - before) / count
  return { perSecond: count / seconds, cpuUs, databaseUs: (databaseUs() - databaseBefore) / count }
}

type Rounds = { kinds: readonly Kind[]; asked: Asked; count: number; warmUp: number; counted: number }

/** Alternating rounds, each of `count` requests by all clients. */
async function alternate({ kinds, asked, count, warmUp, counted }: Rounds): Promise<Cost[][]> {
  const rounds: Cost[][] = []
  for (let launch = 0; launch < LAUNCHES; launch++) {
    await using servers = new AsyncDisposableStack()
    const gateways = await startGateways(servers, kinds)
    for (let round = 0; round < warmUp + counted; round++) {
      const costs: Cost[] = []
      for (const at of round % 2 === 0 ? gateways.keys() : [...gateways.keys()].reverse()) {
        const gateway = gateways[at] as Gateway
        // Opened for each round, because servers close connections without requests.
        const load = await openClients(gateway, asked, CLIENTS)
        costs[at] = await costOf(gateway, load, count)
        load.close()
      }
      print(
        `  ${round < warmUp ? 'warm-up: ' : ''}${gateways.map(({ name }, at) => textOf(name, costs[at] as Cost)).join('; ')}`,
      )
      if (round >= warmUp) rounds.push(costs)
    }
  }
  return rounds
}

const textOf = (name: string, { cpuUs, databaseUs, perSecond }: Cost) =>
  `${name}: ${cpuUs.toFixed(0)} us${databaseUs > 0 ? ` + ${databaseUs.toFixed(0)} us of PostgreSQL` : ''}, ${perSecond.toFixed(1)}/s`

/** The result, and for comparison the result including the database's CPU time. */
function compared(title: string, rounds: Cost[][], names: string[], target: number): Finding[] {
  const at = { names, subject: 0, control: 1, target }
  const whole: Round[] = rounds.map(round =>
    round.map(({ perSecond, cpuUs, databaseUs }) => ({ perSecond, cpuUs: cpuUs + databaseUs })),
  )
  const [own, both] = [findingOf(title, rounds, at), findingOf(title, whole, at)]
  print(`  ratio ${spreadOf(own)}; with PostgreSQL ${both.subject.cpuUs.toFixed(0)} us, ratio ${spreadOf(both)}`)
  return [own]
}

const spreadOf = ({ cpu }: Finding) => `${cpu.median.toFixed(3)} (${cpu.q1.toFixed(3)}..${cpu.q3.toFixed(3)})`

export const requests: OwnBench = {
  measure: async () => {
    const title = `a chat completion by ${CLIENTS} clients, against Portkey, by CPU time`
    print(title)
    const kinds = ['host', 'Portkey'] as const
    const rounds = await alternate({ kinds, asked: { chunkMs: 0 }, count: 2_000, warmUp: 3, counted: 4 })
    return compared(title, rounds, [...kinds], 2)
  },
}

const TRIPLES = 200
const LATENCY_ROUNDS = 5
const LATENCY_WARM_UP = 1
const WARM_UP_REQUESTS = 5_000

/** At most 0.6 of its time. */
const LATENCY_TARGET = 1 / 0.6

/** One client: the time that the gateways add to the model server's own time. The host answers after the charge is
 *  committed, which Portkey does not need, so the time of one bare commit in the same database is subtracted. */
export const latency: OwnBench = {
  measure: async () => {
    const title =
      'the time that is added to a chat completion of one client, p50, less one bare commit, against Portkey'
    print(title)
    const rounds: Round[] = []
    for (let launch = 0; launch < LAUNCHES; launch++) {
      await using servers = new AsyncDisposableStack()
      const gateways = await startGateways(servers, ['mock', 'host', 'Portkey'])
      const loads: Load[] = []
      for (const gateway of gateways) await warmUp(gateway)
      for (const gateway of gateways) loads.push(await openClients(gateway, { chunkMs: 0 }, 1))
      const committing = servers.adopt(await openCommits((gateways[1] as Gateway).server), one => one.end())
      for (let round = 0; round < LATENCY_WARM_UP + LATENCY_ROUNDS; round++) {
        const [mock = 0, host = 0, portkey = 0, commit = 0] = await medianTimes([...loads, committing])
        const [ours, theirs] = [host - mock, portkey - mock]
        print(
          `  mock ${mock.toFixed(0)} us; added by host ${ours.toFixed(0)} us, of which ${commit.toFixed(0)} us are a commit; ` +
            `by Portkey ${theirs.toFixed(0)} us`,
        )
        if (round < LATENCY_WARM_UP) continue
        rounds.push([ours - commit, theirs].map(us => sampleOf(Math.max(us, 1))))
      }
      for (const load of loads) load.close()
    }
    return [findingOf(title, rounds, { names: ['host', 'Portkey'], subject: 0, control: 1, target: LATENCY_TARGET })]
  },
}

/** One client makes too few requests for the optimizing compiler. */
async function warmUp(gateway: Gateway): Promise<void> {
  const load = await openClients(gateway, { chunkMs: 0 }, CLIENTS)
  await load.burst(WARM_UP_REQUESTS)
  load.close()
}

/** A bare commit is a row of one column, over a connection of its own. */
async function openCommits({ database }: BenchServer) {
  const sql = postgres({ path: `${database}/.s.PGSQL.5432`, database: 'postgres', user: DATABASE_USER, max: 1 })
  await sql`create table bench_commits (n int)`
  const burst = async () => {
    const startMs = performance.now()
    await sql`insert into bench_commits values (1)`
    return (performance.now() - startMs) / 1_000
  }
  return { burst, end: () => sql.end() }
}

/** In microseconds; one request to each in turn. */
async function medianTimes(loads: readonly { burst(count: number): Promise<number> }[]): Promise<number[]> {
  const times: number[][] = loads.map(() => [])
  for (let triple = 0; triple < TRIPLES; triple++) {
    for (const [at, load] of loads.entries()) times[at]?.push((await load.burst(1)) * 1_000_000)
  }
  return times.map(all => all.toSorted((a, b) => a - b)[TRIPLES / 2] as number)
}

const sampleOf = (value: number) => ({ perSecond: 1_000_000 / value, cpuUs: value })

const CHUNK_MS = 10
/** At most 1.3 times the cost. */
const STREAM_TARGET = 1 / 1.3

export const streams = streamBench(`a stream of ${CHUNKS} chunks, against a bare undici pipe, by CPU time`, false)
/** The bytes pass as they are. */
export const streamsWithUsage = streamBench('the same, for a client that asks for usage', true)

function streamBench(title: string, asksForUsage: boolean): OwnBench {
  return {
    measure: async () => {
      print(title)
      const kinds = ['host', 'pipe'] as const
      const asked = { chunkMs: CHUNK_MS, asksForUsage }
      const rounds = await alternate({ kinds, asked, count: 2 * CLIENTS, warmUp: 3, counted: 4 })
      return compared(title, rounds, [...kinds], STREAM_TARGET)
    },
  }
}

const STREAMS = 1_000
const STREAMS_CHUNK_MS = 500
const READS_MIN = 5
const MEMORY_MB = 300

export const openStreams: OwnBench = {
  measure: async () => {
    const title = `${STREAMS} open streams, resident memory that they add, against ${MEMORY_MB} MB`
    print(title)
    const rounds: Round[] = []
    for (let launch = 0; launch < LAUNCHES; launch++) {
      await using servers = new AsyncDisposableStack()
      const gateways = await startGateways(servers, ['host', 'pipe'])
      const added: number[] = []
      for (const gateway of gateways) added.push(await memoryOfStreams(gateway))
      print(`  host ${added[0]?.toFixed(0)} MB; pipe ${added[1]?.toFixed(0)} MB`)
      rounds.push([sampleOf(added[0] as number), sampleOf(MEMORY_MB)])
    }
    const names = ['host', 'limit']
    return [{ ...findingOf(title, rounds, { names, subject: 0, control: 1, target: 1 }), unit: 'MB' }]
  },
}

async function memoryOfStreams(gateway: Gateway): Promise<number> {
  const before = await openClients(gateway, { chunkMs: CHUNK_MS }, CLIENTS)
  await before.burst(2 * CLIENTS)
  before.close()
  const residentMB = async () => (await gateway.server.used()).residentBytes / 1024 / 1024
  const base = await residentMB()
  const reads = new Array<number>(STREAMS).fill(0)
  const load = await openClients(gateway, { chunkMs: STREAMS_CHUNK_MS }, STREAMS, at => {
    reads[at] = (reads[at] as number) + 1
  })
  const ended = load.burst(STREAMS).then(() => Promise.reject(new Error('the streams ended too early')))
  const opened = (async () => {
    while (reads.some(count => count < READS_MIN)) await wait(100)
  })()
  try {
    await Promise.race([opened, ended])
    return (await residentMB()) - base
  } finally {
    load.close()
  }
}

const print = (line: string) => process.stdout.write(`${line}\n`)
