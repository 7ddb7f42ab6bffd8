// Event ingest: requests with 50 events against a bare COPY of the rows that ingest writes, while a consumer stores the events;
// requests with one event against the host's own echo; the rate at which events are stored within two seconds; and reading a
// backlog from the log while events arrive. All are compared by time, because PostgreSQL does the work.
import { randomUUID } from 'node:crypto'
import { finished } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import postgres from 'postgres'
import { DATABASE_USER } from '../src/engines/db/embedded/server.ts'
import { type Finding, findingOf, type OwnBench, type Round, requestBytes } from './harness.ts'
import { bodyOf, type Load, openLoad, type Script } from './load.ts'
import { ECHO_PATH } from './servers/echo.ts'
import { type BenchServer, startServer } from './servers/start.ts'

const EVENTS = 50
const REQUESTS = 200
const WARM_UP = 2
const ROUNDS = 8
/** Rows of one COPY; the committer writes about as many in one transaction. */
const COPY_ROWS = 1_000

type Sent = { messageId: string; event: string; distinctId: string; sessionId: string; properties: object }

const newEvent = (n: number): Sent => ({
  event: '$pageview',
  messageId: randomUUID(),
  distinctId: `user-${n}`,
  sessionId: `session-${n}`,
  properties: {
    $current_url: `https://shop.example.com/products/${n}`,
    $browser: 'Chrome',
    $os: 'Linux',
    $lib: 'web',
    $lib_version: '1.2.3',
    $screen_width: 1920,
    $referrer: 'https://www.example.com/',
    plan: 'pro',
    items: [1, 2, 3],
    title: 'A "quoted" title',
  },
})

const eventBatches = (count: number, size: number) =>
  Array.from({ length: count }, () => Array.from({ length: size }, (_, n) => newEvent(n)))

/** Each request is sent once, because a repeated event is not stored again. */
function requestsOf(batches: Sent[][], key: string): () => Buffer {
  const headers = { authorization: `Bearer ${key}` }
  const all = batches.map(batch => requestBytes('POST', '/v1/event', { headers, body: JSON.stringify({ batch }) }))
  return () => all.pop() as Buffer
}

const accepts = (count: number) => (bytes: Buffer) => {
  const body = bodyOf(bytes)
  if (body && !body.toString().startsWith(`{"accepted":${count},"dropped":0`)) throw new Error(body.toString())
  return body !== null
}

export const batches: OwnBench = {
  measure: async () => {
    const title = `ingest of ${EVENTS} events a request, against COPY of the same rows, by time`
    process.stdout.write(`${title}\n`)
    await using servers = new AsyncDisposableStack()
    const server = servers.use(await startServer('events.ts', { args: ['stores'] }))
    const sql = openDatabase(server)
    await prepareCopy(sql)
    const rounds: Round[] = []
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      const sent = eventBatches(REQUESTS, EVENTS)
      const ours = await ingest(server, sent, EVENTS)
      const theirs = await copy(sql, sent.flat())
      const rows = REQUESTS * EVENTS
      const sample = (seconds: number) => ({ perSecond: rows / seconds, cpuUs: (seconds / rows) * 1_000_000 })
      process.stdout.write(`  ingest ${(rows / ours).toFixed(0)} rows/s; COPY ${(rows / theirs).toFixed(0)} rows/s\n`)
      if (round >= WARM_UP) rounds.push([sample(ours), sample(theirs)])
    }
    await sql.end()
    return [findingOf(title, rounds, { names: ['ingest', 'COPY'], subject: 0, control: 1, target: 0.7 })]
  },
}

async function ingest(server: BenchServer, sent: Sent[][], size: number): Promise<number> {
  const next = requestsOf(sent.slice(), server.key as string)
  const load = await openLoad({ ...server, script: () => ({ request: next, isComplete: accepts(size) }) })
  const seconds = await load.burst(sent.length)
  load.close()
  return seconds
}

const openDatabase = ({ database }: BenchServer) =>
  postgres({ path: `${database}/.s.PGSQL.5432`, database: 'postgres', user: DATABASE_USER, max: 1, onnotice: () => {} })

