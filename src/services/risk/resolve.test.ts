import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Answer, startHost } from '../../../test/host.ts'
import { CHROME, GOOGLEBOT, loadSet, riskCalls } from '../../../test/publishers.ts'

const host = await startHost()
const { home, other } = host
const { ok, put, clear, resolve, writeOverride, lookUp, setOf } = riskCalls(host)

type One = Answer['body']
const DIGEST = 'c0ffee'.repeat(8)
let count = 0
/** The key of a new organisation. */
const newOrganisation = async () => (await host.organisation(`alone-${count++}`)).key

// The order of the tests matters: these run before any set is loaded.
describe('a look-up in a set that was never loaded', () => {
  it('returns the refusal instead of a miss', async () => {
    const answer = ok(await resolve({ keys: ['mailinator.com'], sets: ['domain'] }))
    const [one] = answer.answers
    assert.deepEqual([one.set, one.key], ['domain', 'mailinator.com'])
    assert.equal(one.refusal, (await setOf('domain')).refusal)
    assert.ok(one.refusal.length > 10)
    assert.ok(!one.hit && !one.matched && !one.from && !one.verdict)
    assert.deepEqual(answer.refused, ['domain'])
    assert.equal(answer.consulted[0].refusal, one.refusal)
  })

  it('is answered by an override, and the set stays refused', async () => {
    const as = await newOrganisation()
    for (const [set, key] of [
      ['domain', 'own.com'],
      ['pep', 'Jane Example'],
      ['sanction', 'ACME Ltd'],
      ['reputation', '1.2.3.4'],
    ] as const) {
      await writeOverride(set, 'deny', key, as)
      const answer = ok(await resolve({ keys: [key], sets: [set] }, as))
      const [one] = answer.answers
      assert.deepEqual([one.hit, one.from, one.verdict], [true, 'override', 'deny'], set)
      assert.ok(!one.refusal, set)
      assert.deepEqual(answer.refused, [set])
      assert.ok(answer.consulted[0].refusal)
    }
    assert.ok((await lookUp('domain', 'not-own.com', as)).refusal)
  })
})

describe('the baseline', () => {
  before(async () => {
    for (const set of ['domain', 'net', 'crawler', 'browser', 'asn']) await loadSet(host, set)
  })

  const hits: [set: string, key: string, matched: string, value: Record<string, string>][] = [
    ['domain', 'Someone+tag@Mail.MAILINATOR.com.', 'mailinator.com', { class: 'disposable' }],
    ['net', '44.200.0.1', '44.192.0.0/11', { class: 'hosting', operator: 'aws', region: 'us-east-1' }],
    ['net', '::ffff:44.199.181.9', '44.199.180.0/23', { class: 'hosting', operator: 'aws', region: 'eu-west-1' }],
    ['net', '2606:4700::1', '2606:4700::/32', { class: 'cdn', operator: 'cloudflare' }],
    ['net', '10.1.2.3', '10.0.0.0/8', { class: 'reserved', operator: 'iana', name: 'Private-Use' }],
    ['net', '185.220.101.2', '185.220.101.2/32', { class: 'tor' }],
    ['crawler', GOOGLEBOT, 'Googlebot\\/', { class: 'crawler', about: 'http://www.google.com/bot.html' }],
    ['browser', CHROME, CHROME, { class: 'common', rank: '1' }],
    ['asn', 'AS16509', '16509-16509', { class: 'hosting', name: 'Amazon' }],
    ['asn', 'as1876', '1-1876', { registry: 'arin', status: 'delegated' }],
    ['bin', '4111 1111 1111 1111', '4', { scheme: 'visa', lengths: '13,16,19' }],
    ['domain', 'notmailinator.com', '', {}],
    ['net', '8.8.8.8', '', {}],
    ['crawler', CHROME, '', {}],
    ['device', DIGEST, '', {}],
  ]
  for (const [set, key, matched, value] of hits) {
    it(`of ${set} answers ${key.slice(0, 40)} with ${matched || 'a miss'}`, async () => {
      const one = await lookUp(set, key)
      assert.deepEqual([one.set, one.key, one.hit, one.from], [set, key, matched !== '', 'baseline'])
      assert.equal(one.matched ?? '', matched)
      for (const [name, text] of Object.entries(value)) assert.equal(one.value[name], text, name)
      assert.ok(!('verdict' in one))
      assert.ok(!one.refusal)
      const { version, asOf, age, stale } = await setOf(set)
      assert.deepEqual([one.version, one.asOf, one.age, one.stale], [version, asOf, age, stale])
    })
  }

  it('names both sources of a member they share', async () => {
    const sourcesOf = async (set: string, key: string) => {
      const { value } = await lookUp(set, key)
      return Object.values<string>(value).flatMap(text => text.split(/[^a-z0-9-]+/))
    }
    for (const source of ['disposable', 'disposable-mit']) {
      assert.ok((await sourcesOf('domain', 'in-both.com')).includes(source), source)
    }
    for (const source of ['tor', 'x4bnet-vpn'])
      assert.ok((await sourcesOf('net', '185.220.101.1')).includes(source), source)
    assert.ok(!(await sourcesOf('domain', 'mailinator.com')).includes('disposable-mit'))
  })
})

