// Kills Stoa, with or without its database, while webhooks are delivered: each acknowledged event has one delivery per
// matching endpoint, every attempt is recorded before it is sent, and every delivery ends.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { DATABASE_USER } from '../../src/engines/db/embedded/server.ts'
import { openPostgres } from '../../src/engines/db/postgres.ts'
import { seededRandom, systemRandom } from '../../src/engines/random/random.ts'
import { eventually } from '../eventually.ts'
import { client, firstRunOf, freshDirectory, killTree, type Started, start, up } from '../process.ts'
import { startReceiver } from '../webhook-receiver.ts'
import { rounds } from './rounds.ts'

const KILLS = 30
const KILLS_LEAST = 6
/** In every third round the process lives until it has taken over the endpoints of processes that were killed, which takes
 *  up to 40 s. In the others it sends to a new endpoint only, because the older ones are still held by the dead. */
const PATIENT_EVERY = 3
const SENDERS = 6
const SENDERS_PAUSE_MS = { patient: 600, quick: 60 }
/** POSTs to the new endpoint before a kill: fewer than these. */
const POSTS_BEFORE_KILL = 60
/** The latest kill after those. */
const KILL_SPAN_MS = 300
const ANSWER_SPAN_MS = 50
/** One in so many deliveries is answered late. */
const LATE_EVERY = 30
const LATE_MS = 2_000
const ATTEMPTS_MAX = 3
const UNLIMITED = { STOA_EVENTS_PER_CLIENT: '999999', STOA_EVENTS_PER_PEER: '999999' }
const seed = process.env.STOA_CRASH_SEED ?? systemRandom.token(8)

/** A received POST. `event` and `n` are null if the process died in the middle of the body. */
type Post = { path: string; delivery: string; event: string | null; n: number | null; atMs: number; status: number }
type Endpoint = { id: string; path: string; deliveries7d: number; failures7d: number }
/** An attempt as the API lists it. */
type Row = {
  delivery: string
  attempt: number
  status: 'ok' | 'retrying' | 'failed'
  httpStatus?: number
  error?: string
  created: string
}
type Stored = { id: string; webhook: string; outcome: string; body: string }
type Client = ReturnType<typeof client>

const below = (() => {
  const random = seededRandom(seed)
  return (bound: number) => random.bytes(4).readUInt32LE() % bound
})()

/** Answers after up to 50 ms, and to a few deliveries so late that several kills interrupt them. Until it is lenient, it
 *  answers 500 to the first POSTs of some deliveries, also to all three of a few. */
async function openReceiver(t: TestContext) {
  // Its connections stay open, so that each attempt that is not cut off by a kill is answered.
  const receiver = await startReceiver({ keepAliveTimeout: 600_000 })
  t.after(receiver.close)
  const posts: Post[] = []
  /** How it treats a delivery: how many more POSTs it refuses, and whether it answers late. */
  const treated = new Map<string, { refusals: number; isLate: boolean }>()
  const newTreatment = () => {
    return { refusals: [0, 0, 0, 0, 0, 0, 0, 1, 2, 3][below(10)]!, isLate: below(LATE_EVERY) === 0 }
  }
  const state = { isLenient: false }
  receiver.state.answer = async (response, { path, headers, body }) => {
    receiver.received.length = 0
    const atMs = Date.now()
    const delivery = String(headers['x-webhook-delivery'])
    const treatment = treated.get(delivery) ?? newTreatment()
    treated.set(delivery, treatment)
    const status = treatment.refusals-- > 0 && !state.isLenient ? 500 : 200
    posts.push({ path, delivery, ...eventIn(body), atMs, status })
    await wait(treatment.isLate && !state.isLenient ? LATE_MS : below(ANSWER_SPAN_MS))
    response.writeHead(status).end('noted')
  }
  const countOf = (path: string) => posts.filter(post => post.path === path).length
  return { url: receiver.url, posts, state, countOf }
}

function eventIn(body: string): { event: string | null; n: number | null } {
  if (body === '') return { event: null, n: null }
  const { id, data } = JSON.parse(body)
  return { event: id, n: data.properties.n }
}

/** What undici reports of a connection that broke, or that was refused because the process is gone. */
const CUT_OFF = ['UND_ERR_SOCKET', 'UND_ERR_DESTROYED', 'UND_ERR_CLOSED', 'ECONNRESET', 'ECONNREFUSED', 'EPIPE']