/** Tables like those that ingest writes, with their indexes. */
async function prepareCopy(sql: postgres.Sql): Promise<void> {
  await sql
    .unsafe(`
    create table copy_ids (like event_ids including all);
    create table copy_log (like bus_log_other including all);
    alter table copy_log alter position add generated always as identity`)
    .simple()
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\')

async function copy(sql: postgres.Sql, events: Sent[]): Promise<number> {
  const now = new Date().toISOString()
  const groups = Array.from({ length: Math.ceil(events.length / COPY_ROWS) }, (_, n) =>
    events.slice(n * COPY_ROWS, (n + 1) * COPY_ROWS),
  ).map(group => ({
    ids: group.map(({ messageId }) => `bench\t${messageId}\t${now}\n`).join(''),
    log: group
      .map(one => {
        const about = {
          specversion: '1.0',
          id: `evt_${one.messageId}`,
          source: 'https://localhost:8443',
          type: 'event.pageview',
        }
        const envelope = { ...about, time: now, tenant: 'bench', data: { timestamp: now, ...one } }
        const ingested = { wire: 'native', received: now, isClamped: false, fingerprint: null }
        return `3\tbench\tevent.pageview\t${escaped(JSON.stringify(envelope))}\t${JSON.stringify(ingested)}`
      })
      .join('\n'),
  }))
  const from = performance.now()
  for (const { ids, log } of groups) {
    await sql.begin(async tx => {
      await copyInto(tx, 'copy_ids (org, id, at)', ids)
      await copyInto(tx, 'copy_log (lane, tenant, subject, envelope, ingested)', `${log}\n`)
    })
  }
  return (performance.now() - from) / 1000
}

async function copyInto(tx: postgres.TransactionSql, into: string, rows: string): Promise<void> {
  const stream = await tx.unsafe(`copy ${into} from stdin`).writable()
  stream.end(rows)
  await finished(stream)
}

/** Enough for a few seconds: the optimizing compiler needs some ten thousand before times are steady. */
const SINGLE_REQUESTS = 8_000
const CLIENTS = 64

export const single: OwnBench = {
  measure: async () => {
    const title = `ingest of one event a request by ${CLIENTS} clients, against the host's echo, by time`
    process.stdout.write(`${title}\n`)
    await using servers = new AsyncDisposableStack()
    const server = servers.use(await startServer('events.ts'))
    const order = { name: 'Walnut desk', count: 2, price: 129.5, express: true, colour: 'green' }
    const echo = requestBytes('POST', ECHO_PATH, { body: JSON.stringify(order) })
    const echoed = { request: () => echo, isComplete: (bytes: Buffer) => bodyOf(bytes) !== null }
    const rounds: Round[] = []
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      const next = requestsOf(eventBatches(SINGLE_REQUESTS, 1), server.key as string)
      const ours = await burst(server, { request: next, isComplete: accepts(1) })
      const theirs = await burst(server, echoed)
      const sample = (seconds: number) => ({
        perSecond: SINGLE_REQUESTS / seconds,
        cpuUs: (seconds / SINGLE_REQUESTS) * 1_000_000,
      })
      process.stdout.write(
        `  ingest ${(SINGLE_REQUESTS / ours).toFixed(0)}/s; echo ${(SINGLE_REQUESTS / theirs).toFixed(0)}/s\n`,
      )
      if (round >= WARM_UP) rounds.push([sample(ours), sample(theirs)])
    }
    return [findingOf(title, rounds, { names: ['ingest', 'echo'], subject: 0, control: 1, target: 0.5 })]
  },
}

async function burst(server: BenchServer, script: Script): Promise<number> {
  const load: Load = await openLoad({ ...server, connections: CLIENTS, script: () => script })
  const seconds = await load.burst(SINGLE_REQUESTS)
  load.close()
  return seconds
}

