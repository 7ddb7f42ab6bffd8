// Kills Stoa, its database or both while events arrive: each event that a receipt counts is stored and published exactly
// once, and every other event at most once.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { DATABASE_USER } from '../../src/engines/db/embedded/server.ts'
import { openPostgres, type PostgresOptions } from '../../src/engines/db/postgres.ts'
import type { Database, EventRow, RawEvent, RawPosition } from '../../src/engines/engines.ts'
import { seededRandom, systemRandom } from '../../src/engines/random/random.ts'
import { openWarehouse } from '../../src/engines/warehouse/warehouse.ts'
import { eventually } from '../eventually.ts'
import { externalPostgres } from '../external.ts'
import { counted, recount } from '../lenses/recount.ts'
import { client, firstRunOf, freshDirectory, killTree, type Started, start, up } from '../process.ts'
import { rounds } from './rounds.ts'

const ROUNDS = 50
const ROUNDS_LEAST = 10
/** Of the test with two processes. */
const DEATHS = 4
const SENDERS = 8
/** The most that one request may have. */
const EVENTS_MAX = 50
/** Requests that are answered in each round before the kill. */
const RECEIPTS_BEFORE_KILL = 10
/** The latest kill after those, in ms: a request takes about a tenth of this. */
const KILL_SPAN_MS = 200
/** Ids that requests partly repeat. The newest are still in flight in other requests. */
const RECENT = 300
const UNLIMITED = { STOA_EVENTS_PER_CLIENT: '999999', STOA_EVENTS_PER_PEER: '999999' }
const seed = process.env.STOA_CRASH_SEED ?? systemRandom.token(8)

const CREDENTIALS = ['secret', 'publishable'] as const
type Credential = (typeof CREDENTIALS)[number]
/** A running process, as its clients see it. */
type Target = Record<Credential, ReturnType<typeof client>>

/** The requests of the senders, and what they know of each id. Ids are not shared by the credentials, because an id of one
 *  does not make an event of the other a duplicate. */
function openBatches() {
  const random = seededRandom(seed)
  const below = (bound: number) => random.bytes(4).readUInt32LE() % bound
  const recent: Record<Credential, string[]> = { secret: [], publishable: [] }
  /** How many receipts counted the id. */
  const sent = new Map<string, number>()
  const counts = { receipts: 0, 'ids repeated': 0, 'cut off': 0, 'answered 503': 0, 'given up': 0 }

  function next(credential: Credential): string[] {
    const known = recent[credential]
    const isRepeating = below(3) === 0
    const ids = Array.from({ length: 1 + below(EVENTS_MAX) }, () => {
      if (isRepeating && known.length > 0 && below(2) === 0) {
        counts['ids repeated']++
        return known[below(known.length)] as string
      }
      const id = `${credential}-${sent.size}`
      sent.set(id, 0)
      known.push(id)
      return id
    })
    known.splice(0, known.length - RECENT)
    return ids
  }

  const receipted = (ids: readonly string[]) => {
    counts.receipts++
    for (const id of new Set(ids)) sent.set(id, (sent.get(id) as number) + 1)
  }
  return { below, next, receipted, sent, counts }
}

const NAMES = ['$pageview', '$pageview', '$identify', 'crash test', 'crash test']
const VISITORS = 40

/** Of several visitors, some of them identified, and out of order: up to five hours late. */
function eventOf(id: string) {
  const n = Number(id.split('-')[1])
  const [visitor, event] = [n % VISITORS, NAMES[n % NAMES.length] as string]
  return {
    ...{ event, messageId: id, anonymousId: `device-${visitor}`, properties: { id, path: `/p${n % 7}` } },
    ...((event === '$identify' || n % 3 === 0) && { distinctId: `user-${visitor}` }),
    timestamp: new Date(Date.now() - ((n * 37) % 300) * 60_000).toISOString(),
  }
}

/** What undici reports of a connection that broke, or that was refused because the process is gone. */
const CUT_OFF = ['UND_ERR_SOCKET', 'UND_ERR_DESTROYED', 'UND_ERR_CLOSED', 'ECONNRESET', 'ECONNREFUSED', 'EPIPE']

type Load = ReturnType<typeof openLoad>

