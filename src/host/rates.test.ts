import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../test/eventually.ts'
import { startHost } from '../../test/host.ts'
import { manualClock } from '../engines/clock/clock.ts'
import { seededRandom } from '../engines/random/random.ts'
import { Fault } from '../kit/fault.ts'
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

describe('openRates', () => {
  it('admits in any window exactly what a list of all times would', () => {
    const random = seededRandom('rates')
    const below = (bound: number) => random.bytes(4).readUInt32LE() % bound
    const clock = manualClock('2026-11-15T09:00:00.000Z')
    const rates = openRates(clock)
    const log: number[] = []
    for (let at = 0; at < 30_000; at++) {
      clock.advance(below(4) === 0 ? below(4_000) : below(3))
      const rate = 1 + below(40)
      const now = clock.elapsedMs()
      const expected = log.filter(time => time > now - 60_000).length < rate
      let admitted = true
      try {
        rates.consume('one', rate)
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

  it('keeps all times when the ring buffer grows after it has wrapped around', () => {
    const clock = manualClock('2026-11-15T09:00:00.000Z')
    const rates = openRates(clock)
    for (let at = 0; at < 10; at++) rates.consume('one', 20)
    clock.advance(60_000)
    for (let at = 0; at < 20; at++) {
      rates.consume('one', 20)
      clock.advance(1_000)
    }
    const inForty = (error: unknown) => error instanceof Fault && error.headers['retry-after'] === '40'
    assert.throws(() => rates.consume('one', 20), inForty)
  })
})
