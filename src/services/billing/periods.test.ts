import assert from 'node:assert/strict'
import { it } from 'node:test'
import { splitPeriod } from './periods.ts'

const NEVER = { since: 'infinity', until: '-infinity' }
const at = (time: string) => `2026-11-15T${time}Z`

it('a period has whole hours, and parts of an hour at both ends', () => {
  const first = { since: at('09:30:00.000'), until: at('10:00:00.000') }
  const last = { since: at('12:00:00.000'), until: at('12:00:01.000') }
  const hours = { since: at('10:00:00.000'), until: at('12:00:00.000') }
  assert.deepEqual(splitPeriod({ since: at('09:30:00'), until: at('12:00:01') }), { hours, first, last })
  assert.deepEqual(splitPeriod({ since: at('10:00:00'), until: at('12:00:00Z').slice(0, -1) }), {
    ...{ hours, first: NEVER, last: NEVER },
  })
  const always = { since: '-infinity', until: 'infinity' }
  assert.deepEqual(splitPeriod(always), { hours: always, first: NEVER, last: NEVER })
})

it('a period within one hour has one part', () => {
  const period = { since: at('09:30:00.000'), until: at('09:40:00.000') }
  assert.deepEqual(splitPeriod(period), { hours: NEVER, first: period, last: NEVER })
})

it('nothing is in a period that ends before it begins', () => {
  for (const since of ['15:00:00', '15:00:01', '10:20:00']) {
    assert.deepEqual(splitPeriod({ since: at(since), until: at('10:20:00') }), {
      ...{ hours: NEVER, first: NEVER, last: NEVER },
    })
  }
})

it('a fraction of a millisecond counts as a whole one', () => {
  const { first, hours } = splitPeriod({ since: at('10:00:00.0000001'), until: at('12:00:00.000000') })
  assert.deepEqual(first, { since: at('10:00:00.001'), until: at('11:00:00.000') })
  assert.deepEqual(hours, { since: at('11:00:00.000'), until: at('12:00:00.000') })
})
