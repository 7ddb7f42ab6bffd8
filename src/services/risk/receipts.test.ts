import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, startHost } from '../../../test/host.ts'
import { keyCalls } from '../../../test/keys.ts'
import {
  brokenConnection,
  CHROME,
  publish,
  refresh,
  riskCalls,
  settled,
  small,
  sourcesOf,
} from '../../../test/publishers.ts'
import { CATALOGUE } from './catalogue.ts'

const host = await startHost()
const { lookUp, ok, resolve, setOf, sets, sourceOf } = riskCalls(host)

type One = Answer['body']
const HOUR = 3_600_000
const refreshSet = (body: object, as?: string) => settled(host, refresh(host, body, as))
const now = () => host.clock.now().toISOString()
const ago = (ms: number) => new Date(host.clock.now().getTime() - ms).toISOString()
const sendReceipts = (...receipts: object[]) => refresh(host, { set: 'sanction', receipts })
const storeReceipts = async (...receipts: object[]): Promise<One> => ok(await sendReceipts(...receipts))
const digest = (letter: string) => letter.repeat(64)

describe('refresh', () => {
  it('is only allowed to a superadmin', async () => {
    const requests = publish(host, 'disposable', small.disposable as string)
    const limited = { as: host.admin.key, body: { name: 'r', limit: ['read:risk'] } }
    const reader = (await host.call('POST /v1/account/keys', limited)).body.key
    const orgAdmin = await host.member(host.home.org, 'admin')
    const publishable = (await keyCalls(host).made({ type: 'publishable' })).key
    for (const as of [host.home.key, host.other.key, orgAdmin.key, publishable, reader]) {
      assert.equal((await refreshSet({ set: 'domain' }, as)).status, 403)
    }
    assert.equal(requests.length, 0)
  })

  it('requires the name of an existing set', async () => {
    for (const body of [{}, { force: true }, { set: 7 }, { set: null }]) {
      const answer = await refreshSet(body)
      assert.deepEqual([answer.status, answer.body.error.param], [400, 'set'])
    }
    assert.equal((await refreshSet({ set: 'nothing' })).status, 404)
  })

  it('answers 501 with the reason for a set without data', async () => {
    for (const set of ['pep', 'issuer', 'reputation']) {
      for (const force of [false, true]) {
        const answer = await refreshSet({ set, force })
        assert.equal(answer.status, 501, answer.text)
        const reason = CATALOGUE.find(entry => entry.set === set)?.refusal ?? '-'
        assert.ok(answer.body.error.message.includes(reason.slice(0, -1)), answer.body.error.message)
      }
    }
  })

  it('reports local sets as unchanged', async () => {
    const { version } = await setOf('bin')
    const { body } = await refreshSet({ set: 'bin' })
    assert.equal(body.version, version)
    for (const { wrote, unchanged } of body.took) assert.deepEqual([wrote, unchanged], [0, true])
    assert.equal((await refreshSet({ set: 'device' })).status, 200)
  })
})

