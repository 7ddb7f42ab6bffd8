import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, startHost } from '../../../test/host.ts'
import { loadSet, publish, refresh, riskCalls, settled, small } from '../../../test/publishers.ts'
import { CATALOGUE } from './catalogue.ts'

const host = await startHost()
const { ok, put, get, writeOverride, sets, setOf, resolve } = riskCalls(host)

const HOUR = 3_600_000
const ORDER = [
  'domain',
  'net',
  'crawler',
  'browser',
  'asn',
  'bin',
  'device',
  'sanction',
  'jurisdiction',
  'pep',
  'issuer',
  'reputation',
]
const NEVER_LOADED = ['domain', 'net', 'crawler', 'browser', 'asn']
const STORED_ELSEWHERE = ['sanction', 'jurisdiction']
const WITHOUT_DATA = ['pep', 'issuer', 'reputation']
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
/** `192h0m0s`; hours and minutes are optional. */
const DURATION = /^(\d+h)?([0-5]?\dm)?0s$/

type One = Answer['body']
const named = async (set: string, as?: string): Promise<One> =>
  (await sets(as)).sets.find((one: One) => one.set === set)
const now = () => host.clock.now().toISOString()

/** Checks the fields that every set has, loaded or not. */
function checkSet(one: One): void {
  const entry = CATALOGUE.find(({ set }) => set === one.set)
  assert.ok(entry, one.set)
  const { set, what, kind, match } = entry
  assert.deepEqual({ set: one.set, what: one.what, kind: one.kind, match: one.match }, { set, what, kind, match })
  assert.equal(one.maxAge, `${entry.maxAgeHours}h0m0s`)
  for (const count of [one.keys, one.overrides]) assert.ok(Number.isInteger(count) && count >= 0, String(count))
  assert.equal(typeof one.version, 'string')
  assert.equal(typeof one.stale, 'boolean')
  if (one.asOf) assert.match(one.asOf, TIME)
  if (one.asOf) assert.match(one.age, DURATION)
  if ('refusal' in one) assert.ok(typeof one.refusal === 'string')
  assert.deepEqual(
    one.sources.map(({ source, basis, terms, origin }: One) => ({ source, basis, terms, origin })),
    entry.sources.map(({ source, basis, terms, origin }) => ({ source, basis, terms, origin })),
  )
  for (const source of one.sources) {
    assert.ok(Number.isInteger(source.keys) && source.keys >= 0)
    if (source.version) assert.match(source.version, /^[0-9a-f]{64}$|^receipt-/)
    if (source.asOf) assert.match(source.asOf, TIME)
  }
}

// The order of the tests matters: these run before any set is loaded.
describe('the listing of sets before anything is loaded', () => {
  it('contains the twelve sets in order, each with all its fields', async () => {
    const all = await sets()
    assert.deepEqual(
      all.sets.map((one: One) => one.set),
      ORDER,
    )
    for (const one of all.sets) checkSet(one)
  })

  it('refuses exactly the sets that were never loaded, are stored elsewhere or have no data', async () => {
    const all = await sets()
    const refusing = all.sets.filter((one: One) => one.refusal).map((one: One) => one.set)
    assert.deepEqual(refusing, [...NEVER_LOADED, ...STORED_ELSEWHERE, ...WITHOUT_DATA])
    assert.deepEqual(all.refused, refusing)
    for (const set of NEVER_LOADED) assert.equal((await named(set)).keys, 0, set)
  })

  it('contains the reason why a set has no data', async () => {
    for (const set of WITHOUT_DATA) {
      assert.equal((await named(set)).refusal, CATALOGUE.find(entry => entry.set === set)?.refusal)
      assert.deepEqual((await named(set)).sources, [])
    }
  })

  it('lists in `stale` exactly the sets that are marked stale', async () => {
    const all = await sets()
    assert.deepEqual(
      all.stale,
      all.sets.filter((one: One) => one.stale).map((one: One) => one.set),
    )
  })

  it('contains local sets without any refresh', async () => {
    const bin = await named('bin')
    assert.match(bin.version, /^structure@[0-9a-f]{64}$/)
    assert.ok(bin.keys > 100)
    assert.match(bin.asOf, TIME)
    assert.equal(bin.stale, false)
    assert.ok(!bin.refusal)
    const { answers } = ok(await resolve({ keys: ['4111 1111'], sets: ['bin'] }))
    assert.equal(answers[0].hit, true)
    assert.equal(answers[0].value.scheme, 'visa')
  })

  it('does not refuse a local set without members', async () => {
    const device = await named('device')
    assert.equal(device.keys, 0)
    assert.ok(!device.refusal)
    const answer = ok(await resolve({ keys: ['ab'.repeat(32)], sets: ['device'] }))
    assert.equal(answer.answers[0].hit, false)
    assert.equal(answer.answers[0].from, 'baseline')
    assert.ok(!answer.answers[0].refusal)
    assert.deepEqual(answer.refused, [])
  })

  it('is the same for every organisation', async () => {
    assert.deepEqual(await sets(host.other.key), await sets())
  })
})

