import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { eventually, firstRun } from '../../test/eventually.ts'
import { startHost } from '../../test/host.ts'
import { manualClock } from '../engines/clock/clock.ts'
import { type Database, EngineUnavailable } from '../engines/engines.ts'
import { seededRandom } from '../engines/random/random.ts'
import { Fault } from '../kit/fault.ts'
import { leasePermits } from '../services/account/rates.store.ts'
import { openRates } from './rates.ts'

const host = await startHost()
const keyWith = async (rate: number) =>
  (await host.call('POST /v1/account/keys', { body: { name: 'rated', rate } })).body as { id: string; key: string }
const use = (key: string) => host.call('GET /v1/projects', { as: key })

describe('the rate of a key', () => {
  it('admits that many requests, then answers 429 with Retry-After', async () => {
    const { key } = await keyWith(3)
    const remaining: (string | undefined)[] = []
    for (let at = 0; at < 3; at++) remaining.push((await use(key)).headers.ratelimit)
    assert.deepEqual(remaining, ['"key";r=2;t=60', '"key";r=1;t=60', '"key";r=0;t=60'])
    host.clock.advance(17_500)
    const { status, body, headers } = await use(key)
    assert.equal(status, 429)
    assert.equal(body.error.code, 'key_rate')
    assert.equal(body.error.type, 'rate_limit_error')
    assert.equal(headers['retry-after'], '43')
    assert.equal(headers.ratelimit, '"key";r=0;t=43')
    assert.equal(headers['ratelimit-policy'], '"key";q=3;w=60')
  })

  it('admits again exactly when the oldest request is 60 seconds old', async () => {
    const { key } = await keyWith(1)
    assert.equal((await use(key)).status, 200)
    host.clock.advance(59_999)
    assert.equal((await use(key)).status, 429)
    host.clock.advance(1)
    assert.equal((await use(key)).status, 200)
  })

  it('is counted for each key separately', async () => {
    const [one, another] = [await keyWith(1), await keyWith(1)]
    assert.equal((await use(one.key)).status, 200)
    assert.equal((await use(another.key)).status, 200)
    assert.equal((await use(one.key)).status, 429)
    assert.equal((await host.call('GET /v1/projects')).headers.ratelimit, undefined)
  })

  it('counts requests that the limits of the key refuse, but not public operations', async () => {
    const made = await host.call('POST /v1/account/keys', { body: { name: 'x', rate: 2, limit: ['read:risk'] } })
    const { key } = made.body
    for (let at = 0; at < 5; at++) assert.equal((await host.call('GET /v1', { as: key })).status, 200)
    const refused = await use(key)
    assert.equal(refused.status, 403)
    assert.equal(refused.headers.ratelimit, '"key";r=1;t=60')
    assert.equal((await use(key)).status, 403)
    assert.equal((await use(key)).status, 429)
  })

  it('counts requests that the role of its owner refuses', async () => {
    const anna = await host.member(host.home.org, 'member')
    const { body } = await host.call('POST /v1/account/keys', { as: anna.key, body: { name: 'x', rate: 1 } })
    assert.equal((await host.call('GET /v1/iam/audit', { as: body.key })).status, 403)
    assert.equal((await use(body.key)).status, 429)
  })

  it('counts earlier requests after it is changed', async () => {
    const { id, key } = await keyWith(10_000)
    for (let at = 0; at < 4; at++) await use(key)
    await host.call(`PATCH /v1/account/keys/${id}`, { body: { rate: 4 } })
    const { status } = await eventually(
      () => use(key),
      ({ headers }) => headers['ratelimit-policy'] === '"key";q=4;w=60',
    )
    assert.equal(status, 429)
  })

  it('of 60 admits exactly 60 in any minute at 500 requests a second', async () => {
    const { key } = await keyWith(60)
    const admitted: number[] = []
    const start = host.clock.now().getTime()
    // Bursts of requests around the boundaries of three minutes.
    for (const second of [0, 1, 59, 60, 61, 119, 120]) {
      host.clock.advance(start + second * 1_000 - host.clock.now().getTime())
      for (let burst = 0; burst < 10; burst++) {
        const now = host.clock.now().getTime()
        const answers = await Promise.all(Array.from({ length: 50 }, () => use(key)))
        for (const { status } of answers) if (status === 200) admitted.push(now)
        host.clock.advance(99)
      }
    }
    for (const from of admitted) {
      const within = admitted.filter(at => at >= from && at < from + 60_000).length
      assert.ok(within <= 60, `${within} in the minute from ${from - start}`)
    }
    assert.equal(admitted.length, 180, 'admits as many as the rate allows')
  })
})

