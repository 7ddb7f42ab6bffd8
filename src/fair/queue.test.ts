import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inTurn, openFairQueue, QueueFull } from './queue.ts'

const settle = () => new Promise(resolve => setImmediate(resolve))

/** Runs calls that end on demand, and records the order in which they start. */
function recorder(options: Parameters<typeof openFairQueue>[0]) {
  const queue = openFairQueue(options)
  const started: string[] = []
  const ends: (() => void)[] = []
  const call = (user: string, signal?: AbortSignal) =>
    inTurn(
      queue,
      user,
      () => {
        started.push(user)
        return new Promise<void>(resolve => ends.push(resolve))
      },
      signal,
    )
  const endOne = async () => {
    ends.shift()?.()
    await settle()
  }
  return { queue, started, call, endOne }
}

const WIDE = { waitingMax: 100, waitMs: 60_000 }

describe('a fair queue', () => {
  it('serves users in turn, however many calls each of them makes', async () => {
    const { started, call, endOne } = recorder({ width: 1, ...WIDE })
    const calls = ['a', 'a', 'a', 'a', 'b', 'c', 'c'].map(user => call(user))
    for (let ended = 0; ended < calls.length; ended++) await endOne()
    await Promise.all(calls)
    assert.equal(started.join(''), 'aabcaca')
  })

  it('lets one user run only as many calls as are left for others', async () => {
    const { queue, started, call, endOne } = recorder({ width: 10, ...WIDE })
    const calls = Array.from({ length: 20 }, () => call('greedy'))
    await settle()
    assert.deepEqual(queue.load(), { running: 5, waiting: 15 })
    calls.push(call('modest'))
    assert.equal(started.at(-1), 'modest')
    for (let ended = 0; ended < calls.length; ended++) await endOne()
    await Promise.all(calls)
    assert.deepEqual(queue.load(), { running: 0, waiting: 0 })
  })

  it('immediately refuses a user that has as many waiting calls as are left for others', async () => {
    const { call, endOne } = recorder({ width: 1, waitingMax: 10, waitMs: 60_000 })
    const calls = Array.from({ length: 6 }, () => call('greedy'))
    await assert.rejects(call('greedy'), QueueFull)
    calls.push(call('modest'))
    for (let ended = 0; ended < calls.length; ended++) await endOne()
    await Promise.all(calls)
  })

  it('skips callers that have left, and gives their slots to others', async () => {
    const { queue, started, call, endOne } = recorder({ width: 1, waitingMax: 2, waitMs: 60_000 })
    const first = call('first')
    const leaving = new AbortController()
    const left = assert.rejects(call('leaves', leaving.signal), /left/)
    leaving.abort(new Error('left'))
    await left
    await assert.rejects(call('leaves', leaving.signal), /left/)
    assert.deepEqual(queue.load(), { running: 1, waiting: 0 })
    const last = call('last')
    await endOne()
    await endOne()
    await Promise.all([first, last])
    assert.deepEqual(started, ['first', 'last'])
  })

  it('refuses calls that waited too long', async () => {
    const { queue, call, endOne } = recorder({ width: 1, waitingMax: 10, waitMs: 1 })
    const first = call('a')
    await assert.rejects(call('b'), QueueFull)
    assert.deepEqual(queue.load(), { running: 1, waiting: 0 })
    await endOne()
    await first
  })

  it('can reject all waiting calls', async () => {
    const { queue, call, endOne } = recorder({ width: 1, ...WIDE })
    const first = call('a')
    const waiting = [call('a'), call('b')].map(one => assert.rejects(one, /down/))
    queue.rejectWaiting(new Error('down'))
    await Promise.all(waiting)
    await endOne()
    await first
    assert.deepEqual(queue.load(), { running: 0, waiting: 0 })
  })
})
