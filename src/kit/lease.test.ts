import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../test/host.ts'
import { withLease } from './lease.ts'

const host = await startHost()
const { engines, clock, db } = host
const never = new AbortController().signal
const activeCount = async (name: string) =>
  (await db`select from leases where name = ${name} and until > clock_timestamp()`).length
const pause = () => new Promise(done => setTimeout(done, 5))

describe('a lease', () => {
  it('is held by one process at a time, and is free afterwards', async () => {
    let finish = () => {}
    const first = withLease(
      engines,
      'one',
      never,
      () =>
        new Promise<string>(done => {
          finish = () => done('done')
        }),
    )
    while ((await activeCount('one')) === 0) await pause()
    assert.equal(await withLease(engines, 'one', never, async () => 'second'), null)
    assert.equal(await withLease(engines, 'other', never, async () => 'another'), 'another')
    finish()
    assert.equal(await first, 'done')
    assert.equal(await activeCount('one'), 0)
    assert.equal(await withLease(engines, 'one', never, async () => 'third'), 'third')
  })

  it('is free after the work fails', async () => {
    const fails = async () => {
      throw new Error('on purpose')
    }
    await assert.rejects(withLease(engines, 'two', never, fails), /on purpose/)
    assert.equal(await activeCount('two'), 0)
  })

  it('passes to another holder after it expired', async () => {
    await db`insert into leases values ('three', 'another', clock_timestamp() + interval '1 hour')`
    assert.equal(await withLease(engines, 'three', never, async () => 'mine'), null)
    await db`update leases set until = clock_timestamp() - interval '1 second' where name = 'three'`
    assert.equal(await withLease(engines, 'three', never, async () => 'mine'), 'mine')
  })

  it('is renewed during the work, and its loss aborts the work', async () => {
    const until = async () =>
      (await db<{ until: string }>`select until from leases where name = 'four'`)[0]?.until ?? ''
    const ended = withLease(engines, 'four', never, async ({ signal }) => {
      const before = await until()
      clock.advance(10_000)
      while ((await until()) === before) await pause()
      assert.equal(signal.aborted, false)
      await db`update leases set holder = 'another', fence = fence + 1 where name = 'four'`
      clock.advance(10_000)
      while (!signal.aborted) await pause()
      return 'ended'
    })
    assert.equal(await ended, 'ended')
    assert.equal(await activeCount('four'), 1, 'a lost lease must not be released')
  })
})