describe('the rate of a key in two processes on one database', async () => {
  const second = await startHost({ beside: host })
  const useThere = (key: string) => second.call('GET /v1/projects', { as: key })
  const admittedOf = (answers: { status: number }[]) => {
    assert.deepEqual(
      answers.filter(({ status }) => status !== 200 && status !== 429),
      [],
    )
    return answers.filter(({ status }) => status === 200).length
  }
  const both = async (key: string, count: number) =>
    admittedOf(await Promise.all(Array.from({ length: count }, () => [use(key), useThere(key)]).flat()))

  it('is admitted once, in parallel, and again a minute later', async () => {
    const { key } = await keyWith(10)
    for (let minute = 0; minute < 3; minute++) {
      assert.equal(await both(key, 12), 10)
      host.clock.advance(60_000)
    }
  })

  it('is used up in one by requests of the other', async () => {
    const { key } = await keyWith(5)
    for (let at = 0; at < 5; at++) assert.equal((await use(key)).status, 200)
    host.clock.advance(10_000)
    const { status, headers } = await useThere(key)
    assert.equal(status, 429)
    // The last lease of the other process lasts two seconds.
    assert.ok(Number(headers['retry-after']) >= 50 && Number(headers['retry-after']) <= 52, headers['retry-after'])
    assert.match(`${headers.ratelimit}`, /^"key";r=0;t=5\d$/)
    assert.equal(headers['ratelimit-policy'], '"key";q=5;w=60')
  })

  it('counts the requests of a stopped process', async t => {
    const third = await startHost({ beside: host }, t)
    const { key } = await keyWith(4)
    for (let at = 0; at < 3; at++) await third.call('GET /v1/projects', { as: key })
    await third.drain(0)
    assert.deepEqual([(await use(key)).status, (await use(key)).status], [200, 429])
  })

  it('is returned by a process that stops or no longer uses it', async t => {
    for (const isStopped of [true, false]) {
      const third = await startHost({ beside: host }, t)
      const { id, key } = await keyWith(100)
      await third.call('GET /v1/projects', { as: key }) // Leases five.
      assert.equal(admittedOf(await Promise.all(Array.from({ length: 120 }, () => use(key)))), 95)
      if (isStopped) await third.drain(0)
      host.clock.advance(2_000)
      const counted = () => host.db<{ sum: number }>`select sum((one->>'count')::int)
        from key_rates, jsonb_array_elements(uses) as one where key = ${id}`
      await eventually(counted, ([row]) => row?.sum === 96)
      host.clock.advance(1_000)
      assert.equal(admittedOf(await Promise.all(Array.from({ length: 20 }, () => use(key)))), 4)
    }
  })

  it('is answered 503 while the database cannot be reached', async t => {
    const { key } = await keyWith(100)
    const state = { isDown: false }
    const third = await startHost({ beside: host, wrapDb: db => failing(db, state) }, t)
    const call = () => third.call('GET /v1/account/csrf', { as: key })
    for (let at = 0; at < 5; at++) assert.equal((await call()).status, 200)
    state.isDown = true
    const { status, body, headers } = await call()
    assert.deepEqual([status, body.error.code, headers['retry-after']], [503, 'database_unreachable', '2'])
    state.isDown = false
    assert.equal((await call()).headers.ratelimit, '"key";r=94;t=60')
  })
})

/** A database whose writes fail while it is down. */
function failing(db: Database, state: { isDown: boolean }): Database {
  const write = ((strings: TemplateStringsArray, ...values: never[]) =>
    state.isDown
      ? Promise.reject(new EngineUnavailable('db', 'unknown'))
      : db.autocommit(strings, ...values)) as unknown as Database['autocommit']
  const autocommit = Object.assign(write, { ...db.autocommit })
  const read = (strings: TemplateStringsArray, ...values: never[]) => db(strings, ...values)
  const failingDb = Object.assign(read, { ...db, autocommit, for: () => failingDb }) as unknown as Database
  return Object.assign(failingDb, { background: failingDb, analytics: failingDb })
}

