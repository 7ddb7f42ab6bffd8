import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isZone, startOf, timeShowing, wallMs } from './calendar.ts'

const HOUR_MS = 3_600_000
const at = Date.parse
const iso = (ms: number) => new Date(ms).toISOString()
const hoursOf = (zone: string, day: string) => {
  const start = startOf(zone, 'day', at(day))
  return (startOf(zone, 'day', start, 1) - start) / HOUR_MS
}

it('knows a zone by any spelling, with bounded memory', () => {
  assert.deepEqual(['europe/VIENNA', 'Europe/Wien', '+05:30', '+05:37', '-00:01'].map(isZone), [
    true,
    false,
    true,
    false,
    false,
  ])
  const spellings = Array.from({ length: 14 }, (_, bit) =>
    'america/new_york'.replace(/[a-z]/g, (c, at) => (at === bit ? c.toUpperCase() : c)),
  )
  for (const zone of spellings)
    assert.equal(iso(startOf(zone, 'day', at('2026-11-15T12:00:00Z'))), '2026-11-15T05:00:00.000Z')
})

describe('a day of a zone', () => {
  it('has 23 or 25 hours where the clock is changed', () => {
    assert.equal(hoursOf('Europe/Vienna', '2026-03-29T12:00:00Z'), 23)
    assert.equal(hoursOf('Europe/Vienna', '2026-10-25T12:00:00Z'), 25)
    assert.equal(hoursOf('Europe/Vienna', '2026-06-01T12:00:00Z'), 24)
    assert.equal(hoursOf('Australia/Lord_Howe', '2026-04-05T02:00:00Z'), 24.5)
  })

  it('begins at its midnight, also in zones with parts of an hour', () => {
    assert.equal(iso(startOf('Asia/Kolkata', 'day', at('2026-11-15T18:29:59.999Z'))), '2026-11-14T18:30:00.000Z')
    assert.equal(iso(startOf('Asia/Kathmandu', 'day', at('2026-11-15T18:15:00.000Z'))), '2026-11-15T18:15:00.000Z')
    assert.equal(iso(startOf('America/New_York', 'day', at('2026-11-15T04:59:59.999Z'))), '2026-11-14T05:00:00.000Z')
  })

  it('that has no midnight begins when the clock is changed', () => {
    assert.equal(iso(startOf('America/Sao_Paulo', 'day', at('2018-11-04T12:00:00Z'))), '2018-11-04T03:00:00.000Z')
    assert.equal(hoursOf('America/Sao_Paulo', '2018-11-04T12:00:00Z'), 23)
  })

  it('is followed by the next one, for ten years', () => {
    for (const zone of ['UTC', 'Europe/Vienna', 'America/St_Johns', 'Asia/Kathmandu', 'Africa/Cairo', 'Pacific/Apia']) {
      let start = startOf(zone, 'day', at('2009-01-01T12:00:00Z'))
      for (let n = 0; n < 3_700; n++) {
        const next = startOf(zone, 'day', start, 1)
        assert.equal(startOf(zone, 'day', next - 1), start, `${zone} ${iso(start)}`)
        assert.equal(startOf(zone, 'day', next), next, `${zone} ${iso(next)}`)
        start = next
      }
    }
  })
})

describe('weeks, months and hours of a zone', () => {
  it('begin on Monday, on the first, and with the hour of the clock', () => {
    assert.equal(iso(startOf('UTC', 'week', at('2026-11-19T10:00:00Z'))), '2026-11-16T00:00:00.000Z')
    assert.equal(iso(startOf('Europe/Vienna', 'month', at('2026-10-31T23:30:00Z'))), '2026-10-31T23:00:00.000Z')
    assert.equal(iso(startOf('Europe/Vienna', 'month', at('2026-11-19T10:00:00Z'), -11)), '2025-11-30T23:00:00.000Z')
    assert.equal(iso(startOf('Asia/Kathmandu', 'hour', at('2026-11-19T10:20:00Z'))), '2026-11-19T10:15:00.000Z')
  })
})

describe('a clock of a zone', () => {
  it('is read and found again, also before 1970', () => {
    for (const text of ['2026-07-01T10:20:30.456Z', '1969-12-31T23:59:59.999Z', '2026-10-25T01:30:00.000Z']) {
      const wall = wallMs('Europe/Vienna', at(text))
      assert.equal(wallMs('Europe/Vienna', timeShowing('Europe/Vienna', wall)), wall)
    }
  })

  it('has a name that is known, in any case', () => {
    assert.deepEqual(['europe/vienna', 'UTC', 'Mars/Olympus', ''].map(isZone), [true, true, false, false])
  })
})
