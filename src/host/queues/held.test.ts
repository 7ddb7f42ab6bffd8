// Keys that stay with their process after their last job.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../../test/eventually.ts'
import { startHost } from '../../../test/host.ts'
import { FAILED, jobs, newQueue, OK, startQueues } from '../../../test/queue-world.ts'
import type { OrgId } from '../../kit/caller.ts'
import { service } from '../../kit/service.ts'

// Attempts wait for the test, however long that takes.
const plain = newQueue('held.plain', { deadlineMs: 600_000 })
const ordered = newQueue('held.ordered', { isOrdered: true, pausesMs: [60_000, 300_000] })
// The clock does not advance, so nobody polls for work without a notification.
const now = '2026-11-15T09:00:00.000Z'
const { host, add, endedOf } = await startQueues([plain.queue, ordered.queue], { now })

const holderOf = async (key: string) =>
  (
    await host.db<{ holder: string | null; due: string | null }>`select holder, due from queue_keys where key = ${key}`
  )[0]

describe('a key whose jobs are done', () => {
  it('stays with its process for a while, which need not claim it for the next job', async () => {
    await add(plain.queue, jobs(1, 0, { key: 'kept' }))
    await endedOf(plain.queue, 1)
    const before = await holderOf('kept')
    assert.ok(before?.holder)
    await host.db.transaction(async tx => {
      await host.jobs.add(tx, plain.queue, [{ key: 'kept', org: 'home' as OrgId, payload: { n: 1 } }])
      tx.beforeCommit(async () => {
        const [row] = await tx<{
          waiting: number
          due: string | null
        }>`select waiting, due from queue_keys where key = 'kept'`
        assert.deepEqual(row, { waiting: 1, due: null })
      })
    })
    await endedOf(plain.queue, 2)
    assert.equal((await holderOf('kept'))?.holder, before.holder)
  })

  it('gets jobs that other processes add, which notify its own', async t => {
    const services = [service({ name: 'specimen', what: 'For tests', queues: [plain.queue, ordered.queue] })]
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

describe('a job that is due later', () => {
  it('starts then, although another job was added to its key, whose attempt still runs', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = plain.calls.length
    const due = new Date(host.clock.now().getTime() + 2_000)
    plain.act = async ({ payload: { n } }) => {
      if (n === 11) await promise
      return OK
    }
    await add(plain.queue, jobs(1, 10, { key: 'delayed', due }))
    await add(plain.queue, jobs(1, 11, { key: 'delayed' }))
    await eventually(
      () => plain.calls.length,
      count => count === before + 1,
    )
    host.clock.advance(2_000)
    await eventually(
      () => plain.calls.length,
      count => count === before + 2,
    )
    resolve()
    await endedOf(plain.queue, 5)
  })
})

describe('an ordered key with a failed job', () => {
  it('keeps its pause when jobs are added after its release', async () => {
    ordered.act = async () => FAILED
    await add(ordered.queue, jobs(1, 0, { key: 'paused' }))
    await eventually(
      () => {
        host.clock.advance(500)
        return holderOf('paused')
      },
      row => row?.holder === null && ordered.calls.length === 1,
    )
    await add(ordered.queue, jobs(1, 1, { key: 'paused' }))
    const row = await holderOf('paused')
    assert.ok(Date.parse(row?.due ?? '') >= host.clock.now().getTime() + 50_000, `due ${row?.due}`)
    assert.equal(ordered.calls.length, 1)
  })
})
