import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { TestFunctions } from '../../../test/thread-functions.ts'
import { Fault } from '../fault.ts'
import { openThread, type ThreadOptions } from './open.ts'
import { ThreadLost } from './worker.ts'

const BUSY = 'Too many tests wait. Try again.'
const OPTIONS: ThreadOptions = {
  name: 'test',
  file: new URL('../../../test/thread-functions.ts', import.meta.url),
  heapMb: 64,
  callMs: 60_000,
  idleMs: 60_000,
  waitingMax: 100,
  waitMs: 60_000,
  busy: BUSY,
}
const BY = { user: 'a' }

function open(options: Partial<ThreadOptions> = {}) {
  const thread = openThread<TestFunctions>({ ...OPTIONS, ...options })
  after(thread.close)
  const double = (value: number, ms = 0, user = 'a') => thread.call('double', { value, ms }, { user })
  const metric = (name: string, outcome?: string) =>
    thread
      .gauges()
      .find(one => one.name === `stoa_thread_${name}`)
      ?.samples.find(({ labels }) => labels.thread === 'test' && labels.outcome === outcome)?.value
  return { ...thread, double, metric }
}

const lostBy = (reason: ThreadLost['reason']) => (error: unknown) =>
  error instanceof ThreadLost && error.reason === reason

describe('a thread', () => {
  it('starts with the first call, answers in order, and ends when it is idle', async () => {
    const { double, isStarted, metric } = open({ idleMs: 50 })
    assert.equal(isStarted(), false)
    assert.deepEqual(await Promise.all([double(1), double(2), double(3)]), [2, 4, 6])
    assert.equal(isStarted(), true)
    while (isStarted()) await wait(10)
    assert.equal(await double(4), 8)
    assert.deepEqual([metric('calls_total', 'answered'), metric('restarts_total')], [4, 0])
  })

  it('moves buffers both ways', async () => {
    const { call } = open()
    const bytes = await call('zeros', 10, BY)
    assert.equal(await call('length', bytes, { ...BY, move: [bytes.buffer] }), 10)
    assert.equal(bytes.length, 0, 'it was moved')
  })

  it("raises the function's error, and continues", async () => {
    const { call, metric } = open()
    await assert.rejects(call('fail', { message: 'wrong' }, BY), { name: 'TypeError', message: 'wrong' })
    await assert.rejects(call('fail', { message: 'odd', isOdd: true }, BY), /odd/)
    await assert.rejects(call('unsendable', undefined as never, BY), /could not be cloned/)
    await assert.rejects(call('double', { value: (() => {}) as never }, BY), /could not be cloned/)
    await call('double', { value: 1 }, BY)
    assert.equal(await call('calls', undefined as never, BY), 1, 'it is still the same thread')
    assert.deepEqual([metric('calls_total', 'failed'), metric('restarts_total')], [4, 0])
  })
})

describe('a thread that is lost', () => {
  for (const [what, name, reason, options] of [
    ['exits', 'exit', 'crash', {}],
    ['throws between calls', 'throwLater', 'crash', {}],
    ['runs out of memory', 'exhaust', 'memory', {}],
    ['does not end', 'spin', 'time', { callMs: 2_000 }],
  ] as const) {
    it(`because it ${what} fails only the running call, and is restarted`, async () => {
      const { call, double, metric } = open(options)
      const lost = call(name, undefined as never, BY)
      const others = [double(1), double(2, 0, 'b')]
      await assert.rejects(lost, lostBy(reason))
      assert.deepEqual(await Promise.all(others), [2, 4])
      assert.deepEqual([metric('calls_total', 'lost'), metric('restarts_total')], [1, 1])
    })
  }

  it('again and again waits before each restart', async () => {
    const { call, double } = open()
    const startedMs = performance.now()
    for (let n = 0; n < 4; n++) await assert.rejects(call('exit', undefined as never, BY), lostBy('crash'))
    assert.ok(performance.now() - startedMs > 1_400, 'nothing before the second start, then 500 and 1,000 ms')
    assert.equal(await double(1), 2)
    const againMs = performance.now()
    await assert.rejects(call('exit', undefined as never, BY), lostBy('crash'))
    assert.equal(await double(2), 4)
    assert.ok(performance.now() - againMs < 1_400, 'after an answer, the first restart is immediate again')
  })

  it('is closed while it waits', async () => {
    const { call, close, double } = open()
    for (let n = 0; n < 3; n++) await assert.rejects(call('exit', undefined as never, BY), lostBy('crash'))
    const waiting = assert.rejects(double(1), lostBy('closed'))
    await close()
    await waiting
  })
})

describe('calls that wait', () => {
  it('are bounded: further callers must try again', async () => {
    const { double, metric } = open({ waitingMax: 4 })
    await double(0)
    const calls = Array.from({ length: 10 }, (_, at) => double(at, 50))
    assert.equal(metric('waiting'), 2, 'a user may take half of what is left')
    const outcomes = await Promise.allSettled(calls)
    const refused = outcomes.flatMap(one => (one.status === 'rejected' ? [one.reason] : []))
    assert.equal(refused.length, 7)
    for (const fault of refused) {
      assert.ok(fault instanceof Fault)
      assert.deepEqual([fault.status, fault.message, fault.headers['retry-after']], [503, BUSY, '2'])
    }
    assert.deepEqual([metric('waiting'), metric('calls_total', 'refused')], [0, 7])
  })

  it('wait for a bounded time', async () => {
    const { double } = open({ waitMs: 100 })
    const running = double(1, 1_000)
    await assert.rejects(double(2), { code: 'overloaded' })
    assert.equal(await running, 2)
  })

  it('are served in turn', async () => {
    const { double } = open()
    const ended: string[] = []
    const of = (user: string) => double(1, 10, user).then(() => ended.push(user))
    await Promise.all([of('a'), of('a'), of('a'), of('b')])
    assert.ok(ended.indexOf('b') < 3, ended.join())
  })

  it('are forgotten when their caller leaves', async () => {
    const { call, double, metric } = open()
    const running = double(1, 200)
    const leaving = new AbortController()
    const waiting = call('exit', undefined as never, { user: 'b', signal: leaving.signal })
    leaving.abort(new Error('left'))
    await assert.rejects(waiting, /left/)
    assert.equal(await running, 2)
    assert.equal(metric('calls_total', 'failed'), 0)
  })

  it('fail when the thread is closed, as do the running and later ones', async () => {
    const { call, close, double, isStarted } = open()
    await double(0)
    const calls = [call('spin', undefined as never, BY), double(1), double(2, 0, 'b')]
    const failed = Promise.all(calls.map(one => assert.rejects(one, lostBy('closed'))))
    await close()
    await failed
    await assert.rejects(double(3), lostBy('closed'))
    assert.equal(isStarted(), false)
  })
})
