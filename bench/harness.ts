// Measures a promise: a subject against its controls, in rounds that take turns, so that whatever else the machine does
// befalls all alike. A round's figure is the server's CPU time per request; requests per second are told beside it, but
// with the load on the same cores they measure the load as much as the server.
import { type Exchange, type Load, openLoad } from './load.ts'
import type { BenchServer } from './servers/start.ts'

export type Contender = { name: string; server: BenchServer } & Exchange
/** The subject must get by on the control's CPU time per request divided by `target`. */
export type Control = Contender & { target: number }
export type Trial = { subject: Contender; controls: Control[] }
/** Servers put into the stack are stopped when their rounds are over. Where requests are slow, warm-up and rounds last
 *  `longer` times as long, so that there are enough of them. */
export type Bench = { promise: string; longer?: number; start(servers: AsyncDisposableStack): Promise<Trial> }

export type Spread = { min: number; median: number; max: number }
export type Finding = {
  promise: string
  subject: { name: string; cpuUs: number }
  control: { name: string; cpuUs: number }
  cpu: Spread
  wall: Spread
  target: number
  kept: boolean
}

type Sample = { requests: number; perSecond: number; cpuUs: number }
/** One round of everybody: the subject, then the controls. */
type Round = Sample[]

/** The same program can run some percent faster or slower from one start to the next, depending on what the compiler
 *  made of it, so the servers are started more than once. */
const LAUNCHES = 2
const ROUNDS_PER_LAUNCH = 5
const ROUND_MS = 700
/** Long enough for the compiler to have seen everything that is hot. */
const WARM_UP_MS = 3_500

export async function measure({ promise, longer = 1, start }: Bench): Promise<Finding[]> {
  say(`${promise}\n`)
  const rounds: Round[] = []
  let controls: Control[] = []
  let subject = ''
  for (let launch = 0; launch < LAUNCHES; launch++) {
    await using servers = new AsyncDisposableStack()
    const trial = await start(servers)
    rounds.push(...(await runRounds([trial.subject, ...trial.controls], longer)))
    controls = trial.controls
    subject = trial.subject.name
  }
  const cpuUs = (at: number) => spreadOf(rounds.map(round => round[at]!.cpuUs)).median
  return controls.map(({ name, target }, before) => {
    const at = before + 1
    const cpu = spreadOf(rounds.map(round => round[at]!.cpuUs / round[0]!.cpuUs))
    const wall = spreadOf(rounds.map(round => round[0]!.perSecond / round[at]!.perSecond))
    const names = { subject: { name: subject, cpuUs: cpuUs(0) }, control: { name, cpuUs: cpuUs(at) } }
    return { promise, ...names, cpu, wall, target, kept: cpu.median >= target }
  })
}

async function runRounds(contenders: Contender[], longer: number): Promise<Round[]> {
  const rounds: Round[] = []
  const loads: Load[] = []
  try {
    for (const one of contenders) {
      // Opened right before its first use: a connection on which no request comes is closed.
      const load = await openLoad({ ...one.server, ...one })
      loads.push(load)
      await runRound(one.server, load, WARM_UP_MS * longer)
    }
    while (rounds.length < ROUNDS_PER_LAUNCH) {
      const round: Round = []
      const order = [...contenders.keys()]
      if (rounds.length % 2 === 1) order.reverse()
      for (const at of order) round[at] = await runRound(contenders[at]!.server, loads[at]!, ROUND_MS * longer)
      rounds.push(round)
      say(`  ${contenders.map(({ name }, at) => `${name}: ${tell(round[at]!)}`).join('; ')}\n`)
    }
  } finally {
    for (const load of loads) load.close()
  }
  return rounds
}

async function runRound(server: BenchServer, load: Load, ms: number): Promise<Sample> {
  const before = await server.cpuUs()
  const { requests, seconds } = await load.burst(ms)
  const after = await server.cpuUs()
  return { requests, perSecond: requests / seconds, cpuUs: (after - before) / requests }
}

function tell({ requests, perSecond, cpuUs }: Sample): string {
  return `${requests} requests, ${perSecond.toFixed(0)}/s, ${cpuUs.toFixed(1)} us`
}

function spreadOf(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
  return { min: sorted[0]!, median, max: sorted.at(-1)! }
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
