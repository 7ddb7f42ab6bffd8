// Sends generated events to two processes on one database, which are killed in turn, and compares every lens with a recount of
// the events that arrived. STOA_LENSES_EVENTS and STOA_LENSES_KILLS say how many: `STOA_LENSES_EVENTS=2000000 STOA_LENSES_KILLS=20`.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { openPostgres } from '../../src/engines/db/postgres.ts'
import type { EventRow, RawEvent, RawPosition } from '../../src/engines/engines.ts'
import { openWarehouse } from '../../src/engines/warehouse/warehouse.ts'
import { eventually } from '../eventually.ts'
import { externalPostgres } from '../external.ts'
import { assertLenses, type Lens } from '../lenses/assert.ts'
import { generate } from '../lenses/generate.ts'
import { type Counted, counted } from '../lenses/recount.ts'
import { client, firstRunOf, freshDirectory, type Started, start, up } from '../process.ts'

const EVENTS = Number(process.env.STOA_LENSES_EVENTS ?? 20_000)
const KILLS = Number(process.env.STOA_LENSES_KILLS ?? 4)
const VISITORS = Math.ceil(EVENTS / 40)
const DAYS = 30
const DAY_MS = 86_400_000
const [SENDERS, EVENTS_MAX] = [8, 50]
const ZONE = 'Europe/Vienna'
const UNLIMITED = { STOA_EVENTS_PER_CLIENT: '999999', STOA_EVENTS_PER_PEER: '999999', STOA_LOG_MAX_GB: '50' }
// All of the events are in memory.
setFlagsFromString('--max-old-space-size=14000')

/** As an SDK sends it. */
function bodyOf(row: EventRow) {
  const { event, id, distinctId, anonymousId, sessionId, timestamp, revenue, currency, fingerprint } = row
  const { path, source, campaign, country, device, browser, system, release } = row
  const properties = {
    ...JSON.parse(row.properties),
    sent: id,
    ...{ $pathname: path, utm_source: source, $geoip_country_code: country, $device_type: device, $browser: browser },
    ...{ $os: system, ...(campaign && { utm_campaign: campaign }), ...(release && { $release: release }) },
    ...(fingerprint && { $exception_list: [{ type: fingerprint, value: 'It failed' }] }),
  }
  const people = { ...(distinctId && { distinctId }), anonymousId, ...(sessionId && { sessionId }) }
  return { event, messageId: id, ...people, timestamp, ...(revenue !== null && { revenue, currency }), properties }
}

type Keys = { all: string; shop: string }
type Target = { [Key in keyof Keys]: ReturnType<typeof client> }

async function keysOf(data: string, baseUrl: string): Promise<Keys> {
  const all = firstRunOf(data).home.key
  const { call, close } = client(data, baseUrl, all)
  const made = async (route: string, body: object) => {
    const answer = await call(route, body)
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer.body
  }
  await made('POST /v1/projects', { slug: 'shop', name: 'Shop' })
  const { key } = await made('POST /v1/account/keys', { name: 'Shop', limit: ['project:shop'] })
  await made('PATCH /v1/event/settings', { zone: ZONE })
  await close()
  return { all, shop: key }
}

/** Each batch is sent again until it has a receipt. */
async function sendAll(rows: Iterable<EventRow>, targets: readonly (Target | null)[], sent: Map<string, EventRow>) {
  const waiting: Record<keyof Keys, EventRow[]> = { all: [], shop: [] }
  const batches = (function* () {
    for (const row of rows) {
      sent.set(row.id, row)
      const key = row.project === null ? 'all' : 'shop'
      waiting[key].push(row)
      if (waiting[key].length === EVENTS_MAX) yield [key, waiting[key].splice(0)] as const
    }
    for (const key of ['all', 'shop'] as const) if (waiting[key].length > 0) yield [key, waiting[key]] as const
  })()
  const counts = { receipts: 0, 'sent again': 0 }
  const sender = async (number: number) => {
    for (const [key, batch] of batches) {
      for (let tries = 0; ; tries++) {
        const target = targets[(number + tries) % targets.length]
        const answer = await target?.[key].call('POST /v1/event', batch.map(bodyOf)).catch(() => null)
        if (answer?.status === 200) {
          assert.deepEqual(answer.body, { accepted: batch.length, dropped: 0 })
          counts.receipts++
          break
        }
        if (answer) assert.equal(answer.status, 503, JSON.stringify(answer.body))
        counts['sent again']++
        await wait(20)
      }
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, (_, number) => sender(number)))
  return counts
}

/** The events as they were stored, in the order of their arrival. */
async function arrived(url: string, org: string, toMs: number): Promise<(EventRow & { arrival: number })[]> {
  const db = openPostgres({ at: { url }, connectionsMax: 1, queueMax: 10 })
  const { lenses } = openWarehouse()
  const chosen = { org, scopes: [''], fromMs: 0, toMs, where: [] }
  const rows: (EventRow & { arrival: number })[] = []
  for (let last: RawPosition | null = null; ; ) {
    const page: RawEvent[] = await lenses.rows(db, chosen, last, 5_000)
    for (const { session: _, visitor: __, distinctId, anonymousId, ...row } of page) {
      const join = row.event === '$identify' ? { id: anonymousId as string, to: distinctId as string } : null
      const visitor = distinctId ?? (anonymousId as string)
      rows.push({ ...row, org, distinctId, anonymousId, visitor, join, isClamped: false })
    }
    last = page.at(-1) ?? null
    if (last === null) break
  }
  await db.close()
  return rows.sort((a, b) => a.arrival - b.arrival)
}

