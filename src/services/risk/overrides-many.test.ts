import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'
import { riskCalls } from '../../../test/publishers.ts'
import type { Database, SqlValue } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { openOverrideCache } from './override-cache.ts'

const host = await startHost()
const { ok, put, clear, writeOverride, lookUp, resolve, setOf, sets } = riskCalls(host)

const MANY = 3_000
const SETS: Record<string, (n: number) => string> = {
  domain: n => `d${n}.example.com`,
  net: n => `10.${n >> 8}.${n & 255}.0/24`,
  asn: n => `${n * 10}-${n * 10 + 5}`,
  bin: n => String(40_000_000 + n),
  pep: n => `person ${n}`,
}

/** An organisation with many overrides on each of these sets. */
async function organisationWith(slug: string, names: string[], count = MANY) {
  const { org, key } = await host.organisation(slug)
  for (const set of names) {
    const entries = Array.from({ length: count }, (_, n) => ({
      key: SETS[set]?.(n) as string,
      verdict: n % 2 ? 'allow' : 'deny',
      ...(n % 3 && { note: n % 3 === 1 ? `note ${n}` : '' }),
    }))
    for (let from = 0; from < count; from += 1_000) ok(await put(set, entries.slice(from, from + 1_000), key))
  }
  return { org: org as OrgId, key }
}

/** The database, recording the values and the number of rows of each statement. */
function recording(db: Database) {
  const statements: { values: SqlValue[]; rows: number }[] = []
  const sql = async <Row extends object>(strings: TemplateStringsArray, ...values: SqlValue[]) => {
    const rows = await db<Row>(strings, ...values)
    statements.push({ values, rows: rows.length })
    return rows
  }
  const recorded = Object.assign(sql, { ...db, for: () => recorded }) as Database
  return { db: recorded, statements }
}

describe('an organisation with many overrides', () => {
  it('gets the same answers as one with few', async () => {
    const { key: as } = await organisationWith('answered', Object.keys(SETS))
    for (const n of [0, 1, 2, 1_000, 1_999, 2_999]) {
      const expected = [n % 2 === 0, 'override', n % 2 ? 'allow' : 'deny', [undefined, `note ${n}`, ''][n % 3]]
      for (const [set, key, matched] of [
        ['domain', `someone@mx.d${n}.example.com`, SETS.domain?.(n)],
        ['net', `10.${n >> 8}.${n & 255}.7`, SETS.net?.(n)],
        ['asn', `AS${n * 10 + 3}`, SETS.asn?.(n)],
        ['bin', `${40_000_000 + n}11112222`, SETS.bin?.(n)],
        ['pep', ` person ${n} `, SETS.pep?.(n)],
      ] as const) {
        const { hit, from, verdict, value, matched: found } = await lookUp(set, key, as)
        assert.deepEqual([hit, from, verdict, value?.note, found], [...expected, matched], `${set} ${n}`)
      }
    }
    const { answers } = ok(await resolve({ keys: ['x.example.com', '11.0.0.1', 'AS9', '4001 0000'] }, as))
    for (const { set, key, from } of answers) assert.notEqual(from, 'override', `${set} ${key}`)
    for (const set of Object.keys(SETS)) assert.equal((await setOf(set, as)).overrides, MANY)
    const listed: { set: string; overrides: number }[] = (await sets(as)).sets
    assert.equal(
      listed.reduce((sum, { overrides }) => sum + overrides, 0),
      MANY * Object.keys(SETS).length,
    )
  })

  it('sees each write in the next look-up when it crosses the limit in either direction', async () => {
    const { key: as } = await organisationWith('writing', ['domain'], 1_990)
    for (let n = 0; n < 20; n++) {
      await writeOverride('domain', 'deny', `new${n}.com`, as)
      assert.equal((await lookUp('domain', `new${n}.com`, as)).verdict, 'deny')
      await writeOverride('domain', 'allow', `new${n}.com`, as, `n${n}`)
      const { verdict, value } = await lookUp('domain', `new${n}.com`, as)
      assert.deepEqual([verdict, value.note], ['allow', `n${n}`])
    }
    assert.equal((await setOf('domain', as)).overrides, 2_010)
    for (let n = 0; n < 20; n++) {
      assert.equal(ok(await clear('domain', `new${n}.com`, as)).cleared, true)
      assert.notEqual((await lookUp('domain', `new${n}.com`, as)).from, 'override')
    }
    assert.equal((await lookUp('domain', 'd0.example.com', as)).from, 'override')
    for (const other of [host.home.key, host.other.key])
      assert.notEqual((await lookUp('domain', 'd0.example.com', other)).from, 'override')
  })

  it('reads a few rows per requested set, and after a write only for that set', async () => {
    const { org, key: as } = await organisationWith('counted', ['domain', 'net', 'pep'])
    const { db, statements } = recording(host.db)
    const overrides = await openOverrideCache({ ...host.engines, db })
    const statementsFor = async (...names: string[]) => {
      statements.length = 0
      const found = await overrides.get(org, names)
      for (const set of names) assert.ok((found.get(set)?.table.find(SETS[set]?.(7) as string) ?? -1) >= 0, set)
      const read = statements.flatMap(({ values }) => Object.keys(SETS).filter(set => values.includes(set)))
      const rows = statements.reduce((sum, one) => sum + one.rows, 0)
      return { read: read.sort(), rows }
    }
    assert.equal((await overrides.counts(org)).get('net'), MANY)
    assert.deepEqual(await statementsFor('domain'), { read: ['domain'], rows: 3 })
    assert.deepEqual(await statementsFor('domain', 'net'), { read: ['net'], rows: 3 })
    assert.deepEqual(await statementsFor('domain', 'net', 'pep'), { read: ['pep'], rows: 3 })
    assert.deepEqual(await statementsFor('domain', 'net', 'pep'), { read: [], rows: 0 })
    await writeOverride('net', 'deny', '192.0.2.0/24', as)
    await writeOverride('net', 'deny', '192.0.2.0/24', host.other.key)
    await host.db.waitForNotifications()
    assert.deepEqual(await statementsFor('domain', 'net', 'pep'), { read: ['net'], rows: 1 + 4 })
    await writeOverride('domain', 'deny', 'elsewhere.com', host.other.key)
    await host.db.waitForNotifications()
    assert.deepEqual(await statementsFor('domain', 'net', 'pep'), { read: [], rows: 0 })
  })

  it('needs one query if it has few overrides, and none while they are cached', async () => {
    const { org, key: as } = await organisationWith('few', ['domain', 'net', 'pep'], 600)
    const { db, statements } = recording(host.db)
    const overrides = await openOverrideCache({ ...host.engines, db })
    for (const count of [1, 0, 0]) {
      statements.length = 0
      const found = await overrides.get(org)
      assert.deepEqual([...found.keys()].sort(), ['domain', 'net', 'pep'])
      assert.equal(statements.length, count)
    }
    await writeOverride('net', 'deny', '192.0.2.0/24', as)
    await host.db.waitForNotifications()
    statements.length = 0
    assert.ok(((await overrides.get(org)).get('net')?.table.find('192.0.2.1') ?? -1) >= 0)
    assert.equal(statements.length, 1)
  })
})
