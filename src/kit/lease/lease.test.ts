import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'
import { withLease } from './lease.ts'

const host = await startHost()
const { engines, clock, db } = host
const never = new AbortController().signal
const held = async (name: string) =>
  (await db`select from leases where name = ${name} and until > clock_timestamp()`).length
const turn = () => new Promise(done => setTimeout(done, 5))

describe('a lease', () => {
  it('is held by one at a time, and free again afterwards', async () => {
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
    while ((await held('one')) === 0) await turn()
    assert.equal(await withLease(engines, 'one', never, async () => 'second'), null)
    assert.equal(await withLease(engines, 'other', never, async () => 'another'), 'another')
    finish()
    assert.equal(await first, 'done')
    assert.equal(await held('one'), 0)
    assert.equal(await withLease(engines, 'one', never, async () => 'third'), 'third')
  })

  it('is free again after work that failed', async () => {
    const fails = async () => {
      throw new Error('on purpose')
    }
    await assert.rejects(withLease(engines, 'two', never, fails), /on purpose/)
    assert.equal(await held('two'), 0)
  })

  it('is taken over from a holder that died', async () => {
    await db`insert into leases values ('three', 'somebody', clock_timestamp() + interval '1 hour')`
    assert.equal(await withLease(engines, 'three', never, async () => 'mine'), null)
    await db`update leases set until = clock_timestamp() - interval '1 second' where name = 'three'`
    assert.equal(await withLease(engines, 'three', never, async () => 'mine'), 'mine')
  })

  it('is renewed while the work goes on, and its loss ends the work', async () => {
    const until = async () =>
      (await db<{ until: string }>`select until from leases where name = 'four'`)[0]?.until ?? ''
    const ended = withLease(engines, 'four', never, async ({ signal }) => {
      const before = await until()
      clock.advance(10_000)
      while ((await until()) === before) await turn()
      assert.equal(signal.aborted, false)
      await db`update leases set holder = 'another', fence = fence + 1 where name = 'four'`
      clock.advance(10_000)
      while (!signal.aborted) await turn()
      return 'ended'
    })
    assert.equal(await ended, 'ended')
    assert.equal(await held('four'), 1, 'it is not ours to give back')
  })
})