/** Senders that run until `finish`, also while processes die. `targets` holds null for a process that does not run. */
function openLoad(t: TestContext, targets: readonly (Target | null)[]) {
  const batches = openBatches()
  const { below, counts } = batches
  /** Receipts by target. */
  const receiptsFrom = targets.map(() => 0)
  let isOver = false
  let failure: unknown = null
  t.after(() => {
    failure ??= new Error('the test has ended')
  })

  /** That process, or another one if it does not run. */
  async function running(wanted: number): Promise<{ target: Target; at: number }> {
    for (; failure === null; await wait(5)) {
      for (const shift of targets.keys()) {
        const at = (wanted + shift) % targets.length
        const target = targets[at]
        if (target) return { target, at }
      }
    }
    throw failure
  }

  /** True if there is a receipt. Anything but 200 and 503 is a defect: the client would not send these events again. */
  async function isReceipted(ids: readonly string[], credential: Credential, wanted: number): Promise<boolean> {
    const { target, at } = await running(wanted)
    const answer = await target[credential].call('POST /v1/event', ids.map(eventOf)).catch(error => {
      if (!CUT_OFF.includes(error.code)) throw error
      counts['cut off']++
    })
    if (!answer) return false
    const { status, headers, body } = answer
    if (status === 503) {
      counts['answered 503']++
      assert.ok(headers['retry-after'], `503 without Retry-After: ${JSON.stringify(body)}`)
      return false
    }
    assert.deepEqual([status, body], [200, { accepted: ids.length, dropped: 0 }])
    receiptsFrom[at]!++
    batches.receipted(ids)
    return true
  }

  async function sendAll(sender: number): Promise<void> {
    const credential = CREDENTIALS[sender % 2] as Credential
    while (!isOver && failure === null) {
      const ids = batches.next(credential)
      // A client that ends after its request never sends its events again.
      const triesMax = below(8) === 0 ? 1 : Number.POSITIVE_INFINITY
      let tries = 0
      // Half of the senders of each credential begin with each process, and go to the other one after a failure.
      while (!(await isReceipted(ids, credential, (sender >> 1) + tries))) {
        if (++tries >= triesMax || failure !== null) {
          counts['given up']++
          break
        }
        await wait(20 + below(40))
      }
    }
  }

  const senders = Array.from({ length: SENDERS }, (_, sender) =>
    sendAll(sender).catch(error => {
      failure ??= error
    }),
  )
  const throwFailure = () => {
    if (failure !== null) throw failure
  }
  return {
    ...batches,
    /** Waits until that process, or any, has answered so many more requests with receipts. */
    receipts: async (count: number, at?: number) => {
      const total = () => (at === undefined ? counts.receipts : (receiptsFrom[at] as number))
      const before = total()
      await eventually(total, now => {
        throwFailure()
        return now >= before + count
      })
    },
    /** Waits until every request has its receipt, but for those that were given up. */
    finish: async () => {
      isOver = true
      await Promise.all(senders)
      throwFailure()
    },
  }
}

/** The ids that clients sent, by the event's own id. */
type Found = { id: string; sent: string }

/** Compares the tables with what the clients know. */
async function assertExactlyOnce(t: TestContext, at: PostgresOptions['at'], load: Load): Promise<void> {
  const { sent, counts } = load
  const db = openPostgres({ at, connectionsMax: 1, queueMax: 10 })
  const published = await db<Found>`select envelope::json->>'id' as id, envelope::json->'data'->>'messageId' as sent
    from bus_log where ingested is not null`
  // A consumer appends them to the warehouse.
  const stored = await eventually(
    () => db<Found>`select id, properties->>'id' as sent from events`,
    found => found.length >= published.length,
  )
  await assertCounted(db)
  const [deduplicated] = await db<{ count: number }>`select count(*) as count from event_ids`
  await db.close()

  const receipted = [...sent].filter(([, receipts]) => receipts > 0).map(([id]) => id)
  for (const [place, found] of Object.entries({ stored, published })) {
    const ids = new Set<string>()
    const twice = found.filter(one => ids.size === ids.add(one.sent).size)
    const lost = receipted.filter(id => !ids.has(id))
    assert.deepEqual(lost.slice(0, 10), [], `${lost.length} of ${receipted.length} receipted events are not ${place}`)
    assert.deepEqual(twice.slice(0, 10), [], `${twice.length} events are ${place} more than once`)
    const unknown = found.filter(one => !sent.has(one.sent))
    assert.deepEqual(unknown.slice(0, 10), [], `${unknown.length} events were never sent and are ${place}`)
  }
  const texts = (found: readonly Found[]) => found.map(one => `${one.sent} ${one.id}`).sort()
  assert.deepEqual(texts(stored), texts(published), 'the table and the bus have the same events')
  assert.equal(deduplicated?.count, stored.length, 'each stored event has its id for deduplication')

  const summary = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  t.diagnostic(`requests: ${summary.join(', ')}`)
  const others = stored.length - receipted.length
  t.diagnostic(`${receipted.length} ids of ${sent.size} receipted, 0 lost, 0 twice; ${others} landed without a receipt`)
  assert.ok(counts.receipts > 100, 'too few requests for this test')
  assert.ok(counts['ids repeated'] > 100, 'too few repeated ids for this test')
}