const COMPARED = [
  'event',
  'timestamp',
  'project',
  'distinctId',
  'anonymousId',
  'sessionId',
  'revenue',
  'currency',
] as const
const FACTS = ['path', 'source', 'campaign', 'country', 'device', 'browser', 'system', 'release'] as const

/** Each event is there once, and as it was sent. */
function assertStored(rows: readonly EventRow[], sent: ReadonlyMap<string, EventRow>): void {
  const found = new Set<string>()
  for (const row of rows) {
    const of = sent.get(JSON.parse(row.properties).sent)
    assert.ok(of, `${row.id} was never sent`)
    assert.ok(!found.has(of.id), `${of.id} is there twice`)
    found.add(of.id)
    for (const name of [...COMPARED, ...FACTS]) assert.equal(row[name], of[name], `${name} of ${of.id}`)
    assert.equal(row.fingerprint === null, of.fingerprint === null)
  }
  assert.equal(found.size, sent.size, 'events are missing')
}

it(`equal a recount of ${EVENTS} events, after ${KILLS} kills and with two processes`, {
  timeout: 3_600_000,
}, async t => {
  const external = await externalPostgres()
  if ('missing' in external) return t.skip(external.missing)
  t.after(external.stop)
  const directories = [freshDirectory(t), freshDirectory(t)]
  const shared = { DATABASE_URL: external.url, STOA_ROOT_KEY: Buffer.alloc(32, 7).toString('base64'), ...UNLIMITED }
  const begin = (at: number) => start({ STOA_DATA: directories[at] as string, ...shared })
  const running: Started[] = [begin(0), begin(1)]
  const urls = await Promise.all(running.map(up))
  const first = directories.findIndex(data => existsSync(join(data, 'first-run.json')))
  const keys = await keysOf(directories[first] as string, urls[first] as string)
  const targetOf = (at: number): Target => {
    const of = (key: string) => client(directories[at] as string, urls[at] as string, key)
    return { all: of(keys.all), shop: of(keys.shop) }
  }
  const targets: (Target | null)[] = [targetOf(0), targetOf(1)]
  const close = async (at: number) => {
    const target = targets[at]
    targets[at] = null
    if (target) await Promise.all([target.all.close(), target.shop.close()])
  }

  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const startMs = today - DAYS * DAY_MS
  const rows = generate({ org: 'home', seed: 34, count: EVENTS, startMs, days: DAYS, visitors: VISITORS })
  const sent = new Map<string, EventRow>()
  const beganMs = performance.now()
  let isSent = false
  const sending = sendAll(rows, targets, sent).finally(() => {
    isSent = true
  })
  for (let kill = 0; kill < KILLS; kill++) {
    const at = kill % 2
    await eventually(async () => isSent || sent.size > ((kill + 1) * EVENTS) / (KILLS + 1), Boolean)
    running[at]?.child.kill('SIGKILL')
    await running[at]?.ended
    await close(at)
    running[at] = begin(at)
    urls[at] = await up(running[at])
    targets[at] = targetOf(at)
  }
  const counts = await sending
  const sentMs = performance.now()
  await drained(targets[0] as Target, sent.size)
  const perSecond = (ms: number) => Math.round((sent.size / (ms - beganMs)) * 1000)
  t.diagnostic(
    `${counts.receipts} receipts, ${counts['sent again']} batches sent again, ${perSecond(sentMs)} events/s sent`,
  )
  t.diagnostic(
    `all stored ${Math.round((performance.now() - sentMs) / 1000)} s later, ${perSecond(performance.now())} events/s`,
  )

  const stored = await arrived(external.url, 'home', today + 2 * DAY_MS)
  assertStored(stored, sent)
  sent.clear()
  await compare(t, targets, counted(stored), startMs, today)
  for (const at of [0, 1]) await close(at)
})

/** Waits until the lenses have all events, which may take as long as there is progress. */
async function drained({ all }: Target, count: number): Promise<void> {
  for (let seen = 0; seen < count; ) {
    seen = await eventually(
      async () => {
        await wait(count > 100_000 ? 2_000 : 200)
        return (await all.call('GET /v1/event/overview?range=all&compare=false')).body.events as number
      },
      events => events > seen,
    )
    process.stdout.write(`  ${seen} of ${count} events are in the lenses\n`)
  }
}

/** Through each process, for the organisation and for a project. */
async function compare(
  t: TestContext,
  targets: readonly (Target | null)[],
  all: readonly Counted[],
  startMs: number,
  endMs: number,
): Promise<void> {
  const shop = all.filter(({ project }) => project === 'shop')
  for (const [at, target] of targets.entries()) {
    for (const key of ['all', 'shop'] as const) {
      const ask: Lens = async (path, query) => {
        const answer = await (target as Target)[key].call(`GET /v1/event/${path}?${new URLSearchParams(query)}`)
        assert.equal(answer.status, 200, JSON.stringify(answer.body))
        return answer.body
      }
      const compared = await assertLenses(ask, key === 'all' ? all : shop, { startMs, endMs, zone: ZONE })
      t.diagnostic(`process ${at}, ${key}: ${compared} figures are equal`)
    }
  }
}
