// Webhooks: the host's deliveries per second, against a bare loop of undici that sends the same requests to the same
// receiver; and the delay of other deliveries while one endpoint hangs.
import { setTimeout as wait } from 'node:timers/promises'
import postgres from 'postgres'
import { Agent, request } from 'undici'
import { DATABASE_USER } from '../src/engines/db/embedded/server.ts'
import { type Finding, findingOf, type OwnBench, type Round } from './harness.ts'
import { databaseCpuUs } from './servers/database-cpu.ts'
import { type BenchServer, startServer } from './servers/start.ts'
import { type Answers, COUNTED, HANGING, monotonicMs, type Work } from './servers/webhook-wire.ts'

const SUBJECT = 'shop.order.created'

type Bed = {
  host: BenchServer
  receiver: BenchServer
  /** The database of the host. */
  sql: postgres.Sql
  call(key: string, method: 'POST' | 'DELETE', path: string, body?: object): Promise<{ id: string }>
  ask<Path extends keyof Answers>(path: Path, query?: string): Promise<Answers[Path]>
}

/** The receiver, and a host with that many organisations. */
async function openBed(servers: AsyncDisposableStack, organisations: number): Promise<Bed> {
  const receiver = servers.use(await startServer('webhook-receiver.ts'))
  const host = servers.use(await startServer('webhooks.ts', { args: [receiver.ca, String(organisations)] }))
  const dispatcher = servers.adopt(new Agent({ connect: { ca: host.ca }, headersTimeout: 0 }), agent => agent.destroy())
  const sql = servers.adopt(openDatabase(host), one => one.end())
  const send = async (url: string, options: Omit<NonNullable<Parameters<typeof request>[1]>, 'dispatcher'>) => {
    const { statusCode, body } = await request(url, { ...options, dispatcher })
    const text = await body.text()
    if (statusCode > 299) throw new Error(`${url} answered ${statusCode}: ${text}`)
    return text === '' ? null : JSON.parse(text)
  }
  return {
    ...{ host, receiver, sql },
    call: (key, method, path, body) => {
      const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
      return send(`https://127.0.0.1:${host.port}${path}`, {
        method,
        headers,
        body: body ? JSON.stringify(body) : null,
      })
    },
    ask: (path, query = '') => send(`https://127.0.0.1:${receiver.port}${path}${query}`, { method: 'GET' }),
  }
}

const openDatabase = ({ database }: BenchServer) =>
  postgres({ path: `${database}/.s.PGSQL.5432`, database: 'postgres', user: DATABASE_USER, max: 1, onnotice: () => {} })

async function newEndpoint({ call, receiver }: Bed, key: string, path: string, events = ['shop.>']): Promise<string> {
  const url = `https://127.0.0.1:${receiver.port}${path}`
  return (await call(key, 'POST', '/v1/webhooks', { url, events })).id
}

/** What an order may look like: the bodies of deliveries have about 700 bytes. */
const newEvent = (n: number, subject = SUBJECT) => ({
  event: 'order',
  subject,
  properties: {
    n,
    order: `ord_${n}`,
    customer: { id: 'cus_4vJ9mWcX2b', name: 'Ada Lovelace', city: 'Lyon', country: 'FR' },
    items: [
      { sku: 'walnut-desk', name: 'Walnut desk', count: 1, price: 129.5 },
      { sku: 'lamp', name: 'Lamp with a green shade', count: 2, price: 39 },
    ],
    total: 207.5,
    currency: 'EUR',
  },
})

const ENDPOINTS = 32
/** Deliveries to one endpoint at once: the default of STOA_WEBHOOKS_AT_ONCE. */
const AT_ONCE = 8
const BATCH = 50
const EVENTS = 10 * BATCH
const DELIVERIES = EVENTS * ENDPOINTS
/** Each launch is a new start of all servers. */
const LAUNCHES = 3
const WARM_UP = 1
const ROUNDS = 4
const FAN_OUT_TARGET = 0.6
const paths = Array.from({ length: ENDPOINTS }, (_, at) => `/fan-out/${at}`)

type Cost = { perSecond: number; cpuUs: number; databaseUs: number; receiverUs: number; allMs: number }

/** The time is that from the first arrival to the last, both at the receiver. CPU time is that of everything, with the
 *  ingest of the events and the outcomes that are written after the last arrival. */
