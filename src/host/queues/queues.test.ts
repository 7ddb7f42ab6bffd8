import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { queueConforms } from '../../../test/conformance/queue.ts'
import { queueClaimsConform } from '../../../test/conformance/queue-claims.ts'
import { eventually } from '../../../test/eventually.ts'
import { jobs, newQueue, OK, startQueues } from '../../../test/queue-world.ts'

queueConforms('in PostgreSQL', queues => startQueues(queues))
queueClaimsConform('in PostgreSQL', queues => startQueues(queues))

const plain = newQueue('many.plain')
const { host, add, endsOf } = await startQueues([plain.queue])

describe('ten thousand jobs with one that always throws in each hundred', () => {
  it('all end, the others at their first attempt', async () => {
    const isPoison = (n: number) => n % 100 === 99
    plain.act = async ({ payload: { n } }) => {
      if (isPoison(n)) throw new Error('poison')
      return OK
    }
    await host.db`delete from ends where queue = ${plain.queue.id}`
    const keys = Array.from({ length: 50 }, (_, n) => n)
    for (const n of keys) await add(plain.queue, jobs(200, n * 200, { key: `k${n}`, org: `org-${n % 10}` }))
    const rows = await eventually(
      async () => {
        host.clock.advance(1_000)
        await pause(100)
        return endsOf(plain.queue)
      },
      found => found.filter(({ status }) => status !== 'retrying').length === 10_000,
    )
    const ended = rows.filter(({ status }) => status !== 'retrying')
    for (const { n, status, attempt } of ended) {
      assert.deepEqual([status, attempt], isPoison(n) ? ['failed', 3] : ['ok', 1], String(n))
    }
    assert.equal(new Set(ended.map(({ n }) => n)).size, 10_000)
    assert.equal(rows.length, 10_000 + 2 * 100)
    const left = () => host.db`select from queue_keys where queue = ${plain.queue.id} and waiting <> 0`
    assert.equal((await left()).length, 0)
    host.warnings.length = 0
    plain.act = async () => OK
  })
})
