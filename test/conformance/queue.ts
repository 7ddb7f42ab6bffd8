// Tests for every queue implementation: the guarantees for services. Each implementation's test passes a function that
// starts a process with queues.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { OrgId } from '../../src/kit/caller.ts'
import { Fault } from '../../src/kit/fault.ts'
import type { Queue } from '../../src/kit/queue.ts'
import { eventually } from '../eventually.ts'
import { FAILED, jobs, newQueue, OK, type QueueProcess } from '../queue-world.ts'

/** `beside`: another process with the same storage. */
export type OpenQueues = (queues: readonly Queue[], beside?: QueueProcess) => Promise<QueueProcess>

export function queueConforms(name: string, open: OpenQueues): void {
  describe(`a queue: ${name}`, async () => {
    const world = await openWorld(open)
    aJob(world)
    aKey(world)
    aBacklog(world)
  })
}

type World = Awaited<ReturnType<typeof openWorld>>

async function openWorld(open: OpenQueues) {
  const queues = {
    plain: newQueue('specimen.plain'),
    ordered: newQueue('specimen.ordered', { isOrdered: true, pausesMs: [300, 300] }),
    rated: newQueue('specimen.rated', { limits: () => ({ concurrency: 10, rate: { count: 3, perMs: 1_000 } }) }),
    ranked: newQueue('specimen.ranked', { priorities: 3, limits: () => ({ concurrency: 1, rate: null }) }),
    bounded: newQueue('specimen.bounded', { backlog: () => ({ perKey: 3, perOrg: 5, isRecorded: false }) }),
    recorded: newQueue('specimen.recorded', {
      backlog: () => ({ perKey: 3, perOrg: Number.POSITIVE_INFINITY, isRecorded: true }),
    }),
    short: newQueue('specimen.short', { deadlineMs: 200, pausesMs: [] }),
  }
  return { ...queues, ...(await open(Object.values(queues).map(({ queue }) => queue))) }
}

/** Attempts that wait until they are released. */
export function held() {
  const waiting: (() => void)[] = []
  const act = () => new Promise<typeof OK>(resolve => waiting.push(() => resolve(OK)))
  return { act, waiting, release: () => waiting.splice(0).map(one => one()) }
}