async function costOf(bed: Bed, server: BenchServer, work: () => Promise<void>): Promise<Cost> {
  const databaseUs = () => (server.databasePid === undefined ? 0 : databaseCpuUs(server.databasePid))
  const used = async () => [await server.cpuUs(), databaseUs(), await bed.receiver.cpuUs()] as const
  await bed.ask('/reset')
  const before = await used()
  const fromMs = monotonicMs()
  await work()
  const allMs = monotonicMs() - fromMs
  const { firstMs, lastMs } = await bed.ask('/arrived', `?count=${DELIVERIES}`)
  const [cpuUs, ofDatabaseUs, receiverUs] = (await used()).map((us, at) => (us - (before[at] as number)) / DELIVERIES)
  return {
    perSecond: DELIVERIES / ((lastMs - firstMs) / 1000),
    cpuUs: cpuUs as number,
    databaseUs: ofDatabaseUs as number,
    receiverUs: receiverUs as number,
    allMs,
  }
}

/** Until the outcome of each delivery is written. */
async function deliver({ host, call, sql, ask }: Bed): Promise<void> {
  const key = host.keys?.[0] as string
  for (let from = 0; from < EVENTS; from += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, at) => newEvent(from + at))
    await call(key, 'POST', '/v1/event', { batch })
  }
  await ask('/arrived', `?count=${DELIVERIES}`)
  await allSent(sql)
  const [row] = await sql`select count(*) as n from webhook_attempts where status <> 'ok' or attempt > 1`
  if (Number(row?.n) > 0) throw new Error(`${row?.n} attempts failed`)
}

async function allSent(sql: postgres.Sql): Promise<void> {
  const isLeft = async () => (await sql`select from queue_jobs limit 1`).length > 0
  while (await isLeft()) await wait(5)
}

/** The requests of the control are those that the host sent last, with their signatures. */
async function workOf({ ask }: Bed): Promise<Work> {
  const { headers, body } = await ask('/last')
  const own = ['host', 'connection', 'content-length', 'transfer-encoding']
  const sent = Object.entries(headers).filter(([name]) => !own.includes(name)) as [string, string][]
  return { paths, count: DELIVERIES, atOnce: ENDPOINTS * AT_ONCE, headers: Object.fromEntries(sent), body }
}

async function loop(control: BenchServer, work: Work): Promise<void> {
  const url = `http://127.0.0.1:${control.port}`
  const { statusCode, body } = await request(url, { method: 'POST', body: JSON.stringify(work), headersTimeout: 0 })
  await body.text()
  if (statusCode !== 200) throw new Error(`the control answered ${statusCode}`)
}

async function fanOutRounds(servers: AsyncDisposableStack): Promise<Cost[][]> {
  const bed = await openBed(servers, 1)
  const origin = `https://127.0.0.1:${bed.receiver.port}`
  const control = servers.use(await startServer('webhook-loop.ts', { args: [bed.receiver.ca, origin] }))
  for (const path of paths) await newEndpoint(bed, bed.host.keys?.[0] as string, path)
  let work: Work | null = null
  const rounds: Cost[][] = []
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const ours = () => costOf(bed, bed.host, () => deliver(bed))
    const theirs = async () => {
      work ??= await workOf(bed)
      const sent = work
      return costOf(bed, control, () => loop(control, sent))
    }
    const first = await (round % 2 === 0 ? ours : theirs)()
    const second = await (round % 2 === 0 ? theirs : ours)()
    const costs: [Cost, Cost] = round % 2 === 0 ? [first, second] : [second, first]
    print(`  ${round < WARM_UP ? 'warm-up: ' : ''}host ${textOf(costs[0])}; loop ${textOf(costs[1])}`)
    if (round >= WARM_UP) rounds.push(costs)
  }
  const { connections } = await bed.ask('/arrived', '?count=0')
  print(`  ${connections} connections to the receiver in all`)
  return rounds
}

const textOf = ({ perSecond, cpuUs, databaseUs, receiverUs, allMs }: Cost) =>
  `${perSecond.toFixed(0)}/s, CPU ${cpuUs.toFixed(0)} us${databaseUs > 0 ? ` + PostgreSQL ${databaseUs.toFixed(0)} us` : ''}` +
  ` + receiver ${receiverUs.toFixed(0)} us, all in ${allMs.toFixed(0)} ms`