describe('openRates', () => {
  const org = host.home.org
  /** Opens the rates of another process, and counts its requests for permits. */
  const process = (name: string, clock = host.clock) => {
    const asked = { count: 0 }
    const rates = openRates(clock, request => {
      asked.count++
      return leasePermits(host.engines.db.autocommit, name, request)
    })
    after(rates.close)
    return { asked, consume: async (key: string, rate: number) => rates.consume(org, key, rate), rates }
  }

  it('admits in any window exactly what a list of all times would', async () => {
    const random = seededRandom('rates')
    const below = (bound: number) => random.bytes(4).readUInt32LE() % bound
    const clock = manualClock('2026-11-15T09:00:00.000Z')
    const { consume } = process('exact', clock)
    const log: number[] = []
    for (let at = 0; at < 5_000; at++) {
      clock.advance(below(4) === 0 ? below(4_000) : below(3))
      const rate = below(100) === 0 ? 1 + below(40) : 20
      const now = clock.elapsedMs()
      const expected = log.filter(time => time > now - 60_000).length < rate
      let admitted = true
      try {
        await consume('exact', rate)
      } catch (error) {
        assert.ok(error instanceof Fault)
        admitted = false
        const wait = Number(error.headers['retry-after'])
        const recent = log.filter(time => time > now - 60_000)
        const free = (recent.at(-rate) as number) + 60_000 - now
        assert.equal(wait, Math.ceil(free / 1000))
      }
      assert.equal(admitted, expected, `request ${at}`)
      if (admitted) log.push(now)
      if (log.length > 500) log.splice(0, 300)
    }
  })

  it('of several processes together never admits more than the rate in any window', async () => {
    const random = seededRandom('processes')
    const below = (bound: number) => random.bytes(4).readUInt32LE() % bound
    const clock = manualClock('2026-11-15T09:00:00.000Z')
    const processes = ['one', 'two', 'three'].map(name => process(name, clock))
    const rate = 60
    const admitted: number[] = []
    const one = async (at: number) => {
      const now = clock.elapsedMs()
      try {
        await processes[at]?.consume('several', rate)
        admitted.push(now)
      } catch (error) {
        assert.ok(error instanceof Fault)
      }
    }
    for (let turn = 0; turn < 2_000; turn++) {
      clock.advance(below(300))
      await Promise.all(Array.from({ length: below(4) }, () => one(below(3))))
    }
    for (const from of admitted) {
      const within = admitted.filter(at => at >= from && at < from + 60_000).length
      assert.ok(within <= rate, `${within} in the minute from ${from}`)
    }
    const minutes = (clock.elapsedMs() - (admitted[0] as number)) / 60_000
    assert.ok(admitted.length > 0.8 * rate * minutes, `${admitted.length} in ${minutes} minutes`)
  })

  it('requests permits once per twentieth of the rate, and never for refused requests', async () => {
    const { asked, consume } = process('frugal')
    for (let at = 0; at < 200; at++) await consume('frugal', 200)
    assert.equal(asked.count, 20)
    for (let at = 0; at < 500; at++) await assert.rejects(consume('frugal', 200), Fault)
    assert.equal(asked.count, 20)
  })

  it('answers immediately while it has permits, until they expire', async () => {
    const { rates } = process('at once')
    assert.equal(await rates.consume(org, 'at once', 60), '"key";r=59;t=60')
    assert.equal(rates.consume(org, 'at once', 60), '"key";r=58;t=60')
    host.clock.advance(1_999)
    assert.equal(rates.consume(org, 'at once', 60), '"key";r=57;t=59')
    await rates.consume(org, 'at once', 60)
    host.clock.advance(2_000)
    assert.equal(await mustAsk(rates.consume(org, 'at once', 60)), '"key";r=55;t=57')
  })

  function mustAsk(outcome: string | Promise<string>): Promise<string> {
    assert.ok(outcome instanceof Promise)
    return outcome
  }

  it('counts the permits of a killed process as used for a minute', async () => {
    const [one, two] = [process('killed'), process('left')]
    await one.consume('killed', 40)
    // The process is gone. It had leased two.
    const { length } = await admittedNow(two, 'killed', 40)
    assert.equal(length, 38)
    host.clock.advance(61_999)
    assert.equal((await admittedNow(two, 'killed', 40)).length, 38)
    host.clock.advance(1)
    assert.equal((await admittedNow(two, 'killed', 40)).length, 2)
  })

  async function admittedNow({ consume }: ReturnType<typeof process>, key: string, rate: number) {
    const outcomes = await Promise.allSettled(Array.from({ length: rate + 1 }, () => consume(key, rate)))
    return outcomes.filter(({ status }) => status === 'fulfilled')
  }

  it('deletes the data of keys that are no longer used', async t => {
    const own = await startHost({ runsBackground: true }, t)
    const { key } = (await own.call('POST /v1/account/keys', { body: { name: 'rated', rate: 2 } })).body
    await own.call('GET /v1/projects', { as: key })
    const rows = () => own.db`select from key_rates`
    assert.equal((await rows()).length, 1)
    await firstRun(own.db, 'retention of account')
    own.clock.advance(20 * 60_000)
    await eventually(rows, ({ length }) => length === 0)
  })

  it('keeps all times when the ring buffer grows after it has wrapped around', async () => {
    const clock = manualClock('2026-11-15T09:00:00.000Z')
    const { consume } = process('ring', clock)
    for (let at = 0; at < 10; at++) await consume('ring', 20)
    clock.advance(60_000)
    for (let at = 0; at < 20; at++) {
      await consume('ring', 20)
      clock.advance(1_000)
    }
    const inForty = (error: unknown) => error instanceof Fault && error.headers['retry-after'] === '40'
    await assert.rejects(consume('ring', 20), inForty)
  })
})
