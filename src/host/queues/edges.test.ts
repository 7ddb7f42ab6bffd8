// Regression tests: jobs cancelled while running, changed limits, redeliveries.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../../test/eventually.ts'
import { FAILED, jobs, newQueue, OK, startQueues } from '../../../test/queue-world.ts'
import type { OrgId } from '../../kit/caller.ts'

const plain = newQueue('edges.plain')
const ordered = newQueue('edges.ordered', { isOrdered: true })
/** The outcome of some of its jobs cannot be written. */
const refusing = newQueue('edges.refusing', {
  end: async (_context, ended) => {
    if (ended.some(({ job }) => job.payload.n === 13)) throw new Error('this outcome cannot be written')
  },
})
const bounded = newQueue('edges.bounded', { backlog: () => ({ perKey: 3, perOrg: 100, isRecorded: false }) })
const queues = [plain.queue, ordered.queue, refusing.queue, bounded.queue]
const { host, add, endsOf, endedOf, waitingIn } = await startQueues(queues)
const home = 'home' as OrgId

describe('an ordered queue', () => {
  it('continues immediately with the next job', async () => {
    const startMs = performance.now()
    await add(ordered.queue, jobs(20))
    await endedOf(ordered.queue, 20)
    assert.ok(performance.now() - startMs < 10_000, 'about one job in a second')
  })

  it('keeps its order if an attempt was not made', async () => {
    const seen: number[] = []
    let isUnmade = true
    ordered.act = async ({ payload: { n } }) => {
      if (n === 100 && isUnmade) {
        isUnmade = false
        return undefined
      }
      seen.push(n)
      return OK
    }
    await add(ordered.queue, jobs(4, 100))
    await eventually(
      () => {
        host.clock.advance(1_000)
        return seen.length
      },
      count => count === 4,
    )
    assert.deepEqual(seen, [100, 101, 102, 103])
  })
})

describe('a job that is cancelled while it runs', () => {
  it('gets no further attempt, and has failed', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    plain.act = async () => {
      await promise
      return FAILED
    }
    const id = '019a2f5e-7c1b-7d3e-9a64-2b8c1f0e5d49'
    await add(plain.queue, [{ key: 'cancelled', id }])
    await eventually(
      () => plain.calls.length,
      count => count === 1,
    )
    await host.db.transaction(tx => host.jobs.cancel(tx, plain.queue, [id]))
    resolve()
    const [row] = await endedOf(plain.queue, 1)
    assert.deepEqual([row?.attempt, row?.status], [1, 'failed'])
    assert.equal(await waitingIn(plain.queue), 0)
    plain.act = async () => OK
  })
})

describe('the limits of a key', () => {
  it('apply to a busy key, and do not affect one without jobs', async () => {
    let [running, most] = [0, 0]
    plain.act = async () => {
      most = Math.max(most, ++running)
      await pause(20)
      running--
      return OK
    }
    const set = (key: string) =>
      host.db.transaction(tx =>
        host.jobs.setKey(tx, plain.queue, { key, org: home }, { limits: { concurrency: 1, rate: null } }),
      )
    await add(plain.queue, jobs(400, 0, { key: 'narrowed' }))
    await eventually(
      () => most,
      count => count === 4,
    )
    await set('narrowed')
    const mostNow = async () => {
      most = 0
      await pause(200)
      return most
    }
    await eventually(mostNow, count => count === 1)
    await set('idle')
    const due = async () =>
      (await host.db<{ due: string | null }>`select due from queue_keys where key = 'idle' and holder is null`)[0]
    assert.equal((await eventually(due, row => row !== undefined && row.due === null))?.due, null)
    plain.act = async () => OK
  })
})

describe('an interrupted job of an ordered queue', () => {
  it('is retried before later jobs', async () => {
    const seen: number[] = []
    ordered.act = async ({ payload: { n } }) => {
      seen.push(n)
      return OK
    }
    const key = 'interrupted'
    const first = '019a2f5e-7c1b-7d3e-9a64-2b8c1f0e5d50'
    await host.db.transaction(async tx => {
      await host.jobs.add(
        tx,
        ordered.queue,
        [0, 1, 2].map(n => ({ key, org: home, payload: { n }, ...(n === 0 && { id: first }) })),
      )
      // Its process died after the attempt started.
      await tx`update queue_jobs set attempts = 1, started = now() where id = ${first}`
    })
    await eventually(
      () => seen.length,
      count => count === 3,
    )
    assert.deepEqual(seen, [0, 1, 2])
  })
})

describe('expired jobs', () => {
  it('all end, even if one of them cannot be recorded', async () => {
    const expires = new Date(host.clock.now().getTime() - 1_000)
    await host.db.transaction(tx => host.jobs.setKey(tx, refusing.queue, { key: 'a', org: home }, { isPaused: true }))
    await add(refusing.queue, jobs(5, 10, { expires }))
    host.clock.advance(31_000)
    await eventually(
      () => waitingIn(refusing.queue),
      count => count === 0,
    )
    const before = (await endsOf(plain.queue)).length
    await add(plain.queue, jobs(3, 900, { key: 'beside' }))
    await eventually(
      () => endsOf(plain.queue),
      rows => rows.length >= before + 3,
    )
    host.warnings.length = 0
  })
})

describe('jobs that are added and cancelled in one transaction', () => {
  it('leave no trace on their key', async () => {
    const ids = [51, 52, 53].map(n => `019a2f5e-7c1b-7d3e-9a64-2b8c1f0e5d${n}`)
    await host.db.transaction(async tx => {
      await host.jobs.add(
        tx,
        bounded.queue,
        ids.map(id => ({ id, key: 'taken-back', org: home, payload: { n: 1 } })),
      )
      assert.equal((await host.jobs.cancel(tx, bounded.queue, ids)).length, 3)
    })
    await add(bounded.queue, jobs(3, 0, { key: 'taken-back' }))
    await endedOf(bounded.queue, 3)
  })
})

describe('adding jobs', () => {
  it('needs a transaction', async () => {
    const job = { key: 'alone', org: home, payload: { n: 1 } }
    await assert.rejects(host.jobs.add(host.db.autocommit, plain.queue, [job]), /needs a transaction/)
    assert.equal((await host.db`select from queue_jobs where key = 'alone'`).length, 0)
  })

  it('works without waiting for it, and for very many jobs', async () => {
    const before = (await endsOf(plain.queue)).length
    await host.db.transaction(async tx => {
      void host.jobs.add(tx, plain.queue, [{ key: 'unawaited', org: home, payload: { n: 1 } }])
    })
    await eventually(
      () => endsOf(plain.queue),
      rows => rows.length > before,
    )
    const many = Array.from({ length: 150_000 }, () => ({ key: 'many', org: home, payload: { n: 1 } }))
    await assert.rejects(
      host.db.transaction(async tx => {
        await host.jobs.add(tx, plain.queue, many)
        throw new Error('taken back')
      }),
      /taken back/,
    )
  })
})