export const fanOut: OwnBench = {
  measure: async () => {
    const title = `deliveries to ${ENDPOINTS} endpoints, ${ENDPOINTS * AT_ONCE} at once, against a loop of undici, by time`
    print(title)
    const all: Cost[][] = []
    for (let launch = 0; launch < LAUNCHES; launch++) {
      await using servers = new AsyncDisposableStack()
      all.push(...(await fanOutRounds(servers)))
    }
    const rounds: Round[] = all.map(round => round.map(({ perSecond }) => sampleOf(1_000_000 / perSecond)))
    const median = (at: number, of: keyof Cost) => middleOf(all.map(round => (round[at] as Cost)[of])).toFixed(0)
    print(`  CPU time of a delivery, medians: host ${median(0, 'cpuUs')} us, PostgreSQL ${median(0, 'databaseUs')} us`)
    print(
      `  (receiver ${median(0, 'receiverUs')} us); loop ${median(1, 'cpuUs')} us (receiver ${median(1, 'receiverUs')} us)`,
    )
    return [findingOf(title, rounds, { names: ['host', 'loop'], subject: 0, control: 1, target: FAN_OUT_TARGET })]
  },
}

const sampleOf = (us: number) => ({ perSecond: 1_000_000 / us, cpuUs: us })

function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return ((sorted[(sorted.length - 1) >> 1] as number) + (sorted[sorted.length >> 1] as number)) / 2
}

const ALL = 100
const RUNS = 4
const RUN_MS = 15_000
const WARM_UP_MS = 8_000
/** Deliveries a second: some tenth of what the host can do. */
const STEADY = 200
/** Due at the endpoint that hangs when a run begins, so that all its slots are taken. */
const BACKLOG = 50
/** At most 1.3 times the time. */
const ISOLATION_TARGET = 1 / 1.3

export const isolation = isolationBench(10)
export const isolationWithin = isolationBench(1)

/** The hundredth endpoint, of the first organisation, answers in one run and hangs in the next. Only the others are
 *  counted. */
function isolationBench(organisations: number): OwnBench {
  return {
    measure: async (): Promise<Finding[]> => {
      const whose = organisations === 1 ? 'one organisation' : `${organisations} organisations`
      const title = `p95 from acceptance to arrival at ${ALL - 1} endpoints of ${whose}, while one hangs, against none`
      print(title)
      await using servers = new AsyncDisposableStack()
      const bed = await openBed(servers, organisations)
      const keys = bed.host.keys as string[]
      for (let at = 1; at < ALL; at++) await newEndpoint(bed, keys[at % organisations] as string, COUNTED)
      await timesOf(bed, WARM_UP_MS)
      const rounds: Round[] = []
      for (let run = 0; run < RUNS; run++) {
        const samples: Round = []
        for (const hangs of run % 2 === 0 ? [true, false] : [false, true]) {
          const times = await runWith(bed, hangs)
          print(`  ${hangs ? 'one hangs' : 'none hangs'}: ${timesText(times)}`)
          samples[hangs ? 0 : 1] = sampleOf(shareOf(times, 0.95) * 1_000)
        }
        rounds.push(samples)
      }
      const names = ['one hangs', 'none hangs']
      const found = findingOf(title, rounds, { names, subject: 0, control: 1, target: ISOLATION_TARGET })
      // The quartiles are of the ratios of runs beside each other; the verdict is by the ratio of the medians.
      const median = found.control.cpuUs / found.subject.cpuUs
      return [{ ...found, cpu: { ...found.cpu, median }, met: median >= ISOLATION_TARGET }]
    },
  }
}

const shareOf = (sorted: readonly number[], share: number) => sorted[Math.ceil(sorted.length * share) - 1] as number

const timesText = (times: readonly number[]) =>
  [0.5, 0.95, 0.99].map(share => `p${share * 100} ${shareOf(times, share).toFixed(1)} ms`).join(', ') +
  ` of ${times.length}`

async function runWith(bed: Bed, hangs: boolean): Promise<number[]> {
  const key = bed.host.keys?.[0] as string
  const id = await newEndpoint(bed, key, hangs ? HANGING : '/others', ['shop.>', 'backlog.>'])
  const batch = Array.from({ length: BACKLOG }, (_, n) => newEvent(n, 'backlog.created'))
  await bed.call(key, 'POST', '/v1/event', { batch })
  await wait(1_000)
  const times = await timesOf(bed, RUN_MS)
  await bed.call(key, 'DELETE', `/v1/webhooks/${id}`)
  await bed.ask('/release')
  await wait(1_000)
  return times
}