function aJob({ host, add, endsOf, endedOf, waitingIn, plain, short }: World): void {
  const now = () => host.clock.now()

  describe('a job', () => {
    it('is added with the transaction of its caller, and not without it', async () => {
      const failing = host.db.transaction(async tx => {
        await host.jobs.add(tx, plain.queue, [{ key: 'x', org: 'home' as OrgId, payload: { n: 99 } }])
        throw new Error('no')
      })
      await assert.rejects(failing, /no/)
      await add(plain.queue, jobs(1, 1, { key: 'x' }))
      assert.deepEqual(
        (await endedOf(plain.queue, 1)).map(({ n, status }) => [n, status]),
        [[1, 'ok']],
      )
      assert.equal(plain.calls.filter(({ payload }) => payload.n === 99).length, 0)
    })

    it('is tried again after its pauses, also behind a backlog, and has failed after the last', async () => {
      const startMs = performance.now()
      const times: number[] = []
      const others = () => plain.calls.filter(({ payload }) => payload.n >= 2_000).length
      plain.act = async ({ payload }) => {
        if (payload.n === 1_000) times.push(performance.now() - startMs)
        await pause(payload.n === 1_000 ? 0 : 20)
        return payload.n === 1_000 ? FAILED : OK
      }
      // 4 at once of 20 ms each: the backlog takes ten seconds.
      await add(plain.queue, [...jobs(1, 1_000, { key: 'busy' }), ...jobs(2_000, 2_000, { key: 'busy' })])
      const rows = await eventually(
        () => endsOf(plain.queue),
        found => found.some(({ n, status }) => n === 1_000 && status === 'failed'),
      )
      const own = rows.filter(({ n }) => n === 1_000)
      assert.deepEqual(
        own.map(({ attempt, status }) => [attempt, status]),
        [
          [1, 'retrying'],
          [2, 'retrying'],
          [3, 'failed'],
        ],
      )
      assert.ok(others() < 2_000, 'they did not wait for the backlog')
      for (const [at, pauseMs] of [1_000, 5_000].entries()) {
        const gap = (times[at + 1] as number) - (times[at] as number)
        assert.ok(gap >= pauseMs, `${gap} ms instead of ${pauseMs}`)
      }
      plain.act = async () => OK
      await eventually(
        () => waitingIn(plain.queue),
        count => count === 0,
      )
    })

    it('that throws an error has failed, with the reason', async () => {
      plain.act = async () => {
        throw new Error('out of order')
      }
      await add(plain.queue, [{ key: 'throws', payload: { n: 5 } }])
      const [row] = await eventually(
        async () => (await endsOf(plain.queue)).filter(({ key }) => key === 'throws'),
        rows => rows.length > 0,
      )
      assert.deepEqual([row?.reason, row?.error, row?.status], ['failed', 'out of order', 'retrying'])
      plain.act = async () => OK
      await eventually(
        () => waitingIn(plain.queue),
        count => count === 0,
      )
      host.warnings.length = 0
    })

    it('that takes longer than its deadline has failed', async () => {
      short.act = () => new Promise(() => {})
      await add(short.queue, [{ key: 'late' }])
      const [row] = await endedOf(short.queue, 1)
      assert.deepEqual([row?.status, row?.reason], ['failed', 'late'])
      assert.match(row?.error ?? '', /took longer than 0.2 s/)
    })

    it('that was not made does not count', async () => {
      let tries = 0
      short.act = async () => (tries++ === 0 ? undefined : OK)
      await add(short.queue, [{ key: 'unmade' }])
      await eventually(
        () => tries,
        count => count === 1,
      )
      host.clock.advance(5_000)
      const rows = await eventually(
        async () => (await endsOf(short.queue)).filter(({ key }) => key === 'unmade'),
        found => found.length > 0,
      )
      assert.deepEqual(
        rows.map(({ attempt, status }) => [attempt, status]),
        [[1, 'ok']],
      )
    })

    it('starts when it is due, to the second', async () => {
      let soonestMs = Number.POSITIVE_INFINITY
      // A busy machine delays one of them, and not all.
      for (let n = 0; n < 5 && soonestMs > 1_500; n++) {
        const due = new Date(now().getTime() + 1_000)
        await add(plain.queue, [{ key: `later-${n}`, due, payload: { n: 7 } }])
        await eventually(
          () => plain.calls.some(({ key }) => key === `later-${n}`),
          isMade => isMade,
        )
        const lateMs = now().getTime() - due.getTime()
        assert.ok(lateMs >= 0, `${lateMs} ms late`)
        soonestMs = Math.min(soonestMs, lateMs)
      }
      assert.ok(soonestMs <= 1_500, `${soonestMs} ms late`)
    })

    it('that expires before it is done ends with the outcome `expired`', async () => {
      const [due, expires] = [new Date(now().getTime() + 3_600_000), new Date(now().getTime() + 1_000)]
      await add(plain.queue, [{ key: 'expires', due, expires }])
      const [row] = await eventually(
        async () => {
          host.clock.advance(1_000)
          return (await endsOf(plain.queue)).filter(({ key }) => key === 'expires')
        },
        rows => rows.length > 0,
      )
      assert.deepEqual([row?.status, row?.reason, row?.attempt], ['failed', 'expired', 1])
    })

    it('that is cancelled before it starts is returned, and a running one gets no further attempt', async () => {
      const { act, waiting } = held()
      plain.act = act
      const ids = ['019a2f5e-7c1b-7d3e-9a64-2b8c1f0e5d47', '019a2f5e-7c1b-7d3e-9a64-2b8c1f0e5d48'] as const
      await add(plain.queue, [{ key: 'cancelled', id: ids[0] }])
      await eventually(
        () => waiting.length,
        count => count === 1,
      )
      plain.act = async () => FAILED
      await add(plain.queue, [
        { key: 'cancelled', id: ids[1], due: new Date(now().getTime() + 60_000), payload: { n: 8 } },
      ])
      const cancelled = await host.db.transaction(tx => host.jobs.cancel(tx, plain.queue, ids))
      assert.deepEqual(cancelled, [{ id: ids[1], payload: { n: 8 } }])
      waiting[0]?.()
      const rows = await eventually(
        async () => (await endsOf(plain.queue)).filter(({ key }) => key === 'cancelled'),
        found => found.length > 0,
      )
      assert.deepEqual(
        rows.map(({ attempt, status }) => [attempt, status]),
        [[1, 'ok']],
      )
      plain.act = async () => OK
    })
  })
}

