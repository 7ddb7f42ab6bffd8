// Measures a subject against its controls, in alternating rounds, so that other work on the machine affects all of them
// equally. The result of a round is the server's CPU time per request. Requests per second are printed too, but with
// the load generator on the same cores they measure that as much as the server.
import { type Load, openLoad, type Traffic } from './load.ts'
import { databaseCpuUs } from './servers/database-cpu.ts'
import type { BenchServer } from './servers/start.ts'

/** Over TLS unless it is `isPlain`. */
export type Contender = { name: string; server: BenchServer; isPlain?: true } & Traffic
/** The subject may use at most the control's CPU time per request divided by `target`. */
export type Control = Contender & { target: number }
export type Trial = { subject: Contender; controls: Control[] }
/** Servers put into the stack are stopped after their rounds. Benchmarks of slow requests use a smaller
 *  `requestsPerRound`. */
export type Bench = { title: string; requestsPerRound?: number; start(servers: AsyncDisposableStack): Promise<Trial> }

/** A benchmark that starts its servers and runs its rounds itself. */
export type OwnBench = { measure(): Promise<Finding[]> }

export type Quartiles = { q1: number; median: number; q3: number }
export type Finding = {
  title: string
  subject: { name: string; cpuUs: number }
  control: { name: string; cpuUs: number }
  cpu: Quartiles
  wall: Quartiles
  target: number
  met: boolean
  /** The unit of the two numbers, if not microseconds. */
  unit?: string
}

/** `databaseUs` is PostgreSQL's share, for servers that report their database. */
type Sample = { perSecond: number; cpuUs: number; databaseUs?: number }
/** One sample of each: the subject, then the controls. */
export type Round = Sample[]
export type RoundsOptions = { requests: number; warmUp: number; counted: number }

/** The same program can be some percent faster or slower from one start to the next, depending on the compiler's
 *  decisions, so the servers are started more than once. */
const LAUNCHES = 4
/** An even number, so that each runs first as often as last. */
const ROUNDS_PER_LAUNCH = 4
/** Rounds of each launch that are not counted. With ROUND_REQUESTS they are 20,000 requests to each server: the CPU
 *  time of a small request falls until about the 18,000th, with a peak around the 11,000th, on the host, Fastify and
 *  node:https alike. They alternate like the counted rounds: when several were warmed up one after the other in one
 *  process, the first was 15 % slower again in its first round. */
const WARM_UP_ROUNDS = 10
/** A number and not a time, so that a slow or busy machine warms up as much as a fast one. It takes about a quarter of
 *  a second, short enough that other work on the machine affects consecutive rounds equally. */
const ROUND_REQUESTS = 2_000

export async function measure({ title, requestsPerRound = ROUND_REQUESTS, start }: Bench): Promise<Finding[]> {
  print(`${title}\n`)
  const rounds: Round[] = []
  let controls: Control[] = []
  let names: string[] = []
  for (let launch = 0; launch < LAUNCHES; launch++) {
    await using servers = new AsyncDisposableStack()
    const trial = await start(servers)
    const options = { requests: requestsPerRound, warmUp: WARM_UP_ROUNDS, counted: ROUNDS_PER_LAUNCH }
    rounds.push(...(await runRounds([trial.subject, ...trial.controls], options)))
    controls = trial.controls
    names = [trial.subject, ...trial.controls].map(({ name }) => name)
  }
  return controls.map(({ target }, index) =>
    findingOf(title, rounds, { names, subject: 0, control: index + 1, target }),
  )
}

type Compared = {
  names: string[]
  subject: number
  control: number
  target: number
  /** The measure to compare instead of the total CPU time. */
  of?: 'databaseUs'
}

/** `subject` and `control` are indices into the names and the samples of each round. */
export function findingOf(
  title: string,
  rounds: readonly Round[],
  { names, subject, control, target, of: compared }: Compared,
): Finding {
  const usedUs = (sample: Sample) => sample[compared ?? 'cpuUs'] ?? Number.NaN
  const medianOf = (at: number) => ({
    name: names[at]!,
    cpuUs: quartilesOf(rounds.map(round => usedUs(round[at]!))).median,
  })
  const cpu = quartilesOf(rounds.map(round => usedUs(round[control]!) / usedUs(round[subject]!)))
  const wall = quartilesOf(rounds.map(round => round[subject]!.perSecond / round[control]!.perSecond))
  const met = cpu.median >= target
  return { title, subject: medianOf(subject), control: medianOf(control), cpu, wall, target, met }
}

export async function runRounds(contenders: Contender[], options: RoundsOptions): Promise<Round[]> {
  const rounds: Round[] = []
  const loads: Load[] = []
  try {
    for (let count = 0; count < options.warmUp + options.counted; count++) {
      const round: Round = []
      const order = [...contenders.keys()]
      if (count % 2 === 1) order.reverse()
      for (const at of order) {
        const contender = contenders[at]!
        // Opened right before its first use, because servers close connections without requests.
        loads[at] ??= await openLoad({ ...contender.server, ...contender })
        round[at] = await runRound(contender.server, loads[at], options.requests)
      }
      if (count < options.warmUp) continue
      rounds.push(round)
      print(`  ${contenders.map(({ name }, at) => `${name}: ${textOf(round[at]!)}`).join('; ')}\n`)
    }
  } finally {
    for (const load of loads) load.close()
  }
  return rounds
}

async function runRound(server: BenchServer, load: Load, requests: number): Promise<Sample> {
  const databaseUs = () => (server.databasePid === undefined ? Number.NaN : databaseCpuUs(server.databasePid))
  const before = { cpuUs: await server.cpuUs(), databaseUs: databaseUs() }
  const seconds = await load.burst(requests)
  const after = { cpuUs: await server.cpuUs(), databaseUs: databaseUs() }
  return {
    perSecond: requests / seconds,
    cpuUs: (after.cpuUs - before.cpuUs) / requests,
    databaseUs: (after.databaseUs - before.databaseUs) / requests,
  }
}

function textOf({ perSecond, cpuUs }: Sample): string {
  return `${cpuUs.toFixed(1)} us, ${perSecond.toFixed(0)}/s`
}

function quartilesOf(values: number[]): Quartiles {
  const sorted = values.toSorted((a, b) => a - b)
  const valueAt = (share: number) => {
    const at = (sorted.length - 1) * share
    const [below, above] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!]
    return below + (above - below) * (at % 1)
  }
  return { q1: valueAt(0.25), median: valueAt(0.5), q3: valueAt(0.75) }
}

const print = (text: string) => process.stdout.write(text)

/** A request as bytes, with the headers that common clients send. */
export function requestBytes(
  method: 'GET' | 'POST',
  path: string,
  { body = '', headers = {} }: RequestParts = {},
): Buffer {
  const lines = Object.entries({
    host: 'localhost',
    connection: 'keep-alive',
    accept: '*/*',
    'user-agent': 'stoa-bench',
    ...(body !== '' && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}

type RequestParts = { body?: string; headers?: Record<string, string> }
