import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { timeOf } from './time.ts'

const AT = Date.UTC(2026, 10, 16, 8, 36, 8, 367)

const CASES: [value: unknown, expected: number | null, why: string][] = [
  ['2026-11-16T08:36:08.367Z', AT, 'RFC 3339'],
  ['2026-11-16t08:36:08.367z', AT, 'in lower case'],
  ['2026-11-16T10:36:08.367+02:00', AT, 'with a zone'],
  ['2026-11-16T10:36:08.367+0200', AT, 'with a zone without a colon'],
  ['2026-11-16T06:06:08.367-02:30', AT, 'with a zone west of Greenwich'],
  ['2026-11-16 08:36:08.367', AT, 'without a zone: UTC, whatever the zone of the machine'],
  ['2026-11-16T08:36:08.367999+00:00', AT, 'with microseconds, as Python writes them'],
  ['2026-11-16T08:36:08Z', AT - 367, 'without a fraction'],
  ['2026-11-16T08:36Z', AT - 8367, 'without seconds'],
  ['2026-11-16', Date.UTC(2026, 10, 16), 'a day'],
  [AT, AT, 'milliseconds'],
  [String(AT), AT, 'milliseconds as text'],
  [AT / 1000, AT, 'seconds with a fraction'],
  [`${AT / 1000}`, AT, 'seconds as text'],
  [AT * 1000, AT, 'microseconds'],
  [0, null, 'no clock'],
  [-1, null, 'before 1970'],
  [1e18, null, 'nanoseconds or nonsense'],
  [Number.POSITIVE_INFINITY, null, '1e400 in JSON'],
  [Number.NaN, null, 'not a number'],
  ['2026-02-31T00:00:00Z', null, 'a day that does not exist'],
  ['2026-13-01', null, 'a month that does not exist'],
  ['2026-11-16T25:00:00Z', null, 'an hour that does not exist'],
  ['2026-11-16T12:00:00+25:00', null, 'a zone that does not exist'],
  ['2026-11-16T12:00:00-99', null, 'a zone that does not exist, in hours'],
  ['2026-11-16T12:00:00+0160', null, 'a zone with 60 minutes'],
  ['2026-11-16T23:59:00.000+23:59', Date.UTC(2026, 10, 16), 'the last zone of RFC 3339'],
  ['1969-12-31T00:00:00Z', null, 'a date before 1970'],
  ['yesterday', null, 'words'],
  ['Mon, 16 Nov 2026 08:36:08 GMT', null, 'the format of e-mails'],
  ['', null, 'an empty text'],
  [null, null, 'null'],
  [{}, null, 'an object'],
  [[AT], null, 'a list'],
]

for (const [value, expected, why] of CASES) {
  it(`reads ${JSON.stringify(value)} as ${expected}: ${why}`, () => assert.equal(timeOf(value), expected))
}

it('reads what JavaScript writes', () => {
  const date = fc.date({ min: new Date(1), max: new Date(Date.UTC(9999, 11, 31)), noInvalidDate: true })
  fc.assert(fc.property(date, at => assert.equal(timeOf(at.toISOString()), at.getTime())))
})

it('never fails, and yields whole milliseconds', () => {
  fc.assert(
    fc.property(fc.anything(), value => {
      const time = timeOf(value)
      assert.ok(time === null || (Number.isInteger(time) && time >= 0))
    }),
  )
})