// The order of the tests matters: nothing has been loaded yet.
describe('a set that was never loaded', () => {
  it('refuses look-ups, and a refresh answers 502, while its sources cannot be reached', async () => {
    publish(host, 'top-agents', brokenConnection())
    assert.equal((await refreshSet({ set: 'browser' })).status, 502)
    for (const source of sourcesOf('domain')) publish(host, source, { status: 500 })
    assert.equal((await refreshSet({ set: 'domain' })).status, 502)
    for (const set of ['browser', 'domain']) {
      assert.ok((await setOf(set)).refusal)
      for (const { refusal } of (await setOf(set)).sources) assert.ok(refusal, 'each source has a refusal')
      assert.ok((await sets()).refused.includes(set))
    }
  })

  for (const published of ['', '[]', '<html>', { status: 404, body: small['top-agents'] as string }]) {
    it(`refuses look-ups after its source answered ${JSON.stringify(published).slice(0, 20)}`, async () => {
      publish(host, 'top-agents', published)
      const { status, body } = await refreshSet({ set: 'browser', force: true })
      if (status === 200) assert.ok(body.took[0].refusal)
      else assert.equal(status, 502)
      assert.ok((await lookUp('browser', CHROME)).refusal)
    })
  }

  for (const [set, source, what] of [
    ['crawler', 'patterns', 'at the first import'],
    ['browser', 'top-agents', 'after failed imports'],
  ] as const) {
    it(`is not unchanged if its source answers 304 ${what}`, async () => {
      publish(host, source, { status: 304 })
      const { status, body, text } = await refreshSet({ set })
      assert.ok([200, 502].includes(status), text)
      if (status === 200) assert.deepEqual([!body.took[0].refusal, body.took[0].unchanged], [false, false])
      const { refusal, asOf } = await sourceOf(set, source)
      assert.ok(refusal && !asOf, 'nothing was imported, so there is no asOf')
    })
  }

  it('answers from the sources that were imported, and its version names only those', async () => {
    publish(host, 'disposable', small.disposable as string)
    const { status, body } = await refreshSet({ set: 'domain' })
    assert.equal(status, 200)
    assert.match(body.version, /^disposable@[0-9a-f]{64}$/)
    assert.deepEqual(
      body.took.map((one: One) => !one.refusal),
      [true, false],
    )
    assert.equal((await lookUp('domain', 'mailinator.com')).hit, true)
    assert.ok((await sourceOf('domain', 'disposable-mit')).refusal)
  })
})

