import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Clock } from '../engines.ts'
import { manualClock, systemClock } from './clock.ts'

/** Tests for every clock. */
function conforms(name: string, clock: Clock, pass: () => Promise<void> | void): void {
  describe(`${name} clock`, () => {
    it('returns a new date that callers may modify', () => {
      const date = clock.now()
      date.setFullYear(1970)
      assert.notEqual(clock.now().getFullYear(), 1970)
    })

    it('moves forward', async () => {
      const before = clock.now().getTime()
      await pass()
      assert.ok(clock.now().getTime() > before)
    })
  })
}

const manual = manualClock('2026-11-15T09:00:00.000Z')
conforms('the system', systemClock, () => new Promise(done => setTimeout(done, 5)))
conforms('the manual', manual, () => manual.advance(1))

describe('the manual clock', () => {
  it('changes only when advanced, and by exactly that much', () => {
    const clock = manualClock('2026-11-15T09:00:00.000Z')
    assert.equal(clock.now().toISOString(), '2026-11-15T09:00:00.000Z')
    clock.advance(90_000)
    assert.equal(clock.now().toISOString(), '2026-11-15T09:01:30.000Z')
  })
})