/** Events per second, each for some seconds, until they are not stored within the time. */
const RATES = [1_000, 1_500, 2_000, 2_500, 3_000, 4_000, 5_000, 6_000, 8_000]
const [RATE_SECONDS, LAG_MAX_S] = [15, 2]
const RATE_LEAST = 1_000

export const sustained: OwnBench = {
  measure: async (): Promise<Finding[]> => {
    const title = `events per second that are in the lenses within ${LAG_MAX_S} s, for ${RATE_SECONDS} s`
    process.stdout.write(`${title}\n`)
    await using servers = new AsyncDisposableStack()
    const server = servers.use(await startServer('events.ts', { args: ['stores'] }))
    const sql = openDatabase(server)
    let best = 0
    for (const rate of RATES) {
      const { perSecond, lagS } = await ingestAt(server, sql, rate)
      process.stdout.write(`  ${perSecond.toFixed(0)}/s: at most ${lagS.toFixed(2)} s\n`)
      if (lagS > LAG_MAX_S) break
      best = perSecond
    }
    await sql.end()
    const rounds: Round[] = [[sampleOf(best), sampleOf(RATE_LEAST)]]
    return [findingOf(title, rounds, { names: ['ingest', `${RATE_LEAST}/s`], subject: 0, control: 1, target: 1 })]
  },
}

/** The longest time that an event waited to be stored: how long ago as many were accepted as are stored. */
async function ingestAt(server: BenchServer, sql: postgres.Sql, rate: number) {
  const stored = async () => Number((await sql`select count(*) as n from events`)[0]?.n)
  const before = await stored()
  const accepted: { at: number; count: number }[] = []
  const from = performance.now()
  let lagS = 0
  let total = 0
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const now = performance.now()
      const count = (await stored()) - before
      const oldest = accepted.find(one => one.count > count)
      if (oldest) lagS = Math.max(lagS, (now - oldest.at) / 1000)
      await wait(250)
    }
  })()
  for (let second = 0; second < RATE_SECONDS; second++) {
    for (let part = 1; part <= 5; part++) {
      const requests = Math.round(rate / 5 / EVENTS)
      await ingest(server, eventBatches(requests, EVENTS), EVENTS)
      total += requests * EVENTS
      accepted.push({ at: performance.now(), count: total })
      await wait(Math.max(0, from + (second + part / 5) * 1000 - performance.now()))
    }
  }
  const perSecond = (total / (performance.now() - from)) * 1000
  while ((await stored()) - before < total && lagS <= LAG_MAX_S) await wait(50)
  isOver = true
  await watching
  return { perSecond, lagS }
}

const BACKLOG = 1_000_000
const DRAIN_TARGET = 8_000

export const drain: OwnBench = {
  measure: async (): Promise<Finding[]> => {
    const title = `a backlog of ${BACKLOG} envelopes read while events arrive, events/s against ${DRAIN_TARGET}`
    process.stdout.write(`${title}\n`)
    await using servers = new AsyncDisposableStack()
    const server = servers.use(await startServer('events.ts', { args: [String(BACKLOG)] }))
    const sql = openDatabase(server)
    const handled = async () => Number((await sql`select coalesce(sum(count), 0) as n from handled`)[0]?.n)
    const rounds: Round[] = []
    for (let last = 0; last < BACKLOG; ) {
      const from = performance.now()
      // One request in 50 ms: a thousand events a second.
      const sending = Promise.all([ingest(server, eventBatches(20, EVENTS), EVENTS), wait(1_000)])
      await sending
      const now = await handled()
      const perSecond = (now - last) / ((performance.now() - from) / 1000)
      process.stdout.write(`  ${perSecond.toFixed(0)}/s\n`)
      if (last > 0) rounds.push([sampleOf(perSecond), sampleOf(DRAIN_TARGET)])
      last = now
    }
    await sql.end()
    return [findingOf(title, rounds, { names: ['bus', `${DRAIN_TARGET}/s`], subject: 0, control: 1, target: 1 })]
  },
}

const sampleOf = (perSecond: number) => ({ perSecond, cpuUs: 1_000_000 / perSecond })