describe('a loaded set', () => {
  it('is listed with its version, its members and its sources, and without a refusal', async () => {
    const { version } = await loadSet(host, 'domain')
    const one = await named('domain')
    checkSet(one)
    const [cc0, mit] = one.sources
    assert.equal(one.version, `disposable@${cc0.version}+disposable-mit@${mit.version}`)
    assert.equal(one.version, version)
    assert.match(cc0.version, /^[0-9a-f]{64}$/)
    assert.notEqual(cc0.version, mit.version)
    assert.deepEqual([cc0.keys, mit.keys], [3, 2])
    assert.equal(one.keys, 4, 'a member of both sources counts once')
    assert.deepEqual([one.asOf, one.stale], [now(), false])
    assert.match(one.age, /^(0h)?(0m)?0s$/)
    assert.ok(!one.refusal)
    const all = await sets()
    assert.ok(!all.refused.includes('domain'))
    assert.ok(!all.stale.includes('domain'))
    assert.deepEqual(await setOf('domain'), one)
  })

  it('lists the sources in its version in alphabetical order', async () => {
    await loadSet(host, 'net')
    const one = await named('net')
    const names = one.version.split('+').map((part: string) => part.split('@')[0])
    assert.deepEqual(names, one.sources.map(({ source }: One) => source).sort())
    for (const { source, version } of one.sources) assert.ok(one.version.split('+').includes(`${source}@${version}`))
  })

  it('is as old as its oldest source, in whole minutes', async () => {
    await loadSet(host, 'domain')
    const before = now()
    host.clock.advance(HOUR + 61_999)
    publish(host, 'disposable', `${small.disposable}new.com\n`)
    publish(host, 'disposable-mit', { status: 503 })
    assert.equal((await settled(host, refresh(host, { set: 'domain' }))).status, 200)
    const one = await named('domain')
    assert.equal(one.asOf, before)
    assert.equal(one.sources[1].asOf, before)
    assert.ok(one.sources[0].asOf > before)
    const minutes = Math.floor((host.clock.now().getTime() - Date.parse(before)) / 60_000)
    assert.equal(one.age, `${Math.floor(minutes / 60)}h${minutes % 60}m0s`)
  })

  it('is stale once it is older than its maximum age, and still answers', async () => {
    await loadSet(host, 'domain')
    host.clock.advance(192 * HOUR)
    assert.deepEqual([(await named('domain')).stale, (await named('domain')).age], [false, '192h0m0s'])
    assert.ok(!(await sets()).stale.includes('domain'))
    host.clock.advance(60_000)
    const one = await named('domain')
    assert.deepEqual([one.stale, one.age, one.keys], [true, '192h1m0s', 4])
    assert.ok(!one.refusal)
    assert.ok((await sets()).stale.includes('domain'))
    assert.ok(!(await sets()).refused.includes('domain'))
    const { answers, consulted, stale, refused } = ok(
      await resolve({ keys: ['mailinator.com'], sets: ['domain', 'bin'] }),
    )
    const answer = answers.find(({ set }: One) => set === 'domain')
    assert.deepEqual([answer.hit, answer.stale, answer.age, answer.refusal ?? ''], [true, true, '192h1m0s', ''])
    for (const { set, stale } of consulted) assert.equal(stale, set === 'domain')
    assert.deepEqual([stale, refused], [['domain'], []])
    await loadSet(host, 'domain')
    assert.equal((await named('domain')).stale, false)
  })

  it("counts the overrides of the caller's organisation", async () => {
    const { key } = await host.organisation('counted')
    const before = (await named('crawler')).overrides
    await writeOverride('crawler', 'deny', 'one', key)
    await writeOverride('crawler', 'deny', 'two', key)
    assert.equal((await named('crawler', key)).overrides, 2)
    assert.equal((await setOf('crawler', key)).overrides, 2)
    assert.equal((await named('crawler')).overrides, before)
    assert.equal((await named('crawler', host.other.key)).overrides, 0)
  })
})

