import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openPace } from './pace.ts'

/** A pace with its own clock and event loop; `begin` starts as many attempts as it may within that time. */
function openWorld(orgs: readonly string[]) {
  const world = { nowMs: 0, busy: 0 }
  const pace = openPace(
    () => world.nowMs,
    () => world.busy,
  )
  for (const org of orgs) pace.begun(org)
  const begin = (ms: number, askMax: number) => {
    let count = 0
    for (const untilMs = world.nowMs + ms; world.nowMs < untilMs; world.nowMs += 5) {
      for (const org of orgs) pace.begun(org)
      for (let n = 0; n < askMax && pace.mayHaveMore(); n++) count++
    }
    return count
  }
  return { world, pace, begin }
}

describe('the pace of attempts', () => {
  it('is not limited for a single organisation, however busy the event loop is', () => {
    const { world, begin } = openWorld(['one'])
    world.busy = 1
    assert.equal(begin(1_000, 300), 200 * 300)
  })

  it('falls while others have attempts and the event loop is busy, but never to zero', () => {
    const { world, pace, begin } = openWorld(['one', 'other'])
    world.busy = 0.99
    begin(2_000, 300)
    const count = begin(1_000, 300)
    assert.ok(count > 100 && count <= 220, `${count} a second`)
    assert.equal(pace.wasShort(), true)
    assert.equal(pace.wasShort(), false)
  })

  it('rises while the event loop has time, beyond the demand', () => {
    const { world, begin } = openWorld(['one', 'other'])
    world.busy = 0.99
    begin(2_000, 300)
    world.busy = 0.3
    begin(3_000, 300)
    assert.ok(begin(1_000, 300) > 10_000)
  })

  it("is unlimited again ten seconds after the others' last attempt", () => {
    const { world, pace } = openWorld(['one', 'other'])
    world.busy = 1
    for (let n = 0; n < 500; n++) pace.mayHaveMore()
    assert.equal(pace.mayHaveMore(), false)
    world.nowMs += 10_001
    pace.begun('one')
    for (let n = 0; n < 5_000; n++) assert.equal(pace.mayHaveMore(), true)
  })
})