/** Compares the lenses with a recount of the rows. */
async function assertCounted(db: Database): Promise<void> {
  const { lenses } = openWarehouse()
  const of = { org: 'home', scopes: [''], fromMs: Date.now() - 86_400_000, toMs: Date.now() + 900_000, where: [] }
  const chosen = { ...of, fromMs: of.fromMs - (of.fromMs % 900_000), toMs: of.toMs - (of.toMs % 900_000) }
  const rows: (EventRow & { arrival: number })[] = []
  for (let last: RawPosition | null = null; ; ) {
    const page: RawEvent[] = await lenses.rows(db, chosen, last, 2_000)
    rows.push(...page.map(rawRow))
    last = page.at(-1) ?? null
    if (last === null) break
  }
  const all = counted(rows.sort((a, b) => a.arrival - b.arrival))
  const { visitors, revenue: _, usage: __, ...totals } = await lenses.figures(db, chosen)
  const expected = recount(all, chosen.fromMs, chosen.toMs)
  assert.deepEqual({ ...totals, visitors: visitors.count }, expected)
  assert.ok(expected.visitors >= VISITORS && expected.sessions > expected.visitors)
  for (const { value, visitors: found, events } of (await lenses.top(db, chosen, 'path', 10)).values) {
    const own = all.filter(({ path }) => path === value)
    assert.deepEqual([found.count, events], [new Set(own.map(({ who }) => who)).size, own.length])
  }
}

/** As it was before it was counted. */
function rawRow({ session: _, ...row }: RawEvent): EventRow & { arrival: number } {
  const { event, distinctId, anonymousId } = row
  const join = event === '$identify' ? { id: anonymousId as string, to: distinctId as string } : null
  return { ...row, org: 'home', isClamped: false, visitor: distinctId ?? (anonymousId as string), join }
}

function targetOf(data: string, baseUrl: string, { secret, publishable }: Record<Credential, string>): Target {
  return { secret: client(data, baseUrl, secret), publishable: client(data, baseUrl, publishable) }
}

/** Its process is dead, or receives nothing any more. */
async function closeTarget(targets: (Target | null)[], at: number): Promise<void> {
  const target = targets[at]
  targets[at] = null
  if (target) await Promise.all(CREDENTIALS.map(credential => target[credential].close()))
}

async function keysOf(data: string, baseUrl: string): Promise<Record<Credential, string>> {
  const secret = firstRunOf(data).home.key
  const { call, close } = client(data, baseUrl, secret)
  const { status, body } = await call('POST /v1/account/keys', { name: 'Web', type: 'publishable' })
  assert.equal(status, 201, JSON.stringify(body))
  await close()
  return { secret, publishable: body.key }
}

/** Log lines that must not occur: failed starts and errors. */
function assertNone({ errors }: Started, unwanted: RegExp): void {
  assert.deepEqual(
    errors()
      .split('\n')
      .filter(line => unwanted.test(line)),
    [],
  )
}

