import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openPlaces, type Places, type Taken } from './places.ts'
import type { Queue } from './queues.ts'

const CONCURRENCY = 8

/** An endpoint for which much is due. */
const newQueue = (org: string, webhook: string): Queue => ({
  ...{ org, webhook, running: 0, unended: 0, dueMs: 0 },
  loaded: Array.from({ length: 100 }, (_, n) => ({ id: `${webhook}-${n}`, webhook, attempts: 0 })),
})
const queuesOf = (org: string, count: number) => Array.from({ length: count }, (_, n) => newQueue(org, `${org}-${n}`))

/** Takes until there is no place left. */
function takeAll(places: Places, queues: readonly Queue[]): Taken[] {
  const all: Taken[] = []
  for (;;) {
    const taken = places.take(queues)
    if (taken.length === 0) return all
    all.push(...taken)
  }
}

function end(places: Places, taken: Taken, isOk: boolean, durationMs: number): void {
  places.end(taken, isOk, durationMs)
  places.give(taken)
}

describe('places', () => {
  it('are given to each endpoint up to its number at once, one of each in turn', () => {
    const queues = queuesOf('a', 3)
    const taken = takeAll(openPlaces(CONCURRENCY), queues)
    assert.deepEqual(
      taken.slice(0, 6).map(({ due }) => due.id),
      ['a-0-0', 'a-1-0', 'a-2-0', 'a-0-1', 'a-1-1', 'a-2-1'],
    )
    assert.equal(taken.length, 3 * CONCURRENCY)
  })

  it('are left for others by an organisation with many endpoints', () => {
    const places = openPlaces(CONCURRENCY)
    const [many, few] = [queuesOf('many', 1_000), queuesOf('few', 2)]
    assert.ok(takeAll(places, many).length <= 513)
    assert.equal(takeAll(places, few).length, 2 * CONCURRENCY)
  })

  it('are reserved, one for each organisation, when others have taken all', () => {
    const places = openPlaces(CONCURRENCY)
    for (let n = 0; n < 30; n++) takeAll(places, queuesOf(`hanging${n}`, 1_000))
    const late = queuesOf('late', 5)
    const [first, ...more] = takeAll(places, late) as [Taken]
    assert.ok(first)
    assert.equal(more.length, 0)
    end(places, first, true, 10)
    assert.equal(takeAll(places, late).length, 1)
  })

  it('come back with each attempt', () => {
    const places = openPlaces(CONCURRENCY)
    const queues = queuesOf('a', 1_000)
    const count = takeAll(places, queues).length
    for (let round = 0; round < 5; round++) {
      const fresh = queuesOf(`b${round}`, 1_000)
      const taken = takeAll(places, fresh)
      assert.ok(taken.length >= count / 4, `${taken.length} in round ${round}`)
      for (const one of taken) end(places, one, true, 10)
    }
  })
})

describe('an endpoint whose attempt failed after a long time', () => {
  const stuckPlaces = () => {
    const places = openPlaces(CONCURRENCY)
    const queue = newQueue('a', 'slow')
    const taken = takeAll(places, [queue])
    assert.equal(taken.length, CONCURRENCY)
    for (const one of taken) end(places, one, false, 10_000)
    return { places, queue }
  }

  it('has one attempt at a time, until one succeeds', () => {
    const { places, queue } = stuckPlaces()
    const [one, ...more] = takeAll(places, [queue]) as [Taken]
    assert.equal(more.length, 0)
    end(places, one, true, 6_000)
    assert.equal(takeAll(places, [queue]).length, CONCURRENCY)
  })

  it('has all again when one fails soon', () => {
    const { places, queue } = stuckPlaces()
    const [one] = takeAll(places, [queue]) as [Taken]
    end(places, one, false, 20)
    assert.equal(takeAll(places, [queue]).length, CONCURRENCY)
  })
})