describe('a set that is stored elsewhere', () => {
  it('requires receipts, which are rejected for every other set', async () => {
    for (const fields of [{}, { receipts: [] }, { force: true }, { receipts: null }]) {
      const answer = await refreshSet({ set: 'sanction', ...fields })
      assert.deepEqual([answer.status, answer.body.error.param], [400, 'receipts'])
    }
    const requests = publish(host, 'disposable', small.disposable as string)
    for (const [set, source] of [
      ['domain', 'disposable'],
      ['bin', 'structure'],
      ['device', 'fleet'],
    ]) {
      const answer = await refreshSet({ set, receipts: [{ source, version: digest('a'), keys: 1 }] })
      assert.deepEqual([answer.status, answer.body.error.param], [400, 'receipts'], set)
    }
    assert.equal((await refreshSet({ set: 'pep', receipts: [{ source: 'x', version: 'y', keys: 1 }] })).status, 501)
    assert.equal(requests.length, 0)
  })

  it('stores a receipt, by default as of its arrival', async () => {
    host.clock.advance(HOUR)
    const body = await storeReceipts({ source: 'OFAC', version: digest('a'), keys: 17_000 })
    assert.deepEqual([body.set, body.version, body.stale], ['sanction', `OFAC@${digest('a')}`, false])
    const [result] = body.took
    assert.deepEqual([result.source, result.version, result.keys], ['OFAC', digest('a'), 17_000])
    assert.deepEqual([result.refusal ?? '', result.unchanged, result.resumed], ['', false, false])
    const { version, keys, asOf, refusal } = await sourceOf('sanction', 'OFAC')
    assert.deepEqual([version, keys, asOf, refusal ?? ''], [digest('a'), 17_000, now(), ''])
  })

  it('is as old as its oldest load', async () => {
    const oldest = ago(2 * HOUR)
    const { version } = await storeReceipts(
      { source: 'UN', version: digest('b'), keys: 900, asOf: oldest },
      { source: 'EU', version: digest('c'), keys: 5_000, asOf: ago(HOUR) },
    )
    assert.equal(version, `EU@${digest('c')}+OFAC@${digest('a')}+UN@${digest('b')}`)
    const set = await setOf('sanction')
    assert.deepEqual([set.asOf, set.age, set.stale, set.version], [oldest, '2h0m0s', false, version])
    assert.equal((await sourceOf('sanction', 'EU')).asOf, ago(HOUR))
  })

  it('still refuses every look-up, and returns the version with the refusal', async () => {
    const { refusal, version, asOf } = await setOf('sanction')
    assert.ok(refusal)
    assert.ok((await sets()).refused.includes('sanction'))
    const answer = ok(await resolve({ keys: ['ACME Ltd'], sets: ['sanction'] }))
    const [one] = answer.answers
    assert.deepEqual([one.refusal, one.version, one.asOf, one.hit], [refusal, version, asOf, false])
    assert.ok(!one.from)
    assert.deepEqual(answer.refused, ['sanction'])
  })

  it('refuses look-ups like a set without data, each with its own reason', async () => {
    const answer = ok(await resolve({ keys: ['4111 1111'], sets: ['sanction', 'jurisdiction', 'pep', 'issuer'] }))
    for (const one of answer.answers) {
      assert.equal(one.refusal, (await setOf(one.set)).refusal)
      assert.ok(one.refusal && !one.hit && !one.from)
    }
    assert.deepEqual(answer.refused, ['sanction', 'jurisdiction', 'pep', 'issuer'])
    assert.deepEqual(ok(await resolve({ keys: ['1.2.3.4'], sets: ['reputation'] })).refused, ['reputation'])
  })

  it('is current again after a receipt for the same version, which is reported as unchanged', async () => {
    host.clock.advance(HOUR)
    const [result] = (await storeReceipts({ source: 'OFAC', version: digest('a'), keys: 17_000 })).took
    assert.deepEqual([result.unchanged, result.wrote], [true, 0])
    assert.equal((await sourceOf('sanction', 'OFAC')).asOf, now())
  })

  const failed: [what: string, receipt: object, refusal: RegExp][] = [
    ['no designation', { version: digest('d'), keys: 0 }, /./],
    ['no designation and an empty refusal', { version: digest('d'), keys: 0, refusal: '' }, /./],
    [
      'a refusal',
      { version: digest('d'), keys: 17_500, refusal: 'The list did not parse' },
      /^The list did not parse$/,
    ],
    ['no version', { keys: 17_500 }, /./],
    ['a blank version', { version: ' ', keys: 17_500 }, /./],
    ['no number', { version: digest('d') }, /./],
  ]
  for (const [what, receipt, refusal] of failed) {
    it(`keeps its version and age after a load with ${what}`, async () => {
      await storeReceipts({ source: 'OFAC', version: digest('a'), keys: 17_000 })
      const before = await sourceOf('sanction', 'OFAC')
      host.clock.advance(HOUR)
      const answer = await sendReceipts({ source: 'OFAC', ...receipt })
      if (answer.status !== 400) {
        const [result] = ok(answer).took
        assert.match(result.refusal, refusal)
        assert.deepEqual([result.wrote, result.unchanged], [0, false])
        assert.deepEqual(await sourceOf('sanction', 'OFAC'), { ...before, refusal: result.refusal })
      } else assert.ok(!('version' in receipt && 'keys' in receipt), 'a complete receipt is not rejected')
      const { asOf, version, keys } = await sourceOf('sanction', 'OFAC')
      assert.deepEqual([asOf, version, keys], [before.asOf, digest('a'), 17_000])
    })
  }

  it('clears the refusal after the next successful load', async () => {
    await storeReceipts({ source: 'OFAC', version: digest('d'), keys: 0 })
    assert.ok((await sourceOf('sanction', 'OFAC')).refusal)
    const [result] = (await storeReceipts({ source: 'OFAC', version: digest('e'), keys: 17_001, refusal: '' })).took
    assert.deepEqual([result.version, result.keys, result.refusal ?? ''], [digest('e'), 17_001, ''])
    assert.equal((await sourceOf('sanction', 'OFAC')).refusal ?? '', '')
  })

  it('has no version of a source that only failed', async () => {
    assert.ok((await storeReceipts({ source: 'OFSI', version: digest('f'), keys: 0 })).took[0].refusal)
    const { asOf, version, keys, refusal } = await sourceOf('sanction', 'OFSI')
    assert.deepEqual([asOf ?? '', version ?? '', keys], ['', '', 0])
    assert.ok(refusal)
    assert.ok(!(await setOf('sanction')).version.includes('OFSI'))
  })

  const invalid: [param: string, receipt: object][] = [
    ['receipts.1.source', { source: 'UNKNOWN', version: digest('9'), keys: 1 }],
    ['receipts.1.source', { source: 'un', version: digest('9'), keys: 1 }],
    ['receipts.1.source', { source: 'listing', version: digest('9'), keys: 1 }],
    ['receipts.1.asOf', { source: 'UN', version: digest('9'), keys: 1, asOf: '2030-01-01T00:00:00Z' }],
    ['receipts.1.asOf', { source: 'UN', version: digest('9'), keys: 1, asOf: 'yesterday' }],
    ['receipts.1.keys', { source: 'UN', version: digest('9'), keys: -1 }],
    ['receipts.1.keys', { source: 'UN', version: digest('9'), keys: 1.5 }],
    ['receipts.1.refusal', { source: 'UN', version: digest('9'), keys: 1, refusal: ' ' }],
    ['receipts.1.refusal', { source: 'UN', refusal: '\u0000\n' }],
    ['receipts.1.version', { source: 'UN', version: 'a\nb', keys: 1 }],
    ['receipts.1.source', { version: digest('9'), keys: 1 }],
    ['receipts.1.members', { source: 'UN', version: digest('9'), keys: 1, members: ['ACME Ltd'] }],
  ]
  for (const [param, receipt] of invalid) {
    it(`stores no receipt of a request with ${JSON.stringify(receipt).replace(/9+/, '9')}`, async () => {
      const before = (await setOf('sanction')).sources
      host.clock.advance(60_000)
      const answer = await sendReceipts({ source: 'OFAC', version: digest('8'), keys: 5 }, receipt)
      assert.equal(answer.status, 400, answer.text)
      assert.equal(answer.body.error.param, param)
      assert.deepEqual((await setOf('sanction')).sources, before)
    })
  }

  it('is stale when a load is older than the maximum age, even right after the receipt', async () => {
    host.clock.advance(72 * HOUR)
    const receipts = ['OFAC', 'UN', 'EU'].map(source => ({ source, version: digest('1'), keys: 10 }))
    const { stale } = await storeReceipts(
      ...receipts.map(one => (one.source === 'UN' ? { ...one, asOf: ago(37 * HOUR) } : one)),
    )
    assert.equal(stale, true)
    assert.equal((await setOf('sanction')).stale, true)
    assert.ok((await sets()).stale.includes('sanction'))
    assert.equal((await storeReceipts(...receipts)).stale, false)
    host.clock.advance(36 * HOUR + 60_000)
    assert.equal((await lookUp('sanction', 'ACME Ltd')).stale, true)
  })

  it('never returns another time than it received', async () => {
    // The zero value of a client's time type.
    const asOf = '0001-01-01T00:00:00.000Z'
    const { status } = await sendReceipts({ source: 'EU', version: digest('6'), keys: 5, asOf })
    if (status === 200) assert.equal((await sourceOf('sanction', 'EU')).asOf, asOf)
    else assert.equal(status, 400)
  })

  it('is the same for every organisation', async () => {
    ok(await refreshSet({ set: 'jurisdiction', receipts: [{ source: 'listing', version: digest('7'), keys: 30 }] }))
    const [mine, theirs] = [await setOf('jurisdiction'), await setOf('jurisdiction', host.other.key)]
    assert.deepEqual(mine, theirs)
    assert.equal(mine.version, `listing@${digest('7')}`)
  })
})
