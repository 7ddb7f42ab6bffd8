import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, startHost } from '../../../test/host.ts'
import { keyCalls } from '../../../test/keys.ts'
import { loadSet, riskCalls } from '../../../test/publishers.ts'

const host = await startHost()
const { ok, put, clear, get, writeOverride, lookUp, setOf, resolve } = riskCalls(host)
const { made } = keyCalls(host)

type One = Answer['body']
let count = 0
/** The key of a new organisation. */
const newOrganisation = async () => (await host.organisation(`alone-${count++}`)).key
const listed = async (set: string, as: string): Promise<One[]> => ok(await get(set, '?limit=1000', as)).overrides
const keysIn = async (set: string, as: string): Promise<string[]> => (await listed(set, as)).map(({ key }) => key)
const deny = (...keys: string[]) => keys.map(key => ({ key, verdict: 'deny' }))
const numbered = (from: number, to: number) => deny(...Array.from({ length: to - from }, (_, at) => `k${from + at}`))
const fill = async (set: string, total: number, as: string) => {
  for (let from = 0; from < total; from += 1_000) ok(await put(set, numbered(from, Math.min(total, from + 1_000)), as))
}
const LIMIT = 10_000

describe('writing overrides', () => {
  it('returns how many were written and how many there are now', async () => {
    const as = await newOrganisation()
    assert.deepEqual(ok(await put('domain', deny('a.com', 'b.com'), as)), { set: 'domain', written: 2, overrides: 2 })
    assert.deepEqual(ok(await put('domain', deny('b.com', 'c.com'), as)), { set: 'domain', written: 2, overrides: 3 })
    assert.deepEqual(ok(await put('net', deny('1.2.3.4'), as)), { set: 'net', written: 1, overrides: 1 })
  })

  it('stores the writer and the time', async () => {
    const as = await newOrganisation()
    host.clock.advance(1_234)
    await writeOverride('domain', 'allow', 'when.com', as, 'a partner')
    const at = host.clock.now().toISOString()
    const [entry] = await listed('domain', as)
    assert.match(entry.by, /^owner@alone-\d+\.test$|^usr_/)
    assert.deepEqual({ ...entry, by: '' }, { key: 'when.com', verdict: 'allow', note: 'a partner', by: '', at })
  })

  it('stores the user as the writer, not the organisation', async () => {
    const anna = await host.member(host.home.org, 'member')
    await writeOverride('domain', 'deny', 'annas.com', anna.key)
    const entry = (await listed('domain', host.home.key)).find(({ key }) => key === 'annas.com')
    assert.ok([anna.email, anna.user].includes(entry?.by), entry?.by)
    ok(await clear('domain', 'annas.com'))
  })

  it('replaces the verdict, note, writer and time of an existing override', async () => {
    const as = await newOrganisation()
    await writeOverride('domain', 'deny', 'twice.com', as, 'first')
    host.clock.advance(60_000)
    await writeOverride('domain', 'allow', 'twice.com', as, 'second')
    const [entry, ...more] = await listed('domain', as)
    assert.deepEqual(more, [])
    assert.deepEqual([entry.verdict, entry.note, entry.at], ['allow', 'second', host.clock.now().toISOString()])
    await writeOverride('domain', 'allow', 'twice.com', as)
    assert.ok(!('note' in (await listed('domain', as))[0]), 'a note that is not repeated is removed')
  })

  it('writes one override for a key that occurs twice in a batch, with the last verdict', async () => {
    const as = await newOrganisation()
    const entries = [
      { key: 'same.com', verdict: 'deny', note: 'first' },
      { key: 'else.com', verdict: 'deny' },
      { key: 'SAME.com.', verdict: 'allow' },
    ]
    assert.deepEqual(ok(await put('domain', entries, as)), { set: 'domain', written: 2, overrides: 2 })
    const same = (await listed('domain', as)).find(({ key }) => key === 'same.com')
    assert.equal(same?.verdict, 'allow')
    assert.ok(!('note' in same), 'the last one has no note')
  })

  for (const [set, spellings, kept] of [
    ['domain', ['EXAMPLE.com.', 'example.com', ' Example.COM ', 'someone@example.com'], 'example.com'],
    ['domain', ['BÜCHER.example', 'xn--bcher-kva.example'], 'xn--bcher-kva.example'],
    ['net', ['1.2.3.4', '1.2.3.4/32', '::ffff:1.2.3.4', '[::ffff:102:304]'], '1.2.3.4/32'],
    ['net', ['1.2.3.4/24', '1.2.3.0/24'], '1.2.3.0/24'],
    ['net', ['2001:DB8:0::1', '2001:db8::1/128'], '2001:db8::1/128'],
    ['asn', ['AS13335', 'as13335', '13335'], null],
    ['bin', ['4111 1111', '41111111', '4111-1111-1111-1111'], '41111111'],
    ['device', ['AB'.repeat(16), 'ab'.repeat(16)], 'ab'.repeat(16)],
  ] as const) {
    it(`writes one override on ${set} for ${spellings.join(', ')}, and every spelling finds it`, async () => {
      const as = await newOrganisation()
      for (const spelling of spellings) await writeOverride(set, 'deny', spelling, as)
      const [key, ...more] = await keysIn(set, as)
      assert.deepEqual(more, [])
      if (kept !== null) assert.equal(key, kept)
      for (const spelling of spellings) {
        const answer = await lookUp(set, spelling, as)
        assert.deepEqual([answer.hit, answer.from, answer.matched], [true, 'override', key], spelling)
      }
      for (const spelling of spellings) {
        assert.equal(ok(await clear(set, spelling, as)).cleared, true)
        await writeOverride(set, 'deny', spelling, as)
      }
    })
  }

  it('accepts a thousand overrides at once, and no more', async () => {
    const as = await newOrganisation()
    assert.equal(ok(await put('pep', numbered(0, 1_000), as)).written, 1_000)
    const answer = await put('pep', numbered(5_000, 6_001), as)
    assert.equal(answer.status, 400, answer.text)
    assert.equal(answer.body.error.param, 'entries')
    assert.equal((await setOf('pep', as)).overrides, 1_000)
  })

  it('accepts a thousand overrides of maximum length', async () => {
    const long = { verdict: 'deny', note: 'n'.repeat(512) }
    const entries = numbered(0, 1_000).map(({ key }) => ({ ...long, key: key.padEnd(512, 'x') }))
    assert.equal(ok(await put('pep', entries, await newOrganisation())).written, 1_000)
  })

  it('accepts a note of 512 bytes', async () => {
    const as = await newOrganisation()
    for (const note of ['x'.repeat(512), 'é'.repeat(256)]) {
      await writeOverride('domain', 'deny', 'noted.com', as, note)
      assert.equal((await listed('domain', as))[0].note, note)
    }
  })

  it('accepts a key of 512 bytes', async () => {
    const as = await newOrganisation()
    for (const key of ['x'.repeat(512), 'é'.repeat(256)]) {
      await writeOverride('pep', 'deny', key, as)
      assert.ok((await keysIn('pep', as)).includes(key))
    }
  })

  const invalid: [set: string, param: string, entry: unknown][] = [
    ['domain', 'entries.1.verdict', { key: 'b.com', verdict: 'block' }],
    ['domain', 'entries.1.verdict', { key: 'b.com', verdict: 'Deny' }],
    ['domain', 'entries.1.verdict', { key: 'b.com', verdict: null }],
    ['domain', 'entries.1.verdict', { key: 'b.com' }],
    ['domain', 'entries.1.key', { verdict: 'deny' }],
    ['domain', 'entries.1.key', { key: '', verdict: 'deny' }],
    ['domain', 'entries.1.key', { key: 7, verdict: 'deny' }],
    ['domain', 'entries.1.note', { key: 'b.com', verdict: 'deny', note: 'x'.repeat(513) }],
    ['domain', 'entries.1.note', { key: 'b.com', verdict: 'deny', note: `${'é'.repeat(256)}x` }],
    ['domain', 'entries.1.note', { key: 'b.com', verdict: 'deny', note: 'é'.repeat(300) }],
    ['domain', 'entries.1.by', { key: 'b.com', verdict: 'deny', by: 'other' }],
    ['domain', 'entries.1.key', { key: '1.2.3.4', verdict: 'deny' }],
    ['domain', 'entries.1.key', { key: 'a..b.com', verdict: 'deny' }],
    ['domain', 'entries.1.key', { key: `${'a'.repeat(64)}.com`, verdict: 'deny' }],
    ['net', 'entries.1.key', { key: 'b.com', verdict: 'deny' }],
    ['net', 'entries.1.key', { key: '01.2.3.4', verdict: 'deny' }],
    ['net', 'entries.1.key', { key: '1.2.3.4/33', verdict: 'deny' }],
    ['net', 'entries.1.key', { key: 'fe80::1%eth0', verdict: 'deny' }],
    ...['64:ff9b::/96', '64:ff9b::/64', '64:ff9b::9.9.0.0/112', '::/0', '::/80', '::fffe:0:0/95'].map(
      (key): [string, string, unknown] => ['net', 'entries.1.key', { key, verdict: 'deny' }],
    ),
    ['domain', 'entries.1.key', { key: 'co.uk', verdict: 'deny' }],
    ['asn', 'entries.1.key', { key: 'AS4294967296', verdict: 'deny' }],
    ['asn', 'entries.1.key', { key: '1e5', verdict: 'deny' }],
    ['bin', 'entries.1.key', { key: '4111x', verdict: 'deny' }],
    ['pep', 'entries.1.key', { key: 'x'.repeat(513), verdict: 'deny' }],
    ['pep', 'entries.1.key', { key: 'é'.repeat(257), verdict: 'deny' }],
    ['pep', 'entries.1.key', { key: 'a\0b', verdict: 'deny' }],
    ['pep', 'entries.1.key', { key: ' ', verdict: 'deny' }],
    ['device', 'entries.1.key', { key: 'hello', verdict: 'deny' }],
    ['browser', 'entries.1.key', { key: 'hello', verdict: 'deny' }],
  ]
  const validKeys: Record<string, string> = {
    domain: 'a.com',
    net: '9.9.9.9',
    asn: 'AS1',
    bin: '4111',
    pep: 'Jane Example',
    device: 'ab'.repeat(16),
    browser: 'Acme/1.0',
  }
  for (const [set, param, entry] of invalid) {
    it(`rejects a batch on ${set} with ${JSON.stringify(entry).slice(0, 60)}, naming \`${param}\``, async () => {
      const as = await newOrganisation()
      const valid = { key: validKeys[set], verdict: 'deny' }
      const answer = await put(set, [valid, entry, valid], as)
      assert.equal(answer.status, 400, answer.text)
      assert.equal(answer.body.error.code, 'invalid_input')
      assert.equal(answer.body.error.param, param)
      assert.deepEqual(await listed(set, as), [])
    })
  }

  it('requires entries', async () => {
    const as = await newOrganisation()
    for (const entries of [undefined, [], null, 'a.com', {}]) {
      const answer = await put('domain', entries, as)
      assert.equal(answer.status, 400, JSON.stringify(entries))
      assert.equal(answer.body.error.param, 'entries')
    }
  })

  it('answers 404 for an unknown set', async () => {
    assert.equal((await put('nothing', deny('a.com'))).status, 404)
    assert.equal((await clear('nothing', 'a.com')).status, 404)
  })

  it('answers 403 to a publishable key and to a read-only key', async () => {
    const publishable = (await made({ type: 'publishable' })).key
    const reader = (await made({ limit: ['read:risk'] })).key
    for (const as of [publishable, reader]) {
      assert.equal((await put('domain', deny('closed.com'), as)).status, 403)
      assert.equal((await clear('domain', 'closed.com', as)).status, 403)
      assert.equal((await resolve({ keys: ['closed.com'] }, as)).status, 403)
    }
    assert.equal((await get('domain', '', publishable)).status, 403)
    assert.equal((await get('domain', '', reader)).status, 200)
    assert.equal((await host.call('GET /v1/risk/reference', { as: publishable })).status, 403)
    assert.ok(!(await keysIn('domain', host.home.key)).includes('closed.com'))
    assert.equal((await put('domain', deny('open.com'), (await made({ limit: ['product:risk'] })).key)).status, 200)
    ok(await clear('domain', 'open.com'))
  })
})