/** Each event is sent once, and has a number of its own. `acknowledged` has the round of each that was answered with 200. */
function openSenders() {
  const acknowledged = new Map<number, number>()
  const counts = { sent: 0, cutOff: 0 }

  async function sendOne(call: Client['call'], round: number): Promise<void> {
    const n = counts.sent++
    const body = { event: 'order', subject: `shop.round${round}.created`, properties: { n } }
    const answer = await call('POST /v1/event', body).catch(error => {
      if (!CUT_OFF.includes(error.code)) throw error
      counts.cutOff++
    })
    if (!answer) return
    assert.deepEqual([answer.status, answer.body], [200, { accepted: 1, dropped: 0 }])
    acknowledged.set(n, round)
  }

  /** Sends until `isOver`. */
  async function sendAll(call: Client['call'], round: number, pauseMs: number, over: { isOver: boolean }) {
    const senders = Array.from({ length: SENDERS }, async () => {
      while (!over.isOver) {
        await sendOne(call, round)
        await wait(below(pauseMs))
      }
    })
    await Promise.all(senders)
  }
  return { acknowledged, counts, sendAll }
}

async function newEndpoint(call: Client['call'], url: string, events: string[]): Promise<void> {
  const { status, body } = await call('POST /v1/webhooks', { url, events })
  assert.equal(status, 201, JSON.stringify(body))
}

/** Every page of a listing. */
async function all<T>(call: Client['call'], path: string): Promise<T[]> {
  const found: T[] = []
  for (let after = ''; ; ) {
    const { status, body } = await call(`GET ${path}?limit=200&after=${after}`)
    assert.equal(status, 200, JSON.stringify(body))
    found.push(...body.data)
    after = body.next
    if (after === '') return found
  }
}

async function endpointsOf(call: Client['call']): Promise<Endpoint[]> {
  const endpoints = await all<Endpoint & { url: string }>(call, '/v1/webhooks')
  return endpoints.map(one => ({ ...one, path: new URL(one.url).pathname }))
}

/** Waits until every event is consumed and every delivery has ended, and returns all deliveries. */
async function endedDeliveries(data: string, admin: Client): Promise<Stored[]> {
  await eventually(
    async () => {
      await wait(100)
      const { consumers } = (await admin.call('GET /v1/o11y/consumers')).body
      return consumers.find((one: { name: string }) => one.name === 'webhooks.fan-out')
    },
    ({ behindSince, waiting }) => behindSince === undefined && waiting === 0,
  )
  const at = { socketDirectory: join(data, 'postgres'), database: 'postgres', user: DATABASE_USER }
  const db = openPostgres({ at, connectionsMax: 1, queueMax: 10 })
  await eventually(
    async () => {
      await wait(100)
      return (await db<{ left: number }>`select count(*) as left from queue_jobs`)[0]?.left
    },
    left => left === 0,
  )
  const stored = await db<Stored>`select a.delivery as id, a.webhook, a.status as outcome, e.body
    from webhook_attempts as a join webhook_events as e on e.id = a.event where a.status <> 'retrying'`
  await db.close()
  return stored
}

const isInterrupted = ({ error = '' }: Row) => error.startsWith('It was interrupted')

/** Errors in a delivery's attempts, in order, and in the POSTs that the receiver got of it. Attempts do not overlap, so
 *  a POST belongs to the last attempt recorded before it. `lifeOf` returns the process it was sent by. */