function aKey({ host, add, endedOf, waitingIn, plain, rated, ordered, ranked }: World): void {
  describe('a key', () => {
    it('has as many concurrent attempts as set for the queue, or for the key', async () => {
      const { act, waiting, release } = held()
      plain.act = act
      await host.db.transaction(tx =>
        host.jobs.setKey(
          tx,
          plain.queue,
          { key: 'wide', org: 'home' as OrgId },
          { limits: { concurrency: 6, rate: null } },
        ),
      )
      for (const [key, count] of [
        ['narrow', 4],
        ['wide', 6],
      ] as const) {
        await add(plain.queue, jobs(10, 0, { key }))
        await eventually(
          () => waiting.length,
          length => length >= count,
        )
        await pause(100)
        assert.equal(waiting.length, count, key)
        plain.act = async () => OK
        release()
        await eventually(
          () => waitingIn(plain.queue),
          left => left === 0,
        )
        plain.act = act
      }
      plain.act = async () => OK
    })

    it('that is paused starts nothing until it is resumed', async () => {
      const key = { key: 'paused', org: 'home' as OrgId }
      const set = (isPaused: boolean) => host.db.transaction(tx => host.jobs.setKey(tx, plain.queue, key, { isPaused }))
      await set(true)
      await add(plain.queue, jobs(3, 0, { key: 'paused' }))
      await pause(300)
      const made = () => plain.calls.filter(one => one.key === 'paused').length
      assert.equal(made(), 0)
      await set(false)
      await eventually(made, count => count === 3)
    })

    it('with a rate starts no more within its period', async () => {
      const times: number[] = []
      rated.act = async () => {
        times.push(performance.now())
        return OK
      }
      await add(rated.queue, jobs(9))
      await endedOf(rated.queue, 9)
      for (let at = 3; at < 9; at++) {
        const ms = (times[at] as number) - (times[at - 3] as number)
        assert.ok(ms >= 950, `${ms} ms between attempts ${at - 3} and ${at}`)
      }
    })

    it('of an ordered queue runs jobs one after the other, and none before a retried one', async () => {
      const seen: number[] = []
      let failures = 0
      ordered.act = async ({ payload: { n } }) => {
        seen.push(n)
        await pause(5)
        return n === 3 && failures++ < 2 ? FAILED : OK
      }
      await add(ordered.queue, jobs(10))
      await endedOf(ordered.queue, 10)
      assert.deepEqual(seen, [0, 1, 2, 3, 3, 3, 4, 5, 6, 7, 8, 9])
    })

    it('runs jobs with a higher priority first', async () => {
      const { act, waiting } = held()
      ranked.act = act
      await add(ranked.queue, [{ payload: { n: 0 } }])
      await eventually(
        () => waiting.length,
        count => count === 1,
      )
      ranked.act = async () => OK
      await add(ranked.queue, [
        { payload: { n: 1 } },
        { payload: { n: 2 }, priority: 1 },
        { payload: { n: 3 }, priority: 2 },
        { payload: { n: 4 }, priority: 2 },
      ])
      waiting[0]?.()
      const rows = await endedOf(ranked.queue, 5)
      assert.deepEqual(
        rows.map(({ n }) => n),
        [0, 3, 4, 2, 1],
      )
    })
  })
}

function aBacklog({ add, endsOf, endedOf, bounded, recorded }: World): void {
  describe('a backlog', () => {
    it('over its bound is refused as a whole, for the key and for the organisation', async () => {
      const { act, release } = held()
      bounded.act = act
      await add(bounded.queue, jobs(3, 0, { key: 'full' }))
      const refused = (error: unknown) => error instanceof Fault && error.code === 'conflict'
      await assert.rejects(add(bounded.queue, jobs(2, 10, { key: 'full' })), refused)
      await add(bounded.queue, jobs(2, 20, { key: 'other' }))
      await assert.rejects(add(bounded.queue, jobs(1, 30, { key: 'third' })), refused)
      await add(bounded.queue, jobs(1, 40, { key: 'of-others', org: 'other' }))
      bounded.act = async () => OK
      release()
      const rows = await endedOf(bounded.queue, 6)
      assert.deepEqual(rows.map(({ n }) => n).sort(), [0, 1, 2, 20, 21, 40])
      await add(bounded.queue, jobs(3, 50, { key: 'full' }))
      await endedOf(bounded.queue, 9)
    })

    it('over its limit ends jobs with an outcome if the queue is declared so', async () => {
      const { act, release } = held()
      recorded.act = act
      await add(recorded.queue, jobs(5))
      const rows = await endsOf(recorded.queue)
      assert.deepEqual(
        rows.map(({ n, attempt, status, reason }) => [n, attempt, status, reason]),
        [
          [4, 1, 'failed', 'backlog'],
          [3, 1, 'failed', 'backlog'],
        ],
      )
      recorded.act = async () => OK
      release()
      await endedOf(recorded.queue, 5)
      await add(recorded.queue, jobs(1, 9))
      assert.equal((await endedOf(recorded.queue, 6)).at(-1)?.status, 'ok')
    })
  })
}
