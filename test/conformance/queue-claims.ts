// Tests for every queue implementation: external workers that claim jobs for a time and prove it with a lease.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Tx } from '../../src/engines/engines.ts'
import { eventually } from '../eventually.ts'
import { FAILED, newQueue, OK } from '../queue-world.ts'
import type { OpenQueues } from './queue.ts'

export function queueClaimsConform(name: string, open: OpenQueues): void {
  describe(`a worker outside: ${name}`, async () => {
    const pulled = newQueue('specimen.pulled', { isPulled: true, priorities: 2 })
    const { host, add, endsOf, waitingIn } = await open([pulled.queue])
    const write = <T>(work: (tx: Tx) => Promise<T>) => host.db.transaction(work)
    const claim = (keys: string[], max = 10, leaseMs = 60_000) =>
      write(tx => host.jobs.claim(tx, pulled.queue, keys, max, leaseMs))

    it('claims jobs by priority exclusively, and ends them', async () => {
      await add(pulled.queue, [
        { key: 'p', payload: { n: 1 } },
        { key: 'p', payload: { n: 2 }, priority: 1 },
        { key: 'q', payload: { n: 3 } },
      ])
      const [first, ...none] = await claim(['p'], 1)
      assert.deepEqual([first?.payload.n, first?.attempt, none.length], [2, 1, 0])
      const rest = await claim(['p', 'q'])
      assert.deepEqual(rest.map(({ payload }) => payload.n).sort(), [1, 3])
      assert.deepEqual(await claim(['p', 'q']), [])
      assert.equal(await write(tx => host.jobs.end(tx, pulled.queue, first!, OK)), true)
      assert.equal(await write(tx => host.jobs.end(tx, pulled.queue, first!, OK)), false)
      for (const one of rest) assert.equal(await write(tx => host.jobs.end(tx, pulled.queue, one, OK)), true)
      assert.equal((await endsOf(pulled.queue)).length, 3)
      assert.equal(await waitingIn(pulled.queue), 0)
    })

    it('that fails has the job tried again, and one that is lost too, until no attempt is left', async () => {
      await add(pulled.queue, [{ key: 'lost', payload: { n: 10 } }])
      const [one] = await claim(['lost'])
      assert.equal(await write(tx => host.jobs.end(tx, pulled.queue, one!, FAILED)), true)
      assert.deepEqual(await claim(['lost']), [])
      host.clock.advance(1_000)
      const [two] = await claim(['lost'], 1)
      assert.equal(two?.attempt, 2)
      assert.equal(await write(tx => host.jobs.extend(tx, pulled.queue, two!, 100)), true)
      await pause(200)
      assert.equal(await write(tx => host.jobs.extend(tx, pulled.queue, two!, 200)), false)
      const [three] = await claim(['lost'], 1, 50)
      assert.equal(three?.attempt, 3)
      assert.equal(await write(tx => host.jobs.end(tx, pulled.queue, two!, OK)), false, 'its claim is over')
      const rows = await eventually(
        async () => {
          host.clock.advance(10_000)
          return (await endsOf(pulled.queue)).filter(({ key }) => key === 'lost')
        },
        found => found.length === 2,
      )
      assert.deepEqual(
        rows.map(({ attempt, status, reason }) => [attempt, status, reason]),
        [
          [1, 'retrying', null],
          [3, 'failed', 'interrupted'],
        ],
      )
    })
  })
}