function faultsIn(rows: readonly Row[], posts: readonly Post[], lifeOf: (atMs: number) => number, lastLife: number) {
  const faults: string[] = []
  const claim = (isTrue: boolean, text: string) => void (isTrue || faults.push(text))
  const startsMs = rows.map(({ created }) => Date.parse(created))
  const ofRows = rows.map((_, at) =>
    posts.filter(({ atMs }) => atMs >= startsMs[at]! && atMs < (startsMs[at + 1] ?? Number.POSITIVE_INFINITY)),
  )
  claim(rows.length <= ATTEMPTS_MAX && posts.length <= rows.length, `${posts.length} POSTs, ${rows.length} attempts`)
  claim(ofRows.flat().length === posts.length, 'a POST came before an attempt was recorded')
  for (const [at, row] of rows.entries()) {
    const [post, second] = ofRows[at]!
    const isLast = at === rows.length - 1
    claim(row.attempt === at + 1, `attempt ${row.attempt} is the ${at + 1}th`)
    claim((row.status === 'retrying') !== isLast, `attempt ${row.attempt} of ${rows.length} is ${row.status}`)
    claim(row.status !== 'failed' || row.attempt === ATTEMPTS_MAX, `it failed after ${row.attempt} attempts`)
    claim(second === undefined, `attempt ${row.attempt} was sent twice`)
    if (isInterrupted(row)) {
      const life = lifeOf(startsMs[at]!)
      claim(row.status !== 'ok' && row.httpStatus === undefined, 'an interrupted attempt has an outcome')
      claim(life < lastLife, `attempt ${row.attempt} is interrupted and its process was not killed`)
      claim(isLast || lifeOf(startsMs[at + 1]!) > life, `attempt ${row.attempt} is interrupted before its process died`)
    } else {
      claim(post?.status === row.httpStatus, `attempt ${row.attempt} has ${row.httpStatus}, ${row.error}`)
      claim((row.status === 'ok') === (row.httpStatus === 200), `${row.httpStatus} is ${row.status}`)
    }
  }
  return faults
}

/** The counts of the endpoint checks. A failed delivery may have arrived: the outcome of an interrupted attempt is
 *  unknown. */
const newTotals = () => {
  const failed = { failed: 0, 'failed and answered 200': 0, 'failed by 3 interruptions': 0, 'failed, never arrived': 0 }
  return { deliveries: 0, attempts: 0, interrupted: 0, 'answered 200 twice or more': 0, ...failed }
}
type Totals = ReturnType<typeof newTotals>
type Seen = { posts: readonly Post[]; lifeOf: (atMs: number) => number; lastLife: number; totals: Totals }

/** Compares what was stored, what is listed and what the receiver got. `wanted` are the numbers of the events that were
 *  acknowledged. */
function checkEndpoint(endpoint: Endpoint, rows: Row[], stored: Stored[], wanted: number[], seen: Seen): void {
  const { lifeOf, lastLife, totals } = seen
  const rowsBy = Map.groupBy(
    rows.toSorted((a, b) => a.attempt - b.attempt),
    ({ delivery }) => delivery,
  )
  const posts = seen.posts.filter(({ path }) => path === endpoint.path)
  const postsBy = Map.groupBy(posts, ({ delivery }) => delivery)
  const events = new Map(stored.map(one => [one.id, eventIn(one.body)]))

  const numbers = new Set([...events.values()].map(({ n }) => n))
  const lost = wanted.filter(n => !numbers.has(n))
  assert.deepEqual(lost.slice(0, 10), [], `${lost.length} of ${wanted.length} events have no delivery`)
  assert.equal(numbers.size, stored.length, 'an event has two deliveries')
  assert.equal(new Set([...events.values()].map(({ event }) => event)).size, stored.length)
  const others = posts.filter(({ delivery, event }) => event !== null && event !== events.get(delivery)?.event)
  assert.deepEqual(others.slice(0, 10), [], `${others.length} POSTs have another delivery id than their event`)
  assert.deepEqual([...rowsBy.keys()].sort(), [...events.keys()].sort(), 'each delivery is listed')

  const faults = stored.flatMap(({ id, outcome }) => {
    const [ofRows, ofPosts] = [rowsBy.get(id) ?? [], postsBy.get(id) ?? []]
    const found = faultsIn(ofRows, ofPosts, lifeOf, lastLife)
    if (ofRows.at(-1)?.status !== outcome) found.push(`its outcome is ${outcome}`)
    return found.map(text => `${id}: ${text}; ${JSON.stringify([ofRows, ofPosts])}`)
  })
  assert.deepEqual(faults.slice(0, 5), [], `${faults.length} faults in ${stored.length} deliveries`)
  const failed = stored.filter(({ outcome }) => outcome === 'failed')
  const counted = { deliveries7d: endpoint.deliveries7d, failures7d: endpoint.failures7d }
  assert.deepEqual(counted, { deliveries7d: stored.length, failures7d: failed.length })

  totals.deliveries += stored.length
  totals.attempts += rows.length
  totals.interrupted += rows.filter(isInterrupted).length
  totals.failed += failed.length
  for (const { id, outcome } of stored) {
    const ofPosts = postsBy.get(id) ?? []
    const answered = ofPosts.filter(({ status }) => status === 200).length
    const interrupted = rowsBy.get(id)!.filter(isInterrupted).length
    if (answered > 1) totals['answered 200 twice or more']++
    if (outcome === 'ok') continue
    if (answered > 0) totals['failed and answered 200']++
    if (interrupted === ATTEMPTS_MAX) totals['failed by 3 interruptions']++
    if (ofPosts.length === 0) totals['failed, never arrived']++
  }
}

