// The warehouse is fed from the log: soon, and without a loss while it cannot be reached.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { eventually } from '../../../test/eventually.ts'
import { startHost } from '../../../test/host.ts'
import { EngineUnavailable } from '../../engines/engines.ts'

const host = await startHost({ runsBackground: true, now: 'real', settings: { STOA_RISK_MIRROR: 'file:///none' } })
const { warehouse } = host.engines
const send = (...names: string[]) => host.call('POST /v1/event', { body: names.map(event => ({ event })) })
const listed = async () =>
  (await host.call('GET /v1/event')).body.data.map(({ event }: { event: string }) => event) as string[]
const consumerOf = async () => {
  const { consumers } = (await host.call('GET /v1/o11y/consumers', { as: host.admin.key })).body
  return consumers.find(({ name }: { name: string }) => name === 'event.warehouse')
}

const counted = async () => (await host.call('GET /v1/event/overview')).body.events as number
const grouped = async () => (await host.call('GET /v1/errors')).body.data.length as number

it('an event is listed, counted and among the errors within 200 ms on an idle host', async () => {
  const times: number[] = []
  const [events, errors] = [await counted(), await grouped()]
  for (let n = 0; n < 10; n++) {
    await send(`soon-${n}`, '$exception')
    const startMs = performance.now()
    await eventually(listed, names => names.includes(`soon-${n}`))
    assert.equal(await counted(), events + 2 * n + 2)
    assert.equal(await grouped(), errors + n + 1)
    times.push(performance.now() - startMs)
  }
  // The machine may be busy with other tests; waiting for the next poll would make all of them longer.
  assert.ok(Math.min(...times) < 200, times.join())
})

it('events are accepted while the warehouse cannot be reached, and are in it after that, once', async () => {
  const { append } = warehouse
  const before = (await listed()).length
  let refused = 0
  warehouse.append = async () => {
    refused++
    throw new EngineUnavailable('warehouse', 'down')
  }
  const names = Array.from({ length: 30 }, (_, n) => `kept-${n}`)
  for (const name of names) assert.deepEqual((await send(name)).body, { accepted: 1, dropped: 0 })
  // More often than an event is tried that its own data makes fail.
  await eventually(
    () => refused,
    count => count > 25,
  )
  assert.equal((await listed()).length, before)
  const { waiting, deadLetters, behindSince } = await consumerOf()
  assert.deepEqual([waiting, deadLetters, typeof behindSince], [0, 0, 'string'])
  warehouse.append = append
  const found = await eventually(listed, all => all.length >= before + names.length)
  assert.deepEqual(found.slice(0, names.length), names.toReversed())
  host.warnings.length = 0
})
