import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DeclaredQueue } from './jobs.ts'
import type { Key } from './keys.ts'
import { openSlots, type Slots, START_MAX, type Taken } from './slots.ts'

const CONCURRENCY = 8

/** A key with many due jobs. */
const newKey = (org: string, key: string, rate: Key['limits']['rate'] = null): Key => ({
  ...{
    queue: {} as DeclaredQueue,
    org,
    key,
    limits: { concurrency: CONCURRENCY, rate },
    running: 0,
    unended: 0,
    usedMs: 0,
    dueMs: 0,
  },
  ...{ retriesMs: [], blockedMs: 0, starts: [] },
  loaded: Array.from({ length: 100 }, (_, n) => ({ id: `${key}-${n}` })),
})
const keysOf = (org: string, count: number) => Array.from({ length: count }, (_, n) => newKey(org, `${org}-${n}`))

/** Takes slots until none is left. */
function takeAll(slots: Slots, keys: readonly Key[], nowMs = 0): Taken[] {
  const all: Taken[] = []
  for (;;) {
    const taken = slots.take(keys, nowMs, START_MAX)
    if (taken.length === 0) return all
    all.push(...taken)
  }
}

function end(slots: Slots, taken: Taken, isOk: boolean, durationMs: number): void {
  slots.end(taken, isOk, durationMs)
  slots.give(taken)
}

describe('slots', () => {
  it('are given to each key up to its concurrency, one key after the other', () => {
    const keys = keysOf('a', 3)
    const taken = takeAll(openSlots(), keys)
    assert.deepEqual(
      taken.slice(0, 6).map(({ job }) => job.id),
      ['a-0-0', 'a-1-0', 'a-2-0', 'a-0-1', 'a-1-1', 'a-2-1'],
    )
    assert.equal(taken.length, 3 * CONCURRENCY)
  })

  it('are given to organisations in turn, however many keys they have', () => {
    const keys = [...keysOf('many', 1_000), ...keysOf('few', 1)]
    const first = openSlots().take(keys, 0, 4)
    assert.deepEqual(
      first.map(({ job }) => job.id),
      ['many-0-0', 'few-0-0', 'many-1-0', 'few-0-1'],
    )
  })

  it('are given no faster than the rate of a key, in any such period', () => {
    const slots = openSlots()
    const key = newKey('a', 'rated', { count: 3, perMs: 1_000 })
    const begin = (nowMs: number) => {
      const taken = takeAll(slots, [key], nowMs)
      for (const one of taken) end(slots, one, true, 1)
      return taken.length
    }
    assert.deepEqual([0, 400, 999, 1_000, 1_500, 1_999, 2_000].map(begin), [3, 0, 0, 3, 0, 0, 3])
  })

  it('follow a rate that was lowered', () => {
    const slots = openSlots()
    const key = newKey('a', 'lowered', { count: 20, perMs: 1_000 })
    key.limits.concurrency = 100
    for (const one of takeAll(slots, [key], 0)) end(slots, one, true, 1)
    key.limits = { concurrency: 100, rate: { count: 1, perMs: 1_000 } }
    assert.deepEqual(
      [500, 1_000, 1_500, 2_000].map(nowMs => takeAll(slots, [key], nowMs).length),
      [0, 1, 0, 1],
    )
  })

  it('are left for others by an organisation with many keys', () => {
    const slots = openSlots()
    const [many, few] = [keysOf('many', 1_000), keysOf('few', 2)]
    assert.ok(takeAll(slots, many).length <= 513)
    assert.equal(takeAll(slots, few).length, 2 * CONCURRENCY)
  })

  it('are reserved, one for each organisation, when others use all', () => {
    const slots = openSlots()
    for (let n = 0; n < 30; n++) takeAll(slots, keysOf(`hanging${n}`, 1_000))
    const late = keysOf('late', 5)
    const [first, ...more] = takeAll(slots, late) as [Taken]
    assert.ok(first)
    assert.equal(more.length, 0)
    end(slots, first, true, 10)
    assert.equal(takeAll(slots, late).length, 1)
  })

  it('are returned with each attempt', () => {
    const slots = openSlots()
    const keys = keysOf('a', 1_000)
    const count = takeAll(slots, keys).length
    for (let round = 0; round < 5; round++) {
      const fresh = keysOf(`b${round}`, 1_000)
      const taken = takeAll(slots, fresh)
      assert.ok(taken.length >= count / 4, `${taken.length} in round ${round}`)
      for (const one of taken) end(slots, one, true, 10)
    }
  })
})

describe('a key whose attempt failed after a long time', () => {
  const stuckSlots = () => {
    const slots = openSlots()
    const key = newKey('a', 'slow')
    const taken = takeAll(slots, [key])
    assert.equal(taken.length, CONCURRENCY)
    for (const one of taken) end(slots, one, false, 10_000)
    return { slots, key }
  }

  it('has one attempt at a time, until one succeeds', () => {
    const { slots, key } = stuckSlots()
    const [one, ...more] = takeAll(slots, [key]) as [Taken]
    assert.equal(more.length, 0)
    end(slots, one, true, 6_000)
    assert.equal(takeAll(slots, [key]).length, CONCURRENCY)
  })

  it('has all again when one fails quickly', () => {
    const { slots, key } = stuckSlots()
    const [one] = takeAll(slots, [key]) as [Taken]
    end(slots, one, false, 20)
    assert.equal(takeAll(slots, [key]).length, CONCURRENCY)
  })
})

describe('an organisation that has attempts already', () => {
  it('starts more only if allowed, while others start their first', () => {
    const slots = openSlots()
    const [many, few] = [keysOf('many', 100), keysOf('few', 1)]
    let left = 10
    const mayHaveMore = () => left-- > 0
    assert.equal(slots.take(many, 0, START_MAX, mayHaveMore).length, 11)
    const taken = slots.take([...many, ...few], 0, START_MAX, mayHaveMore)
    assert.deepEqual(
      taken.map(({ key }) => key.org),
      ['few'],
    )
  })
})
