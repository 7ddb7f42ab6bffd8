// The behaviour of every client when a call fails or is aborted. Each client has its own error classes.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { eventually } from '../eventually.ts'
import { failing, stoppingAfter } from './model.ts'
import type { World } from './world.ts'

type Asking = { key: string; model: string }
export type Driver = {
  wire: string
  /** Asks as usual, with one more attempt if the client thinks that it may help. */
  ask(asking: Asking): Promise<unknown>
  /** Streams until the signal, and tells each piece of the text. */
  listen(asking: Asking & { signal: AbortSignal }, heard: (text: string) => void): Promise<unknown>
  /** What a program reads from the error: its class, the status and so on. */
  // biome-ignore lint/suspicious/noExplicitAny: each client has another class
  read(error: any): unknown
  wrongKey: unknown
  unknownModel: unknown
  noBudget: unknown
  busy: unknown
  refused: unknown
  brokenOff: unknown
}

const EIGHT = 'one two three four five six seven eight'
const BUSY = failing(429, 'rate_limit_exceeded', 'Slow down', { 'retry-after': '1' })

/** What the tests of this file share. */
function openFailureSuite(world: World, model: string, driver: Driver) {
  const one = { model, wire: driver.wire }

  /** What the client throws, and how many requests it sent. */
  async function failure(asking: Asking): Promise<{ error: Error; requests: number }> {
    const before = world.sent.count
    const error = await driver.ask(asking).then(
      () => assert.fail('the call succeeded'),
      (thrown: Error) => thrown,
    )
    return { error, requests: world.sent.count - before }
  }
  return { world, model, driver, one, failure }
}
type FailureSuite = ReturnType<typeof openFailureSuite>

function testRefusals({ world, model, driver, one, failure }: FailureSuite): void {
  it('says that the key is wrong', async () => {
    const { key } = await world.account()
    world.answers()
    const { error, requests } = await failure({ model, key: `${key.slice(0, -4)}AAAA` })
    assert.deepEqual([driver.read(error), requests], [driver.wrongKey, 1], String(error))
  })

  it('says that there is no such model', async () => {
    const { key, settled } = await world.account()
    world.answers()
    const { error, requests } = await failure({ key, model: 'none' })
    assert.deepEqual([driver.read(error), requests], [driver.unknownModel, 1], String(error))
    assert.match(error.message, /There is no model none/)
    await settled()
  })

  it('does not try again when the budget is used up', async () => {
    const { keyWith, settled } = await world.account()
    const key = await keyWith({ budget: { month: 0, total: 1 } })
    world.answers({ text: 'Hello', counts: { input: 10_000, output: 1 } })
    await driver.ask({ key, model })
    const { error, requests } = await failure({ key, model })
    assert.deepEqual([driver.read(error), requests], [driver.noBudget, 1], String(error))
    assert.match(error.message, /total/)
    assert.equal(world.asked().length, 1)
    await settled({ ...one, input: 10_000, output: 1 })
  })
}

function testProvider({ world, model, driver, one, failure }: FailureSuite): void {
  it('tries again when the provider is busy', async () => {
    const { key, settled } = await world.account()
    world.answers(BUSY, { text: 'Hello' })
    const before = world.sent.count
    await driver.ask({ key, model })
    assert.deepEqual([world.sent.count - before, world.asked().length], [2, 2])
    await settled(one)
  })

  it('says that the provider is busy', async () => {
    const { key, settled } = await world.account()
    world.answers(BUSY, BUSY)
    const { error, requests } = await failure({ key, model })
    assert.deepEqual([driver.read(error), requests], [driver.busy, 2], String(error))
    await settled()
  })

  it('reports why the provider refused', async () => {
    const { key, settled, broken } = await world.account()
    world.answers(failing(400, 'invalid_request_error', 'It is not a poem'))
    const { error, requests } = await failure({ key, model })
    assert.deepEqual([driver.read(error), requests], [driver.refused, 1], String(error))
    assert.match(error.message, /It is not a poem/)
    await broken('model_refused')
    await settled()
  })
}

function testStreams({ world, model, driver }: FailureSuite): void {
  it('reports that the provider broke off', async () => {
    const { key, broken } = await world.account()
    const over = Promise.withResolvers<void>()
    world.answers(stoppingAfter(EIGHT, over.promise))
    let text = ''
    const heard = (piece: string) => {
      text += piece
      // Not before, because what was received is lost if the connection ends in the same moment.
      if (text.includes(EIGHT)) over.resolve()
    }
    const error = await driver.listen({ key, model, signal: new AbortController().signal }, heard).then(
      () => assert.fail('the stream ended as if it were whole'),
      (thrown: Error) => thrown,
    )
    assert.ok(text.startsWith(EIGHT), text)
    assert.deepEqual(driver.read(error), driver.brokenOff, String(error))
    assert.match(error.message, /broke off its answer/)
    const { estimated, outputTokens } = await broken('upstream_unreachable')
    assert.ok(estimated && outputTokens >= 8 && outputTokens < 14, String(outputTokens))
  })

  it('ends the call at the provider when it is given up', async () => {
    const { key, broken } = await world.account()
    world.answers(stoppingAfter(EIGHT, new Promise(() => {})))
    const leave = new AbortController()
    let text = ''
    const heard = (piece: string) => {
      text += piece
      if (text.includes(EIGHT)) leave.abort()
    }
    await driver.listen({ key, model, signal: leave.signal }, heard).catch(() => 'some clients throw, others do not')
    assert.ok(text.startsWith(EIGHT), text)
    await eventually(() => world.server.received[0]?.isCut, Boolean)
    const { estimated, outputTokens, cost } = await broken('interrupted')
    assert.ok(estimated && cost > 0 && outputTokens >= 8 && outputTokens < 14, `${outputTokens} for ${cost}`)
  })
}

export function testFailures(world: World, model: string, driver: Driver): void {
  const opened = openFailureSuite(world, model, driver)
  testRefusals(opened)
  testProvider(opened)
  testStreams(opened)
}