describe('the limit of overrides per organisation and set', () => {
  it('is ten thousand; a batch beyond it writes nothing, and existing overrides can be replaced', async () => {
    const as = await newOrganisation()
    await fill('pep', LIMIT - 1, as)
    const crossing = await put('pep', [...deny('k0'), ...deny('one more'), ...deny('and another')], as)
    assert.equal(crossing.status, 409, crossing.text)
    assert.equal(crossing.body.error.code, 'conflict')
    assert.equal((await setOf('pep', as)).overrides, LIMIT - 1)
    // Repeated keys count once.
    const last = ok(await put('pep', deny('one more', ' one more ', 'one more'), as))
    assert.deepEqual(last, { set: 'pep', written: 1, overrides: LIMIT })
    assert.equal((await put('pep', deny('and another'), as)).status, 409)
    const rewritten = ok(await put('pep', [{ key: 'k1', verdict: 'allow' }], as))
    assert.deepEqual(rewritten, { set: 'pep', written: 1, overrides: LIMIT })
    ok(await put('issuer', deny('4111'), as))
    ok(await put('pep', deny('and another'), host.other.key))
    ok(await clear('pep', 'k2', as))
    assert.equal(ok(await put('pep', deny('and another'), as)).overrides, LIMIT)
  })

  it('is enforced for concurrent writes', async () => {
    const as = await newOrganisation()
    await fill('pep', LIMIT - 7, as)
    const responses = await Promise.all(Array.from({ length: 20 }, (_, at) => put('pep', deny(`late ${at}`), as)))
    const statuses = responses.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [...Array(7).fill(200), ...Array(13).fill(409)])
    assert.equal((await setOf('pep', as)).overrides, LIMIT)
  })
})

