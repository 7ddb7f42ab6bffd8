import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startOf } from './calendar.ts'
import { LEVELS } from './compact.ts'
import { partsOf } from './pieces.ts'

const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16)
const shown = (from: string, to: string, added: string | null, zone = 'Europe/Vienna') => {
  const built = added === null ? null : { zone, addedMs: Date.parse(added) }
  const { pieces, closed } = partsOf({ fromMs: Date.parse(from), toMs: Date.parse(to) }, built)
  const names = Object.keys(LEVELS)
  return [
    ...pieces.map(({ level, fromMs, toMs }) => `${names[level]} ${iso(fromMs)} ${iso(toMs)}`),
    closed && `closed ${iso(closed.fromMs)} ${iso(closed.toMs)}`,
  ]
}

it('reads a time by months, by days beside them, and by quarters of an hour at its ends', () => {
  assert.deepEqual(shown('2026-01-30T10:00Z', '2026-04-02T10:00Z', '2026-11-15T09:00Z'), [
    'quarter 2026-01-30T10:00 2026-01-30T23:00',
    'day 2026-01-30T23:00 2026-01-31T23:00',
    'month 2026-01-31T23:00 2026-03-31T22:00',
    'day 2026-03-31T22:00 2026-04-01T22:00',
    'quarter 2026-04-01T22:00 2026-04-02T10:00',
    'closed 2026-01-30T23:00 2026-04-01T22:00',
  ])
})

it('reads a month or day that is not over as far as it is complete, which is not closed', () => {
  assert.deepEqual(shown('2026-10-31T23:00Z', '2026-11-15T23:00Z', '2026-11-15T09:00Z'), [
    'month 2026-10-31T23:00 2026-11-15T09:00',
    'quarter 2026-11-15T09:00 2026-11-15T23:00',
    null,
  ])
  assert.deepEqual(shown('2026-11-12T23:00Z', '2026-11-15T23:00Z', '2026-11-15T09:00Z'), [
    'day 2026-11-12T23:00 2026-11-15T09:00',
    'quarter 2026-11-15T09:00 2026-11-15T23:00',
    'closed 2026-11-12T23:00 2026-11-14T23:00',
  ])
})

it('reads all of it by quarters of an hour if nothing was added up, or not enough', () => {
  for (const added of [null, '2026-01-01T00:00Z']) {
    assert.deepEqual(shown('2026-10-01T00:00Z', '2026-11-01T00:00Z', added), [
      'quarter 2026-10-01T00:00 2026-11-01T00:00',
      null,
    ])
  }
})

it('covers any time once, in at most five pieces, each of which is whole at its level', () => {
  const zones = ['UTC', 'Europe/Vienna', 'Asia/Kathmandu', 'Australia/Lord_Howe']
  const year = Date.parse('1970-01-01Z')
  for (let n = 1; n < 400; n++) {
    const zone = zones[n % zones.length] as string
    const quarter = (seed: number) => year + ((seed * 2_654_435_761) % (56 * 365 * 96)) * 900_000
    const [fromMs, toMs] = [quarter(n), quarter(n * 7 + 1)].sort((a, b) => a - b) as [number, number]
    const addedMs = quarter(n * 13 + 5)
    if (fromMs === toMs) continue
    const { pieces } = partsOf({ fromMs, toMs }, { zone, addedMs })
    assert.ok(pieces.length <= 5)
    assert.deepEqual([pieces[0]?.fromMs, pieces.at(-1)?.toMs], [fromMs, toMs])
    for (const [at, piece] of pieces.entries()) {
      if (at > 0) assert.equal(piece.fromMs, pieces[at - 1]?.toMs)
      if (piece.level === LEVELS.quarter) continue
      const unit = piece.level === LEVELS.day ? 'day' : 'month'
      assert.equal(startOf(zone, unit, piece.fromMs), piece.fromMs)
      assert.ok(startOf(zone, unit, piece.toMs) === piece.toMs || piece.toMs === addedMs, 'it ends with a day or month')
      assert.ok(piece.toMs <= addedMs)
    }
  }
})
