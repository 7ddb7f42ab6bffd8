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
const { ask, ok, resolve, setOf, sets, sourceOf } = riskCalls(host)

type One = Answer['body']
const HOUR = 3_600_000
const take = (body: object, as?: string) => settled(host, refresh(host, body, as))
const now = () => host.clock.now().toISOString()
const ago = (ms: number) => new Date(host.clock.now().getTime() - ms).toISOString()
const give = (...receipts: object[]) => refresh(host, { set: 'sanction', receipts })
const given = async (...receipts: object[]): Promise<One> => ok(await give(...receipts))
const digest = (letter: string) => letter.repeat(64)

describe('who may refresh, and what', () => {
  it('is the superadmin, and nobody else', async () => {
    const requests = publish(host, 'disposable', small.disposable as string)
    const limited = { as: host.admin.key, body: { name: 'r', limit: ['read:risk'] } }
    const reader = (await host.call('POST /v1/account/keys', limited)).body.key
    const boss = await host.member(host.home.org, 'admin')
    const publishable = (await keyCalls(host).made({ type: 'publishable' })).key
    for (const as of [host.home.key, host.other.key, boss.key, publishable, reader]) {
      assert.equal((await take({ set: 'domain' }, as)).status, 403)
    }
    assert.equal(requests.length, 0)
  })

  it('has to be said', async () => {
    for (const body of [{}, { force: true }, { set: 7 }, { set: null }]) {
      const answer = await take(body)
      assert.deepEqual([answer.status, answer.body.error.param], [400, 'set'])
    }
    assert.equal((await take({ set: 'nothing' })).status, 404)
  })

  it('cannot be what is not held, and the reason is given', async () => {
    for (const set of ['pep', 'issuer', 'reputation']) {
      for (const force of [false, true]) {
        const answer = await take({ set, force })
        assert.equal(answer.status, 501, answer.text)
        const reason = CATALOGUE.find(entry => entry.set === set)?.refusal ?? '-'
        assert.ok(answer.body.error.message.includes(reason.slice(0, -1)), answer.body.error.message)
      }
    }
  })

  it('can be what is computed here, which is unchanged', async () => {
    const { version } = await setOf('bin')
    const { body } = await take({ set: 'bin' })
    assert.equal(body.version, version)
    for (const { wrote, unchanged } of body.took) assert.deepEqual([wrote, unchanged], [0, true])
    assert.equal((await take({ set: 'device' })).status, 200)
  })
})

// The order of these matters: nothing has been loaded yet.
describe('a set that was never loaded', () => {
  it('refuses after its publishers could not be reached, which is 502', async () => {
    publish(host, 'top-agents', brokenConnection())
    assert.equal((await take({ set: 'browser' })).status, 502)
    for (const source of sourcesOf('domain')) publish(host, source, { status: 500 })
    assert.equal((await take({ set: 'domain' })).status, 502)
    for (const set of ['browser', 'domain']) {
      assert.ok((await setOf(set)).refusal)
      for (const { refusal } of (await setOf(set)).sources) assert.ok(refusal, 'each says why')
      assert.ok((await sets()).refused.includes(set))
    }
  })

  for (const published of ['', '[]', '<html>', { status: 404, body: small['top-agents'] as string }]) {
    it(`refuses after ${JSON.stringify(published).slice(0, 20)}`, async () => {
      publish(host, 'top-agents', published)
      const { status, body } = await take({ set: 'browser', force: true })
      if (status === 200) assert.ok(body.took[0].refusal)
      else assert.equal(status, 502)
      assert.ok((await ask('browser', CHROME)).refusal)
    })
  }

  for (const [set, source, what] of [
    ['crawler', 'patterns', 'at the first take'],
    ['browser', 'top-agents', 'after takes that failed'],
  ] as const) {
    it(`cannot be unchanged, though the publisher says so ${what}`, async () => {
      publish(host, source, { status: 304 })
      const { status, body, text } = await take({ set })
      assert.ok([200, 502].includes(status), text)
      if (status === 200) assert.deepEqual([!body.took[0].refusal, body.took[0].unchanged], [false, false])
      const { refusal, asOf } = await sourceOf(set, source)
      assert.ok(refusal && !asOf, 'nothing was taken, so it is as of no time')
    })
  }

  it('answers with the publishers that came, and names them alone', async () => {
    publish(host, 'disposable', small.disposable as string)
    const { status, body } = await take({ set: 'domain' })
    assert.equal(status, 200)
    assert.match(body.version, /^disposable@[0-9a-f]{64}$/)
    assert.deepEqual(
      body.took.map((one: One) => !one.refusal),
      [true, false],
    )
    assert.equal((await ask('domain', 'mailinator.com')).hit, true)
    assert.ok((await sourceOf('domain', 'disposable-mit')).refusal)
  })
})