describe('a look-up', () => {
  const readers: [key: string, sets: string[]][] = [
    ['someone@mailinator.com', ['domain']],
    ['mailinator.com', ['domain']],
    ['1.2.3.4', ['net', 'reputation']],
    ['2001:db8::/32', ['net', 'reputation']],
    ['13335', ['asn', 'bin', 'issuer']],
    ['AS13335', ['asn']],
    ['411', ['asn']],
    ['4111-1111-1111-1111', ['bin', 'issuer']],
    [CHROME, ['crawler', 'browser']],
    ['just some words', ['crawler']],
    [DIGEST, ['device']],
  ]
  for (const [key, sets] of readers) {
    it(`without sets consults those that can read ${key.slice(0, 30)}`, async () => {
      for (const body of [{ keys: [key] }, { keys: [key], sets: [] }]) {
        const answer = ok(await resolve(body))
        assert.deepEqual(answer.answers.map(({ set }: One) => set).sort(), [...sets].sort())
        assert.deepEqual(answer.consulted.map(({ set }: One) => set).sort(), [...sets].sort())
        for (const one of answer.answers) assert.equal(one.key, key)
      }
    })
  }

  it('without sets selects the sets for each key separately', async () => {
    const { answers } = ok(await resolve({ keys: ['mailinator.com', '44.200.0.1', 'AS13335'] }))
    const pairs = answers.map(({ set, key }: One) => `${set} ${key}`).sort()
    const expected = ['asn AS13335', 'domain mailinator.com', 'net 44.200.0.1', 'reputation 44.200.0.1']
    assert.deepEqual(pairs, expected)
  })

  it('with sets consults each of them once and refuses keys that a set cannot read', async () => {
    const keys = ['someone@mailinator.com', '1.2.3.4']
    const answer = ok(await resolve({ keys, sets: ['net', 'domain', 'net', 'bin'] }))
    assert.deepEqual(answer.consulted.map(({ set }: One) => set).sort(), ['bin', 'domain', 'net'])
    assert.equal(answer.answers.length, 6)
    const readable = new Set(['domain someone@mailinator.com', 'net 1.2.3.4'])
    for (const { set, key, refusal, hit, from } of answer.answers) {
      assert.equal(!refusal, readable.has(`${set} ${key}`), `${set} ${key}`)
      if (refusal) assert.ok(!hit && !from)
    }
    assert.deepEqual(answer.refused, [], 'the sets themselves are not refused')
  })

  it('with sets returns a refusal, never a miss, for each key that a set cannot read', async () => {
    const withoutRefusal: string[] = []
    for (const pair of [
      'device hello',
      'device abc123',
      'browser hello',
      'crawler 1.2.3.4',
      'asn AS1.10',
      'bin 411',
      'bin 4111x',
      'domain localhost',
      'net 1.2.3',
      'net 010.0.0.1',
    ]) {
      const [set = '', key = ''] = pair.split(' ')
      const { refusal, hit, from } = await lookUp(set, key)
      if (!refusal || hit || from) withoutRefusal.push(pair)
    }
    assert.deepEqual(withoutRefusal, [])
  })

  it('returns the version, age and refusal of each consulted set', async () => {
    const { consulted, stale } = ok(
      await resolve({ keys: ['1.2.3.4', 'a.com'], sets: ['domain', 'net', 'reputation'] }),
    )
    assert.deepEqual(stale, [])
    for (const one of consulted) {
      const { version, asOf, stale, refusal } = await setOf(one.set)
      const facts = { version: one.version, asOf: one.asOf, stale: one.stale, refusal: one.refusal ?? '' }
      assert.deepEqual(facts, { version, asOf, stale, refusal: refusal ?? '' }, one.set)
    }
    assert.equal(consulted.length, 3)
  })

  it('answers 404 for an unknown set', async () => {
    for (const sets of [['domain', 'nothing'], ['constructor']]) {
      assert.equal((await resolve({ keys: ['a.com'], sets })).status, 404, String(sets))
    }
  })

  it('requires one to a hundred keys of up to 512 bytes', async () => {
    const keys = (length: number) => Array.from({ length }, (_, at) => `d${at}.com`)
    assert.equal(ok(await resolve({ keys: keys(100) })).answers.length, 100)
    for (const invalid of [[], keys(101), undefined, 'a.com', [7], ['x'.repeat(513)], ['é'.repeat(257)]]) {
      const answer = await resolve({ keys: invalid })
      assert.equal(answer.status, 400, JSON.stringify(invalid)?.slice(0, 40))
      assert.match(answer.body.error.param, /^keys(\.0)?$/)
    }
  })
})