describe('clearing an override', () => {
  it('returns whether there was one and how many remain', async () => {
    const as = await newOrganisation()
    ok(await put('domain', deny('a.com', 'b.a.com'), as))
    const gone = { set: 'domain', key: 'a.com', cleared: true, overrides: 1 }
    assert.deepEqual(ok(await clear('domain', 'a.com', as)), gone)
    assert.deepEqual(ok(await clear('domain', 'a.com', as)), { ...gone, cleared: false })
    assert.deepEqual(await keysIn('domain', as), ['b.a.com'], 'overrides on subdomains stay')
    assert.equal((await lookUp('domain', 'a.com', as)).from === 'override', false)
  })

  it('requires the key', async () => {
    for (const query of ['', '?key=']) {
      const answer = await host.call(`DELETE /v1/risk/reference/domain${query}`)
      assert.equal(answer.status, 400, answer.text)
      assert.equal(answer.body.error.param, 'key')
    }
  })

  it('removes nothing from the baseline', async () => {
    await loadSet(host, 'domain')
    const before = await setOf('domain')
    assert.equal(ok(await clear('domain', 'mailinator.com')).cleared, false)
    assert.deepEqual(await setOf('domain'), before)
    assert.equal((await lookUp('domain', 'mailinator.com')).hit, true)
  })

  it('removes nothing from another organisation', async () => {
    const [mine, theirs] = [await newOrganisation(), await newOrganisation()]
    for (const as of [mine, theirs]) await writeOverride('domain', 'deny', 'ours.com', as)
    assert.equal(ok(await clear('domain', 'ours.com', mine)).cleared, true)
    assert.equal(ok(await clear('domain', 'ours.com', mine)).cleared, false)
    assert.deepEqual(await keysIn('domain', theirs), ['ours.com'])
    assert.equal((await lookUp('domain', 'ours.com', theirs)).from, 'override')
  })
})

describe('the log', () => {
  it('contains the requests but none of their keys', async () => {
    const secret = 'hush-hush-4929'
    const before = host.logged.length
    await resolve({ keys: [`${secret}@a.com`, '4929 1234 5678 9012', `${secret}.com`] })
    await resolve({ keys: [secret], sets: ['net'] })
    await resolve({ keys: [`${secret}${'x'.repeat(600)}`] })
    await put('domain', [{ key: `${secret}.com`, verdict: 'deny', note: secret }])
    await put('net', [{ key: secret, verdict: 'deny' }])
    await get('domain', `?after=${secret}.com`)
    await clear('domain', `${secret}.com`)
    await clear('net', secret)
    const lines = host.logged.slice(before)
    assert.ok(lines.length >= 8, `${lines.length} lines`)
    for (const line of lines) assert.doesNotMatch(line, /hush|4929/, line)
  })
})