describe('getReference', () => {
  const keysOf = (answer: One): string[] => answer.overrides.map(({ key }: One) => key)
  /** In UTF-8 byte order, which differs from collation order and from UTF-16 order. */
  const BYTES = ['Z', 'a', 'a-b', 'ab', 'a_b', 'z', 'é', 'Ａ', '😀'].sort((a, b) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  )

  it('returns the set with its overrides in byte order', async () => {
    const { key } = await host.organisation('bytes')
    ok(
      await put(
        'pep',
        [...BYTES].reverse().map(one => ({ key: one, verdict: 'deny', note: 'why' })),
        key,
      ),
    )
    const answer = ok(await get('pep', '', key))
    assert.deepEqual(Object.keys(answer).sort(), ['next', 'overrides', 'set'])
    assert.deepEqual(answer.set, await named('pep', key))
    assert.deepEqual(keysOf(answer), BYTES)
    assert.ok(BYTES.indexOf('Z') < BYTES.indexOf('a') && BYTES.indexOf('Ａ') < BYTES.indexOf('😀'))
    const entry = { key: 'Z', verdict: 'deny', note: 'why', by: 'owner@bytes.test', at: now() }
    assert.deepEqual(answer.overrides[0], entry)
    assert.equal(answer.next, '')
  })

  for (const limit of [1, 2, 3, 4, 8, 9]) {
    it(`returns every override once with a page size of ${limit}`, async () => {
      const { key } = await host.organisation(`pages-${limit}`)
      ok(
        await put(
          'pep',
          BYTES.map(one => ({ key: one, verdict: 'allow' })),
          key,
        ),
      )
      const seen: string[] = []
      let after: string | null = null
      let pages = 0
      while (after !== '') {
        const from: string = after === null ? '' : `&after=${encodeURIComponent(after)}`
        const page: One = ok(await get('pep', `?limit=${limit}${from}`, key))
        seen.push(...keysOf(page))
        pages++
        assert.ok(page.next === '' || page.next === seen.at(-1))
        after = page.next
      }
      assert.deepEqual(seen, BYTES)
      assert.equal(pages, Math.ceil(BYTES.length / limit), 'a full last page is not followed by an empty one')
    })
  }

  it('accepts a key that does not exist as `after`', async () => {
    const { key } = await host.organisation('absent')
    ok(
      await put(
        'pep',
        ['a', 'c'].map(one => ({ key: one, verdict: 'allow' })),
        key,
      ),
    )
    assert.deepEqual(keysOf(ok(await get('pep', '?after=b', key))), ['c'])
    assert.deepEqual(keysOf(ok(await get('pep', '?after=c', key))), [])
  })

  it('returns 200 overrides by default and at most 1000', async () => {
    const { key } = await host.organisation('many')
    const entries = Array.from({ length: 1_001 }, (_, at) => ({ key: `k${10_000 + at}`, verdict: 'allow' }))
    ok(await put('pep', entries.slice(0, 1_000), key))
    ok(await put('pep', entries.slice(1_000), key))
    const counts = async (query: string) => {
      const answer = ok(await get('pep', query, key))
      return [answer.overrides.length, answer.next]
    }
    assert.deepEqual(await counts(''), [200, 'k10199'])
    assert.deepEqual(await counts('?limit=1000'), [1_000, 'k10999'])
    assert.deepEqual(await counts('?limit=1001'), [1_000, 'k10999'])
    assert.deepEqual(await counts('?limit=999999'), [1_000, 'k10999'])
    assert.deepEqual(await counts('?limit=1000&after=k10000'), [1_000, ''])
  })

  for (const limit of ['0', '-1', 'x', '1.5']) {
    it(`ignores a limit of ${limit}, or rejects it and names the field`, async () => {
      const answer = await get('pep', `?limit=${limit}`)
      if (answer.status === 200) assert.deepEqual(answer.body, ok(await get('pep')))
      else assert.deepEqual([answer.status, answer.body.error.param], [400, 'limit'])
    })
  }

  it('answers 404 for an unknown set', async () => {
    for (const set of ['nothing', 'constructor']) {
      const answer = await get(set)
      assert.equal(answer.status, 404, set)
      assert.equal(answer.body.error.code, 'not_found')
    }
    // These are not valid set names.
    for (const set of ['DOMAIN', '__proto__', 'domain%00', '..%2Fdomain']) {
      assert.ok([400, 404].includes((await get(set)).status), set)
    }
  })
})
