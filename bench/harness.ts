// Measures a promise: a subject against its controls, in rounds that take turns, so that whatever else the machine does
// befalls all alike. A round's figure is the server's CPU time per request; requests per second are told beside it, but
// with the load on the same cores they measure the load as much as the server.
import { type Load, openLoad, type RequestLog } from './load.ts'
import type { BenchServer } from './servers/start.ts'

export type Contender = { name: string; server: BenchServer } & RequestLog
/** The subject must get by on the control's CPU time per request divided by `target`. */
export type Control = Contender & { target: number }
export type Trial = { subject: Contender; controls: Control[] }
/** Servers put into the stack are stopped when their rounds are over. A bench of slow requests has fewer in a round. */
export type Bench = { promise: string; requestsPerRound?: number; start(servers: AsyncDisposableStack): Promise<Trial> }

export type Quartiles = { q1: number; median: number; q3: number }
export type Finding = {
  promise: string
  subject: { name: string; cpuUs: number }
  control: { name: string; cpuUs: number }
  cpu: Quartiles
  wall: Quartiles
  target: number
  kept: boolean
}

type Sample = { perSecond: number; cpuUs: number }
/** One round of everybody: the subject, then the controls. */
type Round = Sample[]

/** The same program can run some percent faster or slower from one start to the next, depending on what the compiler
 *  made of it, so the servers are started more than once. */
const LAUNCHES = 4
/** An even number, so that everybody comes first as often as last. */
const ROUNDS_PER_LAUNCH = 4
/** Rounds of each launch that are not counted. With ROUND_REQUESTS they are 20,000 requests to everybody: the CPU time of
 *  a small one falls until about the 18,000th, with a peak around the 11,000th, alike on the host, Fastify and node:https.
 *  They take turns as the others do: warmed up one after the other in one process, the first was 15 % slower again in its
 *  first round. */
const WARM_UP_ROUNDS = 10
/** A number and not a time, so that a slow or busy machine warms up as much as a fast one. About a quarter of a second,
 *  which is short enough that what else the machine does befalls neighbours alike. */
const ROUND_REQUESTS = 2_000

export async function measure({ promise, requestsPerRound = ROUND_REQUESTS, start }: Bench): Promise<Finding[]> {
  say(`${promise}\n`)
  const rounds: Round[] = []
  let controls: Control[] = []
  let subject = ''
  for (let launch = 0; launch < LAUNCHES; launch++) {
    await using servers = new AsyncDisposableStack()
    const trial = await start(servers)
    rounds.push(...(await runRounds([trial.subject, ...trial.controls], requestsPerRound)))
    controls = trial.controls
    subject = trial.subject.name
  }
  const cpuUs = (at: number) => quartilesOf(rounds.map(round => round[at]!.cpuUs)).median
  return controls.map(({ name, target }, before) => {
    const at = before + 1
    const cpu = quartilesOf(rounds.map(round => round[at]!.cpuUs / round[0]!.cpuUs))
    const wall = quartilesOf(rounds.map(round => round[0]!.perSecond / round[at]!.perSecond))
    const names = { subject: { name: subject, cpuUs: cpuUs(0) }, control: { name, cpuUs: cpuUs(at) } }
    return { promise, ...names, cpu, wall, target, kept: cpu.median >= target }
  })
}

async function runRounds(contenders: Contender[], requestsPerRound: number): Promise<Round[]> {
  const rounds: Round[] = []
  const loads: Load[] = []
  try {
    for (let turn = 0; turn < WARM_UP_ROUNDS + ROUNDS_PER_LAUNCH; turn++) {
      const round: Round = []
      const order = [...contenders.keys()]
      if (turn % 2 === 1) order.reverse()
      for (const at of order) {
        const one = contenders[at]!
        // Opened right before its first use: a connection on which no request comes is closed.
        loads[at] ??= await openLoad({ ...one.server, ...one })
        round[at] = await runRound(one.server, loads[at], requestsPerRound)
      }
      if (turn < WARM_UP_ROUNDS) continue
      rounds.push(round)
      say(`  ${contenders.map(({ name }, at) => `${name}: ${tell(round[at]!)}`).join('; ')}\n`)
    }
  } finally {
    for (const load of loads) load.close()
  }
  return rounds
}

async function runRound(server: BenchServer, load: Load, requests: number): Promise<Sample> {
  const before = await server.cpuUs()
  const seconds = await load.burst(requests)
  const after = await server.cpuUs()
  return { perSecond: requests / seconds, cpuUs: (after - before) / requests }
}

function tell({ perSecond, cpuUs }: Sample): string {
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

const say = (text: string) => process.stdout.write(text)

/** A request as bytes, with the headers that common clients send. */
export function requestBytes(method: 'GET' | 'POST', path: string, { body = '', headers = {} }: Extras = {}): Buffer {
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
type Extras = { body?: string; headers?: Record<string, string> }