describe('a set that is held elsewhere', () => {
  it('is refused without receipts, and every other set with them', async () => {
    for (const fields of [{}, { receipts: [] }, { force: true }, { receipts: null }]) {
      const answer = await take({ set: 'sanction', ...fields })
      assert.deepEqual([answer.status, answer.body.error.param], [400, 'receipts'])
    }
    const requests = publish(host, 'disposable', small.disposable as string)
    for (const [set, source] of [
      ['domain', 'disposable'],
      ['bin', 'structure'],
      ['device', 'fleet'],
    ]) {
      const answer = await take({ set, receipts: [{ source, version: digest('a'), keys: 1 }] })
      assert.deepEqual([answer.status, answer.body.error.param], [400, 'receipts'], set)
    }
    assert.equal((await take({ set: 'pep', receipts: [{ source: 'x', version: 'y', keys: 1 }] })).status, 501)
    assert.equal(requests.length, 0)
  })

  it('takes the word of who holds it, dated on arrival unless told', async () => {
    host.clock.advance(HOUR)
    const body = await given({ source: 'OFAC', version: digest('a'), keys: 17_000 })
    assert.deepEqual([body.set, body.version, body.stale], ['sanction', `OFAC@${digest('a')}`, false])
    const [took] = body.took
    assert.deepEqual([took.source, took.version, took.keys, took.refusal ?? ''], ['OFAC', digest('a'), 17_000, ''])
    assert.deepEqual([took.unchanged, took.resumed], [false, false])
    const { version, keys, asOf, refusal } = await sourceOf('sanction', 'OFAC')
    assert.deepEqual([version, keys, asOf, refusal ?? ''], [digest('a'), 17_000, now(), ''])
  })

  it('is as old as the oldest load, and says so', async () => {
    const oldest = ago(2 * HOUR)
    const { version } = await given(
      { source: 'UN', version: digest('b'), keys: 900, asOf: oldest },
      { source: 'EU', version: digest('c'), keys: 5_000, asOf: ago(HOUR) },
    )
    assert.equal(version, `EU@${digest('c')}+OFAC@${digest('a')}+UN@${digest('b')}`)
    const set = await setOf('sanction')
    assert.deepEqual([set.asOf, set.age, set.stale, set.version], [oldest, '2h0m0s', false, version])
    assert.equal((await sourceOf('sanction', 'EU')).asOf, ago(HOUR))
  })

  it('still refuses every look-up, with what it knows of the version', async () => {
    const { refusal, version, asOf } = await setOf('sanction')
    assert.ok(refusal)
    assert.ok((await sets()).refused.includes('sanction'))
    const answer = ok(await resolve({ keys: ['ACME Ltd'], sets: ['sanction'] }))
    const [one] = answer.answers
    assert.deepEqual([one.refusal, one.version, one.asOf, one.hit], [refusal, version, asOf, false])
    assert.ok(!one.from)
    assert.deepEqual(answer.refused, ['sanction'])
  })

  it('refuses as one does that is not held at all, each with its own words', async () => {
    const answer = ok(await resolve({ keys: ['4111 1111'], sets: ['sanction', 'jurisdiction', 'pep', 'issuer'] }))
    for (const one of answer.answers) {
      assert.equal(one.refusal, (await setOf(one.set)).refusal)
      assert.ok(one.refusal && !one.hit && !one.from)
    }
    assert.deepEqual(answer.refused, ['sanction', 'jurisdiction', 'pep', 'issuer'])
    assert.deepEqual(ok(await resolve({ keys: ['1.2.3.4'], sets: ['reputation'] })).refused, ['reputation'])
  })

  it('is unchanged by the same version, and current again', async () => {
    host.clock.advance(HOUR)
    const [took] = (await given({ source: 'OFAC', version: digest('a'), keys: 17_000 })).took
    assert.deepEqual([took.unchanged, took.wrote], [true, 0])
    assert.equal((await sourceOf('sanction', 'OFAC')).asOf, now())
  })

  const failed: [what: string, receipt: object, says: RegExp][] = [
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
  for (const [what, receipt, says] of failed) {
    it(`keeps what it had after a load with ${what}, and is not fresh for it`, async () => {
      await given({ source: 'OFAC', version: digest('a'), keys: 17_000 })
      const before = await sourceOf('sanction', 'OFAC')
      host.clock.advance(HOUR)
      const answer = await give({ source: 'OFAC', ...receipt })
      if (answer.status !== 400) {
        const [took] = ok(answer).took
        assert.match(took.refusal, says)
        assert.deepEqual([took.wrote, took.unchanged], [0, false])
        assert.deepEqual(await sourceOf('sanction', 'OFAC'), { ...before, refusal: took.refusal })
      } else assert.ok(!('version' in receipt && 'keys' in receipt), 'it has all it needs to be recorded')
      const { asOf, version, keys } = await sourceOf('sanction', 'OFAC')
      assert.deepEqual([asOf, version, keys], [before.asOf, digest('a'), 17_000])
    })
  }

  it('forgets the refusal with the next good load', async () => {
    await given({ source: 'OFAC', version: digest('d'), keys: 0 })
    assert.ok((await sourceOf('sanction', 'OFAC')).refusal)
    const [took] = (await given({ source: 'OFAC', version: digest('e'), keys: 17_001, refusal: '' })).took
    assert.deepEqual([took.version, took.keys, took.refusal ?? ''], [digest('e'), 17_001, ''])
    assert.equal((await sourceOf('sanction', 'OFAC')).refusal ?? '', '')
  })

  it('has no load that only failed', async () => {
    assert.ok((await given({ source: 'OFSI', version: digest('f'), keys: 0 })).took[0].refusal)
    const { asOf, version, keys, refusal } = await sourceOf('sanction', 'OFSI')
    assert.deepEqual([asOf ?? '', version ?? '', keys], ['', '', 0])
    assert.ok(refusal)
    assert.ok(!(await setOf('sanction')).version.includes('OFSI'))
  })

  const wrong: [param: string, receipt: object][] = [
    ['receipts.1.source', { source: 'NOBODY', version: digest('9'), keys: 1 }],
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
  for (const [param, receipt] of wrong) {
    it(`takes nothing of a call with ${JSON.stringify(receipt).replace(/9+/, '9')}`, async () => {
      const before = (await setOf('sanction')).sources
      host.clock.advance(60_000)
      const answer = await give({ source: 'OFAC', version: digest('8'), keys: 5 }, receipt)
      assert.equal(answer.status, 400, answer.text)
      assert.equal(answer.body.error.param, param)
      assert.deepEqual((await setOf('sanction')).sources, before)
    })
  }

  it('is stale when the load is older than it may be, also right after the receipt', async () => {
    host.clock.advance(72 * HOUR)
    const receipts = ['OFAC', 'UN', 'EU'].map(source => ({ source, version: digest('1'), keys: 10 }))
    const { stale } = await given(
      ...receipts.map(one => (one.source === 'UN' ? { ...one, asOf: ago(37 * HOUR) } : one)),
    )
    assert.equal(stale, true)
    assert.equal((await setOf('sanction')).stale, true)
    assert.ok((await sets()).stale.includes('sanction'))
    assert.equal((await given(...receipts)).stale, false)
    host.clock.advance(36 * HOUR + 60_000)
    assert.equal((await ask('sanction', 'ACME Ltd')).stale, true)
  })

  it('never tells another time than it was given', async () => {
    // What a client writes that has no time.
    const asOf = '0001-01-01T00:00:00.000Z'
    const { status } = await give({ source: 'EU', version: digest('6'), keys: 5, asOf })
    if (status === 200) assert.equal((await sourceOf('sanction', 'EU')).asOf, asOf)
    else assert.equal(status, 400)
  })

  it('is told by one organisation and known to all', async () => {
    ok(await take({ set: 'jurisdiction', receipts: [{ source: 'listing', version: digest('7'), keys: 30 }] }))
    const [mine, theirs] = [await setOf('jurisdiction'), await setOf('jurisdiction', host.other.key)]
    assert.deepEqual(mine, theirs)
    assert.equal(mine.version, `listing@${digest('7')}`)
  })
})
