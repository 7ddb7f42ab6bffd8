// Keys that stay with their process after their last job.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../../test/eventually.ts'
import { startHost } from '../../../test/host.ts'
import { jobs, newQueue, startQueues } from '../../../test/queue-world.ts'
import type { OrgId } from '../../kit/caller.ts'
import { service } from '../../kit/service.ts'

const plain = newQueue('held.plain')
// The clock stands still, so that nobody looks for work without being told of it.
const now = '2026-11-15T09:00:00.000Z'
const { host, add, endedOf } = await startQueues([plain.queue], { now })

const holderOf = async (key: string) =>
  (
    await host.db<{ holder: string | null; due: string | null }>`select holder, due from queue_keys where key = ${key}`
  )[0]

describe('a key whose jobs are done', () => {
  it('stays with its process for a while, which needs not claim it for the next one', async () => {
    await add(plain.queue, jobs(1, 0, { key: 'kept' }))
    await endedOf(plain.queue, 1)
    const before = await holderOf('kept')
    assert.ok(before?.holder)
    await host.db.transaction(async tx => {
      await host.jobs.add(tx, plain.queue, [{ key: 'kept', org: 'home' as OrgId, payload: { n: 1 } }])
      const [row] = await tx<{ due: string | null }>`select due from queue_keys where key = 'kept'`
      assert.equal(row?.due, null)
    })
    await endedOf(plain.queue, 2)
    assert.equal((await holderOf('kept'))?.holder, before.holder)
  })

  it('gets what other processes add, which tell its own', async t => {
    const services = [service({ name: 'specimen', what: 'For tests', queues: [plain.queue] })]
    const other = await startHost({ services, beside: host, runsBackground: false }, t)
    assert.ok((await holderOf('kept'))?.holder)
    await other.db.transaction(tx =>
      other.jobs.add(tx, plain.queue, [{ key: 'kept', org: 'home' as OrgId, payload: { n: 2 } }]),
    )
    const rows = await endedOf(plain.queue, 3)
    assert.deepEqual(
      rows.map(({ n, status }) => [n, status]),
      [0, 1, 2].map(n => [n, 'ok']),
    )
  })

  it('is released and forgotten later', async () => {
    host.clock.advance(6_000)
    await eventually(
      () => holderOf('kept'),
      row => row === undefined,
    )
  })
})
