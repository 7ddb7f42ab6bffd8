import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Clock } from '../engines.ts'
import { manualClock, systemClock } from './clock.ts'

/** What any clock must do. */
function conforms(name: string, clock: Clock, pass: () => Promise<void> | void): void {
  describe(`${name} clock`, () => {
    it('tells the time as a date of its own that nobody can move', () => {
      const told = clock.now()
      told.setFullYear(1970)
      assert.notEqual(clock.now().getFullYear(), 1970)
    })

    it('goes forward and never back', async () => {
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
  it('stands still until it is moved, and then moves by exactly that', () => {
    const clock = manualClock('2026-11-15T09:00:00.000Z')
    assert.equal(clock.now().toISOString(), '2026-11-15T09:00:00.000Z')
    clock.advance(90_000)
    assert.equal(clock.now().toISOString(), '2026-11-15T09:01:30.000Z')
  })
})