describe('overrides', () => {
  it('win over the baseline, and return the verdict, the matching key and the note', async () => {
    const as = await newOrganisation()
    await writeOverride('domain', 'allow', 'mailinator.com', as, 'a partner')
    const allowed = await lookUp('domain', 'x@sub.mailinator.com', as)
    const { key, hit, from, verdict, matched, value } = allowed
    const expected = ['x@sub.mailinator.com', false, 'override', 'allow', 'mailinator.com', 'a partner']
    assert.deepEqual([key, hit, from, verdict, matched, value.note], expected)
    const { version, asOf } = await setOf('domain')
    assert.deepEqual([allowed.version, allowed.asOf], [version, asOf])
    await writeOverride('domain', 'deny', 'mailinator.com', as)
    const denied = await lookUp('domain', 'mailinator.com', as)
    assert.deepEqual([denied.hit, denied.verdict, denied.value?.note], [true, 'deny', undefined])
    ok(await clear('domain', 'mailinator.com', as))
    const cleared = await lookUp('domain', 'mailinator.com', as)
    assert.deepEqual([cleared.hit, cleared.from, 'verdict' in cleared], [true, 'baseline', false])
  })

  it('win over more specific members', async () => {
    const as = await newOrganisation()
    await writeOverride('net', 'allow', '44.0.0.0/8', as)
    const one = await lookUp('net', '44.199.180.1', as)
    assert.deepEqual([one.hit, one.from, one.matched], [false, 'override', '44.0.0.0/8'])
  })

  const nested: [set: string, outer: string, inner: string, inside: string, beside: string][] = [
    ['domain', 'corp.com', 'mail.corp.com', 'a.mail.corp.com', 'shop.corp.com'],
    ['net', '7.0.0.0/8', '7.1.0.0/16', '7.1.2.3', '7.2.0.1'],
    ['net', '2001:db8::/32', '2001:db8:1::/48', '2001:db8:1::1', '2001:db8:2::1'],
    ['bin', '4111', '411122', '4111 2233', '4111 3333'],
    ['asn', '64000-64100', 'AS64050', '64050', 'AS64051'],
  ]
  for (const [set, outer, inner, inside, beside] of nested) {
    for (const [wide, narrow] of [
      ['deny', 'allow'],
      ['allow', 'deny'],
    ] as const) {
      it(`of ${set}: ${narrow} on ${inner} beats ${wide} on ${outer}, in any order of writing`, async () => {
        for (const order of [0, 1]) {
          const as = await newOrganisation()
          const entries = [
            { key: outer, verdict: wide },
            { key: inner, verdict: narrow },
          ]
          for (const entry of order ? entries : entries.reverse()) ok(await put(set, [entry], as))
          const [near, far] = [await lookUp(set, inside, as), await lookUp(set, beside, as)]
          assert.deepEqual([near.verdict, near.hit, near.from], [narrow, narrow === 'deny', 'override'])
          assert.deepEqual([far.verdict, far.hit, far.from], [wide, wide === 'deny', 'override'])
          assert.notEqual(near.matched, far.matched)
        }
      })
    }
  }

  it('match neither parent domains nor similar keys', async () => {
    const as = await newOrganisation()
    await writeOverride('domain', 'deny', 'sub.corp.com', as)
    for (const key of ['corp.com', 'xsub.corp.com', 'sub.corp.com.evil.com']) {
      assert.equal((await lookUp('domain', key, as)).from, 'baseline', key)
    }
    await writeOverride('browser', 'deny', 'Acme/1.0', as)
    assert.equal((await lookUp('browser', 'Acme/1.0', as)).verdict, 'deny')
    assert.equal((await lookUp('browser', 'Acme/1.0.1', as)).from, 'baseline')
  })

  it('on patterns are literal user agents', async () => {
    const as = await newOrganisation()
    const agent = 'Mozilla/5.0 acme.bot/1.0 (x)'
    await writeOverride('crawler', 'deny', agent, as)
    const found = await lookUp('crawler', agent, as)
    assert.deepEqual([found.verdict, found.matched], ['deny', agent])
    assert.equal((await lookUp('crawler', 'Mozilla/5.0 acmexbot/1.0 (x)', as)).from, 'baseline', 'the dot is literal')
  })

  it('cannot block the host with a slow expression', async () => {
    const as = await newOrganisation()
    await put('crawler', [{ key: '(a+)+$', verdict: 'deny' }], as)
    // Backtracking would take years, so that the test would not end.
    assert.equal((await lookUp('crawler', `${'a'.repeat(60)} !`, as)).from, 'baseline')
  })

  it('apply to the next look-up after a write or removal, during concurrent look-ups', async () => {
    const as = await newOrganisation()
    let isOver = false
    const others = Array.from({ length: 4 }, async () => {
      while (!isOver) await lookUp('domain', 'now.com', as)
    })
    for (let round = 0; round < 40; round++) {
      const verdict = round % 2 ? 'allow' : 'deny'
      await writeOverride('domain', verdict, 'now.com', as)
      assert.equal((await lookUp('domain', 'now.com', as)).verdict, verdict)
      ok(await clear('domain', 'now.com', as))
      assert.equal((await lookUp('domain', 'now.com', as)).from, 'baseline')
    }
    isOver = true
    await Promise.all(others)
  })

  it('of one organisation never reach another under concurrent look-ups', async () => {
    await writeOverride('domain', 'deny', 'contested.com', home.key, 'of home')
    await writeOverride('domain', 'allow', 'contested.com', other.key, 'of other')
    const neither = await newOrganisation()
    const answerTo = async (at: number) => {
      const as = [home.key, other.key, neither][at % 3] as string
      const { verdict = '', value = {} } = await lookUp('domain', 'a.contested.com', as)
      return [at % 3, verdict, value.note ?? ''].join(' ')
    }
    const seen = new Set<string>()
    let next = 0
    const worker = async () => {
      while (next < 600) seen.add(await answerTo(next++))
    }
    await Promise.all(Array.from({ length: 20 }, worker))
    assert.deepEqual([...seen].sort(), ['0 deny of home', '1 allow of other', '2  '])
  })
})
