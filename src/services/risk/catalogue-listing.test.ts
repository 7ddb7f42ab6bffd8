import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, startHost } from '../../../test/host.ts'
import { loadSet, publish, refresh, riskCalls, settled, small } from '../../../test/publishers.ts'
import { CATALOGUE } from './catalogue.ts'

const host = await startHost()
const { ok, put, get, say, sets, setOf, resolve } = riskCalls(host)

const HOUR = 3_600_000
const ORDER = [
  ...['domain', 'net', 'crawler', 'browser', 'asn', 'bin', 'device'],
  ...['sanction', 'jurisdiction', 'pep', 'issuer', 'reputation'],
]
const NEVER_LOADED = ['domain', 'net', 'crawler', 'browser', 'asn']
const HELD_ELSEWHERE = ['sanction', 'jurisdiction']
const NOT_HELD = ['pep', 'issuer', 'reputation']
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
/** `192h0m0s`; what is not reached may be left out. */
const DURATION = /^(\d+h)?([0-5]?\dm)?0s$/

type One = Answer['body']
const named = async (set: string, as?: string): Promise<One> =>
  (await sets(as)).sets.find((one: One) => one.set === set)
const now = () => host.clock.now().toISOString()

/** What is always told of a set, loaded or not. */
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

// The order of these matters: what was never loaded is looked at before anything is.
describe('the listing of sets before anything is loaded', () => {
  it('tells the twelve sets in their order, each with all its fields', async () => {
    const all = await sets()
    assert.deepEqual(
      all.sets.map((one: One) => one.set),
      ORDER,
    )
    for (const one of all.sets) checkSet(one)
  })

  it('refuses what was never loaded, what is held elsewhere and what is not held, and nothing else', async () => {
    const all = await sets()
    const refusing = all.sets.filter((one: One) => one.refusal).map((one: One) => one.set)
    assert.deepEqual(refusing, [...NEVER_LOADED, ...HELD_ELSEWHERE, ...NOT_HELD])
    assert.deepEqual(all.refused, refusing)
    for (const set of NEVER_LOADED) assert.equal((await named(set)).keys, 0, set)
  })

  it('gives the reason why a set is not held', async () => {
    for (const set of NOT_HELD) {
      assert.equal((await named(set)).refusal, CATALOGUE.find(entry => entry.set === set)?.refusal)
      assert.deepEqual((await named(set)).sources, [])
    }
  })

  it('names as stale exactly the sets that say so', async () => {
    const all = await sets()
    assert.deepEqual(
      all.stale,
      all.sets.filter((one: One) => one.stale).map((one: One) => one.set),
    )
  })

  it('has what is computed here without any refresh', async () => {
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

  it('answers as a fact from a set of its own that has no member yet', async () => {
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

describe('a set that was loaded', () => {
  it('tells its version, its members and its publishers, and refuses no longer', async () => {
    const { version } = await loadSet(host, 'domain')
    const one = await named('domain')
    checkSet(one)
    const [cc0, mit] = one.sources
    assert.equal(one.version, `disposable@${cc0.version}+disposable-mit@${mit.version}`)
    assert.equal(one.version, version)
    assert.match(cc0.version, /^[0-9a-f]{64}$/)
    assert.notEqual(cc0.version, mit.version)
    assert.deepEqual([cc0.keys, mit.keys], [3, 2])
    assert.equal(one.keys, 4, 'one is in both, and is one member')
    assert.deepEqual([one.asOf, one.stale], [now(), false])
    assert.match(one.age, /^(0h)?(0m)?0s$/)
    assert.ok(!one.refusal)
    const all = await sets()
    assert.ok(!all.refused.includes('domain'))
    assert.ok(!all.stale.includes('domain'))
    assert.deepEqual(await setOf('domain'), one)
  })

  it('names the publishers in its version in their order by name', async () => {
    await loadSet(host, 'net')
    const one = await named('net')
    const names = one.version.split('+').map((part: string) => part.split('@')[0])
    assert.deepEqual(names, one.sources.map(({ source }: One) => source).sort())
    for (const { source, version } of one.sources) assert.ok(one.version.split('+').includes(`${source}@${version}`))
  })

  it('is as old as its oldest publisher, in whole minutes', async () => {
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

  it('is stale from the moment it is older than it may be, and still has its members', async () => {
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
    const told = answers.find(({ set }: One) => set === 'domain')
    assert.deepEqual([told.hit, told.stale, told.age, told.refusal ?? ''], [true, true, '192h1m0s', ''])
    for (const { set, stale } of consulted) assert.equal(stale, set === 'domain')
    assert.deepEqual([stale, refused], [['domain'], []])
    await loadSet(host, 'domain')
    assert.equal((await named('domain')).stale, false)
  })

  it('counts the overrides of who asks', async () => {
    const { key } = await host.organisation('counted')
    const before = (await named('crawler')).overrides
    await say('crawler', 'deny', 'one', key)
    await say('crawler', 'deny', 'two', key)
    assert.equal((await named('crawler', key)).overrides, 2)
    assert.equal((await setOf('crawler', key)).overrides, 2)
    assert.equal((await named('crawler')).overrides, before)
    assert.equal((await named('crawler', host.other.key)).overrides, 0)
  })
})

describe('one set', () => {
  const keysOf = (answer: One): string[] => answer.overrides.map(({ key }: One) => key)
  /** In the order of their bytes in UTF-8, which is no dictionary's and not that of UTF-16. */
  const BYTES = ['Z', 'a', 'a-b', 'ab', 'a_b', 'z', 'é', 'Ａ', '😀'].sort((a, b) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  )

  it('is told with its overrides in the order of their bytes', async () => {
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
    it(`goes page by page without a gap, by ${limit}`, async () => {
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
      assert.equal(pages, Math.ceil(BYTES.length / limit), 'an exactly full last page is the last')
    })
  }

  it('pages from where a key would stand that is not there', async () => {
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

  it('gives 200 unless told, and 1000 at most', async () => {
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
    it(`takes a limit of ${limit} for none given, or refuses it by name`, async () => {
      const answer = await get('pep', `?limit=${limit}`)
      if (answer.status === 200) assert.deepEqual(answer.body, ok(await get('pep')))
      else assert.deepEqual([answer.status, answer.body.error.param], [400, 'limit'])
    })
  }

  it('is 404 when there is none of that name', async () => {
    for (const set of ['nothing', 'constructor']) {
      const answer = await get(set)
      assert.equal(answer.status, 404, set)
      assert.equal(answer.body.error.code, 'not_found')
    }
    // What no set could be called is refused either way.
    for (const set of ['DOMAIN', '__proto__', 'domain%00', '..%2Fdomain']) {
      assert.ok([400, 404].includes((await get(set)).status), set)
    }
  })
})