describe(`kill -9 while webhooks are delivered (repeat with STOA_CRASH_SEED=${seed})`, () => {
  it('loses no event, and records every attempt', { timeout: 1_200_000 }, async t => {
    const { url, posts, state, countOf } = await openReceiver(t)
    const { acknowledged, counts, sendAll } = openSenders()
    const data = freshDirectory(t)
    const ca = join(process.env.STOA_TEST_TLS as string, 'ca.pem')
    const settings = { STOA_DATA: data, STOA_OUTBOUND_ALLOW: '127.0.0.1', STOA_OUTBOUND_CA: ca, ...UNLIMITED }
    /** When the processes were dead. */
    const deathsMs: number[] = []

    /** In a patient round when deliveries of the round before are sent again, otherwise when some are sent. */
    async function momentOfKill(round: number, isPatient: boolean): Promise<void> {
      const path = `/round${isPatient ? round - 1 : round}`
      const before = countOf(path)
      const most = isPatient ? 1 : 1 + below(POSTS_BEFORE_KILL)
      await eventually(
        () => countOf(path),
        count => count >= before + most,
      )
      await wait(below(KILL_SPAN_MS))
    }

    async function kill(running: Started, round: number): Promise<void> {
      if (round % 2 === 0) await killTree(running, data)
      else running.child.kill('SIGKILL')
      await running.ended
      deathsMs.push(Date.now())
      assert.doesNotMatch(running.errors(), /^stoa: |was refused/m)
    }

    for (const round of rounds(KILLS, KILLS_LEAST)) {
      const running = start(settings)
      const { call, close } = client(data, await up(running), firstRunOf(data).home.key)
      if (round === 0) await newEndpoint(call, `${url}/all`, ['shop.>'])
      await newEndpoint(call, `${url}/round${round}`, [`shop.round${round}.>`])
      const isPatient = round % PATIENT_EVERY === PATIENT_EVERY - 1
      const over = { isOver: false }
      const sending = sendAll(call, round, SENDERS_PAUSE_MS[isPatient ? 'patient' : 'quick'], over)
      try {
        await Promise.race([sending, momentOfKill(round, isPatient)])
        await kill(running, round)
      } finally {
        over.isOver = true
      }
      await sending
      await close()
    }

    state.isLenient = true
    const last = start(settings)
    const baseUrl = await up(last)
    const admin = client(data, baseUrl, firstRunOf(data).superadmin.key)
    const home = client(data, baseUrl, firstRunOf(data).home.key)
    const stored = Map.groupBy(await endedDeliveries(data, admin), ({ webhook }) => webhook)
    const lifeOf = (atMs: number) => deathsMs.filter(deathMs => deathMs < atMs).length
    const seen = { posts, lifeOf, lastLife: deathsMs.length, totals: newTotals() }
    const endpoints = await endpointsOf(home.call)
    assert.equal(endpoints.length, deathsMs.length + 1)
    for (const endpoint of endpoints) {
      const rows = await all<Row>(home.call, `/v1/webhooks/${endpoint.id}/deliveries`)
      const wanted = [...acknowledged].filter(([, round]) => ['/all', `/round${round}`].includes(endpoint.path))
      const numbers = wanted.map(([n]) => n)
      checkEndpoint(endpoint, rows, stored.get(endpoint.id) ?? [], numbers, seen)
    }
    await Promise.all([admin.close(), home.close()])
    assert.doesNotMatch(last.errors(), /^stoa: |was refused/m)

    t.diagnostic(
      `${deathsMs.length} kills, ${acknowledged.size} of ${counts.sent} events acknowledged, ${counts.cutOff} cut off`,
    )
    t.diagnostic(`${posts.length} POSTs; ${JSON.stringify(seen.totals)}`)
    assert.ok(seen.totals.interrupted > deathsMs.length, 'the kills interrupted too few attempts')
    assert.ok(
      seen.totals['answered 200 twice or more'] > 0,
      'no delivery that had arrived was repeated; the test proved little',
    )
  })
})