/** In milliseconds, from the answer to the request with the event until it is at the receiver; in order. */
async function timesOf({ host, call, ask }: Bed, durationMs: number): Promise<number[]> {
  await ask('/reset')
  const keys = host.keys as string[]
  const gapMs = (1_000 * (ALL / keys.length)) / STEADY
  const count = Math.floor(durationMs / gapMs)
  const acceptedMs: number[] = []
  const sending: Promise<void>[] = []
  const startMs = monotonicMs()
  for (let n = 0; n < count; n++) {
    await wait(Math.max(startMs + n * gapMs - monotonicMs(), 0))
    const sent = call(keys[n % keys.length] as string, 'POST', '/v1/event', newEvent(n))
    const accepted = sent.then(() => {
      acceptedMs[n] = monotonicMs()
    })
    sending.push(accepted)
  }
  await Promise.all(sending)
  const expected = sum(keys.map((_, at) => Math.ceil((count - at) / keys.length) * endpointsOf(at, keys.length)))
  let arrived = await ask('/counted')
  for (let tries = 0; arrived.length < expected; tries++) {
    if (tries === 100) throw new Error(`${arrived.length} of ${expected} deliveries arrived`)
    await wait(100)
    arrived = await ask('/counted')
  }
  return arrived.map(({ n, atMs }) => atMs - (acceptedMs[n] as number)).toSorted((a, b) => a - b)
}

const CALM_ORGS = 8
const MANY = 1_000
const STUCK = 400
const STORM_RUNS = 2
const STORM_MS = 12_000
/** At most three times the time. */
const STORM_TARGET = 1 / 3

/** One organisation with a thousand endpoints sends fifty events, and 400 endpoints of another one hang with something due.
 *  Only the deliveries of the others are counted, each with one endpoint and a few events a second. */
export const storm: OwnBench = {
  measure: async (): Promise<Finding[]> => {
    const title = `p95 of ${CALM_ORGS} organisations, while ${MANY * 50} deliveries of another are sent and ${STUCK} endpoints hang, against quiet`
    print(title)
    await using servers = new AsyncDisposableStack()
    const bed = await openBed(servers, CALM_ORGS + 2)
    const [many, stuck, ...calm] = bed.host.keys as [string, string, ...string[]]
    for (const key of calm) await newEndpoint(bed, key, COUNTED)
    for (let n = 0; n < MANY; n++) await newEndpoint(bed, many, '/others')
    for (let n = 0; n < STUCK; n++) await newEndpoint(bed, stuck, HANGING)
    await calmTimes(bed, calm, 4_000)
    const rounds: Round[] = []
    for (let run = 0; run < STORM_RUNS; run++) {
      const quiet = await calmTimes(bed, calm, STORM_MS)
      const batch = Array.from({ length: 50 }, (_, n) => newEvent(n))
      await bed.call(stuck, 'POST', '/v1/event', { batch })
      await wait(3_000)
      await bed.call(many, 'POST', '/v1/event', { batch })
      const stormy = await calmTimes(bed, calm, STORM_MS)
      print(`  quiet: ${timesText(quiet)}; storm: ${timesText(stormy)}`)
      rounds.push([stormy, quiet].map(times => sampleOf(shareOf(times, 0.95) * 1_000)))
      await bed.ask('/release')
      await allSent(bed.sql)
    }
    return [findingOf(title, rounds, { names: ['storm', 'quiet'], subject: 0, control: 1, target: STORM_TARGET })]
  },
}

/** One event of each organisation every 200 ms. */
async function calmTimes({ call, ask }: Bed, keys: readonly string[], durationMs: number): Promise<number[]> {
  await ask('/reset')
  const acceptedMs: number[] = []
  const sending: Promise<void>[] = []
  const gapMs = 200 / keys.length
  const startMs = monotonicMs()
  const count = Math.floor(durationMs / gapMs)
  for (let n = 0; n < count; n++) {
    await wait(Math.max(startMs + n * gapMs - monotonicMs(), 0))
    const sent = call(keys[n % keys.length] as string, 'POST', '/v1/event', newEvent(n))
    sending.push(
      sent.then(() => {
        acceptedMs[n] = monotonicMs()
      }),
    )
  }
  await Promise.all(sending)
  let arrived = await ask('/counted')
  for (let tries = 0; arrived.length < count && tries < 300; tries++) {
    await wait(100)
    arrived = await ask('/counted')
  }
  if (arrived.length < count) throw new Error(`${arrived.length} of ${count} deliveries arrived`)
  return arrived.map(({ n, atMs }) => atMs - (acceptedMs[n] as number)).toSorted((a, b) => a - b)
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** The counted deliveries, of one organisation. */
const endpointsOf = (at: number, organisations: number) => ALL / organisations - (at === 0 ? 1 : 0)

const print = (line: string) => process.stdout.write(`${line}\n`)