function postmasterOf(data: string): number {
  return Number(readFileSync(join(data, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
}

/** The process of a connection of the database, if possible of one that is writing. */
function connectionOf(data: string): number {
  const connections = readdirSync('/proc').flatMap(pid => {
    try {
      if (!/^\d+$/.test(pid) || readlinkSync(`/proc/${pid}/cwd`) !== join(data, 'postgres')) return []
      const title = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      return title.startsWith(`postgres: ${DATABASE_USER} `) ? [{ pid: Number(pid), title }] : []
    } catch {
      return [] // It has ended.
    }
  })
  const writing = connections.find(({ title }) => /INSERT|COMMIT|in transaction/.test(title))
  return (writing ?? connections[0])?.pid as number
}

/** The processes to kill, in turn. Stoa restarts its database by itself, and the database its connections. */
const VICTIMS = ['everything', 'a connection', 'the process', 'the database', 'everything'] as const

describe(`kill -9 while events arrive (repeat with STOA_CRASH_SEED=${seed})`, () => {
  it('loses and doubles nothing', { timeout: 1_200_000 }, async t => {
    const data = freshDirectory(t)
    const settings = { STOA_DATA: data, ...UNLIMITED }
    let running = start(settings)
    let baseUrl = await up(running)
    const keys = await keysOf(data, baseUrl)
    const targets: [Target | null] = [targetOf(data, baseUrl, keys)]
    const load = openLoad(t, targets)

    async function startAgain(): Promise<void> {
      assertNone(running, /^stoa: /) // Background work may log that the database is gone.
      await closeTarget(targets, 0)
      running = start(settings)
      baseUrl = await up(running)
      targets[0] = targetOf(data, baseUrl, keys)
    }
    let kills = 0
    for (const round of rounds(ROUNDS, ROUNDS_LEAST)) {
      kills++
      const victim = VICTIMS[round % VICTIMS.length]
      await load.receipts(RECEIPTS_BEFORE_KILL)
      await wait(load.below(KILL_SPAN_MS))
      if (victim === 'the database') process.kill(-postmasterOf(data), 'SIGKILL')
      else if (victim === 'a connection') process.kill(connectionOf(data), 'SIGKILL')
      else {
        if (victim === 'everything') await killTree(running, data)
        else running.child.kill('SIGKILL')
        await running.ended
        await startAgain()
      }
    }
    await load.finish()
    await killTree(running, data)
    await startAgain()

    const admin = client(data, baseUrl, firstRunOf(data).superadmin.key)
    assert.equal((await admin.call('GET /v1/o11y/consumers')).status, 200)
    await Promise.all([admin.close(), closeTarget(targets, 0)])
    const at = { socketDirectory: join(data, 'postgres'), database: 'postgres', user: DATABASE_USER }
    await assertExactlyOnce(t, at, load)
    t.diagnostic(`${kills} kills`)
    assert.ok(load.counts['cut off'] > kills, 'the kills cut off too few requests')
  })

  it('of one of two processes on one database loses and doubles nothing', { timeout: 1_200_000 }, async t => {
    const external = await externalPostgres()
    if ('missing' in external) return t.skip(external.missing)
    t.after(external.stop)
    const directories = [freshDirectory(t), freshDirectory(t)] as const
    const shared = { DATABASE_URL: external.url, STOA_ROOT_KEY: Buffer.alloc(32, 7).toString('base64'), ...UNLIMITED }
    const begin = (data: string) => start({ STOA_DATA: data, ...shared })
    const running = directories.map(begin)
    const urls = await Promise.all(running.map(up))
    const first = directories.findIndex(data => existsSync(join(data, 'first-run.json')))
    const keys = await keysOf(directories[first] as string, urls[first] as string)
    const targets: (Target | null)[] = directories.map((data, at) => targetOf(data, urls[at] as string, keys))
    const load = openLoad(t, targets)

    for (let death = 0; death < DEATHS; death++) {
      const [dying, other] = death % 2 === 0 ? [0, 1] : [1, 0]
      const data = directories[dying] as string
      await Promise.all([load.receipts(RECEIPTS_BEFORE_KILL, dying), load.receipts(RECEIPTS_BEFORE_KILL, other)])
      await wait(load.below(KILL_SPAN_MS))
      const dead = running[dying] as Started
      dead.child.kill('SIGKILL')
      await dead.ended
      assertNone(dead, /^(stoa: |\{"level":[56]0)/)
      await closeTarget(targets, dying)
      await load.receipts(RECEIPTS_BEFORE_KILL, other)
      running[dying] = begin(data)
      targets[dying] = targetOf(data, await up(running[dying]), keys)
    }
    await load.finish()
    for (const at of [0, 1]) await closeTarget(targets, at)
    for (const one of running) assertNone(one, /^(stoa: |\{"level":[56]0)/)
    await assertExactlyOnce(t, { url: external.url }, load)
    assert.ok(load.counts['cut off'] > DEATHS, 'the kills cut off too few requests')
  })
})
