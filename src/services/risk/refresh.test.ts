import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { MockAgent } from 'undici'
import { eventually } from '../../../test/eventually.ts'
import { type Answer, startHost } from '../../../test/host.ts'
import * as publishers from '../../../test/publishers.ts'
import { httpOver } from '../../engines/http/http.ts'

const { brokenConnection, publish, small } = publishers
const host = await startHost()
const { ask, setOf, sourceOf } = publishers.riskCalls(host)

type One = Answer['body']
type Published = publishers.Published
const MIB = 2 ** 20
const GOOD = small.disposable as string
const take = (body: object, as?: string): Promise<Answer> =>
  publishers.settled(host, publishers.refresh(host, body, as))
const names = (count: number) => Array.from({ length: count }, (_, at) => `d${at}.com\n`).join('')
const zipped = (text: string): Published => ({ body: gzipSync(text), headers: { 'content-encoding': 'gzip' } })

/** Both lists of domains as they were, whatever a test made of them. */
async function fresh(documents: Record<string, Published> = {}): Promise<One> {
  for (const source of publishers.sourcesOf('domain')) publish(host, source, documents[source] ?? small[source] ?? '')
  const answer = await publishers.refresh(host, { set: 'domain', force: true })
  assert.equal(answer.status, 200, answer.text)
  for (const { refusal } of answer.body.took) assert.ok(!refusal, refusal)
  return answer.body
}

/** Lets the first list of domains publish this, and answers what became of it. */
async function taken(published: Published, force = false) {
  const requests = publish(host, 'disposable', published)
  const answer = await take({ set: 'domain', ...(force && { force }) })
  assert.equal(answer.status, 200, answer.text)
  const [took, second] = answer.body.took as One[]
  assert.deepEqual([took.source, second.source, second.unchanged], ['disposable', 'disposable-mit', true])
  return { took, requests, version: answer.body.version }
}

describe('a refresh', () => {
  it('tells what each publisher gave', async () => {
    const { set, version, stale, took } = await publishers.loadSet(host, 'asn')
    assert.deepEqual([set, stale], ['asn', false])
    assert.equal(version, (await setOf('asn')).version)
    assert.deepEqual(
      took.map(({ source, keys }: One) => [source, keys]),
      [
        ['iana', 2],
        ['iana32', 1],
        ['x4bnet-hosting', 2],
      ],
    )
    for (const one of took) {
      assert.match(one.version, /^[0-9a-f]{64}$/)
      assert.ok(version.includes(`${one.source}@${one.version}`))
      assert.deepEqual([one.unchanged, one.resumed, one.refusal ?? ''], [false, false, ''])
      assert.ok(one.wrote > 0)
    }
  })

  const same: [what: string, text: string][] = [
    ['the same bytes', GOOD],
    ['another order', GOOD.trim().split('\n').reverse().join('\n')],
    ['comments, blank lines and another spelling', `# new\n\n${GOOD.toUpperCase()}\n # end`],
    ['another line ending and a byte order mark', `\ufeff${GOOD.replaceAll('\n', '\r\n')}`],
    ['a row twice', `${GOOD}mailinator.com\n`],
  ]
  for (const [what, text] of same) {
    it(`is unchanged by ${what}, writes nothing and is current again`, async () => {
      const before = await fresh()
      host.clock.advance(3_600_000)
      const { took, version } = await taken(text)
      assert.deepEqual([took.unchanged, took.wrote, took.keys, took.refusal ?? ''], [true, 0, 3, ''])
      assert.equal(version, before.version)
      assert.equal((await setOf('domain')).age.replace(/^0h/, ''), '0m0s')
    })
  }

  it('asks whether anything is new, and takes 304 for unchanged', async () => {
    const editions = (headers: Record<string, string>): Published =>
      headers['if-none-match'] === '"a1"' ? { status: 304 } : { body: `${GOOD}new.com\n`, headers: { etag: '"a1"' } }
    const { version } = await fresh({ disposable: editions })
    host.clock.advance(3_600_000)
    const { took, requests, version: same } = await taken(editions)
    assert.deepEqual(
      requests.map(headers => headers['if-none-match']),
      ['"a1"'],
    )
    assert.deepEqual([took.unchanged, took.wrote, took.keys, took.refusal ?? ''], [true, 0, 4, ''])
    assert.equal(same, version)
    assert.equal((await ask('domain', 'new.com')).hit, true)
    assert.ok(Date.parse((await sourceOf('domain', 'disposable')).asOf) > host.clock.now().getTime() - 600_000)
  })

  it('does not ask by the mark of a document that was refused', async () => {
    await fresh({ disposable: { body: GOOD, headers: { etag: '"good"' } } })
    for (const body of [names(31), 'gmail.com\n', '<html>']) {
      assert.ok((await taken({ body, headers: { etag: '"bad"' } })).took.refusal)
      const { took } = await taken(headers => (headers['if-none-match'] === '"bad"' ? { status: 304 } : names(30)))
      assert.ok(!took.refusal && !took.unchanged, 'the mark of what was refused was kept')
      await fresh({ disposable: { body: GOOD, headers: { etag: '"good"' } } })
    }
  })

  it('comes back to the same version with the same members', async () => {
    const { version } = await fresh()
    const changed = (await taken(`${GOOD}new.com\n`)).version
    assert.notEqual(changed, version)
    assert.equal((await taken(GOOD)).version, version)
    assert.equal((await ask('domain', 'new.com')).hit, false)
  })

  it('by two at once ends in one good state', async () => {
    await fresh()
    publish(host, 'disposable', `${GOOD}raced.com\n`)
    const both = await Promise.all([take({ set: 'domain' }), take({ set: 'domain' })])
    for (const { status, text } of both) assert.ok([200, 409].includes(status), text)
    assert.ok(both.some(({ status }) => status === 200))
    assert.deepEqual([(await ask('domain', 'raced.com')).hit, (await setOf('domain')).keys], [true, 5])
  })

  it('keeps the members of this version and the one before, and every version told for ever', async () => {
    const rows = await host.db<{ version: string }>`select version from risk_versions
      where source = 'disposable' order by id`
    const kept: string[] = []
    for (const extra of ['v1.com', 'v2.com', 'v3.com']) kept.push((await taken(`${GOOD}${extra}\n`)).took.version)
    const told = await host.db<{ version: string; held: boolean }>`select version,
      exists (select from risk_members where version_id = risk_versions.id) as held
      from risk_versions where source = 'disposable' order by id`
    assert.deepEqual(
      told.slice(0, rows.length).map(({ version }) => version),
      rows.map(({ version }) => version),
    )
    assert.deepEqual(
      told.slice(-3).map(({ version }) => version),
      kept,
    )
    assert.deepEqual(
      told.filter(({ held }) => held).map(({ version }) => version),
      kept.slice(1),
    )
  })
})

describe('a take whose size moved', () => {
  for (const [before, after, refused] of [
    [20, 2, false],
    [20, 1, true],
    [21, 2, true],
    [2, 20, false],
    [2, 21, true],
    [1, 11, true],
  ] as const) {
    it(`from ${before} to ${after} is ${refused ? 'refused, unless forced' : 'taken'}`, async () => {
      const held = await fresh({ disposable: names(before) })
      const { took, version, requests } = await taken(names(after))
      assert.equal(requests.length, 1)
      assert.equal(!!took.refusal, refused)
      assert.equal(version === held.version, refused)
      const source = await sourceOf('domain', 'disposable')
      assert.deepEqual([source.keys, source.refusal ?? ''], [refused ? before : after, took.refusal ?? ''])
      const forced = await taken(names(after), true)
      assert.deepEqual([forced.took.refusal ?? '', forced.took.keys], ['', after])
      assert.equal((await sourceOf('domain', 'disposable')).refusal ?? '', '')
    })
  }
})

describe('a document that never lands, forced or not', () => {
  const whole = gzipSync(GOOD.repeat(500) + names(3_000))
  const bad: [what: string, published: Published][] = [
    ['nothing', ''],
    ['comments', '# nothing\n'],
    ['a web page', '<!DOCTYPE html><html><body>mailinator.com</body></html>'],
    ['JSON that ends early', '{"domains": ["mailinator.com", '],
    ['half of a zipped one', { body: whole.subarray(0, whole.length / 2), headers: { 'content-encoding': 'gzip' } }],
    ['one zipped but for its end', { body: whole.subarray(0, -4), headers: { 'content-encoding': 'gzip' } }],
    ['a list that names gmail.com', `${GOOD}gmail.com\n`],
    ['64 MiB and more', Buffer.alloc(64 * MIB + 1, GOOD)],
    ['64 MiB and more once unzipped', zipped(GOOD.repeat(Math.ceil((65 * MIB) / GOOD.length)))],
    ['a redirect to plain http', { status: 302, headers: { location: 'http://raw.githubusercontent.com/list' } }],
    ['an answer that is no document', { status: 204 }],
    ['a page that is not there', { status: 404, body: GOOD }],
  ]
  for (const [what, published] of bad) {
    it(`is ${what}`, async () => {
      const plain = host.sealed.get('http://raw.githubusercontent.com').intercept({ path: '/list' })
      plain.reply(200, `${GOOD}plain.com\n`).persist()
      const held = await fresh()
      const { asOf } = await sourceOf('domain', 'disposable')
      for (const force of [false, true]) {
        const { took, version } = await taken(published, force)
        assert.ok(took.refusal.length > 10)
        assert.deepEqual([took.wrote, took.unchanged], [0, false])
        assert.equal(version, held.version)
        const source = await sourceOf('domain', 'disposable')
        assert.deepEqual([source.refusal, source.asOf, source.keys], [took.refusal, asOf, 3])
        assert.ok(!(await setOf('domain')).refusal)
        assert.equal((await ask('domain', 'mailinator.com')).hit, true)
      }
      assert.ok(!(await taken(`${GOOD}better.com\n`)).took.refusal)
      assert.equal((await sourceOf('domain', 'disposable')).refusal ?? '', '')
    })
  }

  it('is not one that is zipped and whole', async () => {
    await fresh()
    const { took } = await taken(zipped(`${GOOD}zipped.com\n`))
    assert.deepEqual([took.refusal ?? '', took.keys], ['', 4])
  })
})

describe('publishers that fail', () => {
  it('keep their members while the others move on', async () => {
    await fresh({ 'disposable-mit': 'kept.com\n' })
    publish(host, 'disposable-mit', { status: 503 })
    publish(host, 'disposable', `${GOOD}moved.com\n`)
    const { asOf } = await sourceOf('domain', 'disposable-mit')
    host.clock.advance(3_600_000)
    const { status, body } = await take({ set: 'domain' })
    assert.equal(status, 200)
    assert.deepEqual(
      body.took.map((one: One) => !one.refusal),
      [true, false],
    )
    for (const key of ['moved.com', 'kept.com']) assert.equal((await ask('domain', key)).hit, true, key)
    const { refusal, asOf: still } = await sourceOf('domain', 'disposable-mit')
    assert.ok(refusal)
    assert.equal(still, asOf)
    assert.equal((await setOf('domain')).asOf, asOf)
  })

  it('are tried three times, after pauses of five and ten seconds', async () => {
    await fresh()
    const requests = publish(host, 'disposable', brokenConnection())
    const answer = publishers.refresh(host, { set: 'domain' })
    for (const [tries, pauseMs] of [
      [1, 5_000],
      [2, 10_000],
    ] as const) {
      await eventually(
        () => requests.length,
        count => count === tries,
      )
      host.clock.advance(pauseMs - 1)
      await eventually(
        () => host.call('GET /v1'),
        ({ status }) => status === 200,
      )
      assert.equal(requests.length, tries)
      host.clock.advance(1)
    }
    assert.ok((await publishers.settled(host, answer)).body.took[0].refusal)
    assert.equal(requests.length, 3)
  })

  for (const [what, failing, tries] of [
    ['500', { status: 500 }, 3],
    ['503 with a list', { status: 503, body: `${GOOD}early.com\n` }, 3],
    ['a list that cannot be read', '<html>', 1],
    ['a list that names gmail.com', 'gmail.com', 1],
  ] as const) {
    it(`are tried ${tries === 1 ? 'once' : `${tries} times`} with ${what}`, async () => {
      await fresh()
      const { took, requests } = await taken(failing)
      assert.ok(took.refusal)
      assert.equal(requests.length, tries)
    })
  }

  it('are forgiven when they recover in between', async () => {
    await fresh()
    publish(host, 'disposable', `${GOOD}late.com\n`)
    publish(host, 'disposable', brokenConnection(), 2)
    const { body } = await take({ set: 'domain' })
    assert.deepEqual([body.took[0].refusal ?? '', body.took[0].keys], ['', 4])
  })

  it('are called where the guard stands that dials no private address, at every hop', async t => {
    const [open, guarded] = [new MockAgent(), new MockAgent()]
    for (const agent of [open, guarded]) agent.disableNetConnect()
    const own = await startHost({ http: httpOver({ public: guarded, configured: open }) }, t)
    const asked = publish({ sealed: open }, 'top-agents', small['top-agents'] as string)
    publish({ sealed: guarded }, 'top-agents', small['top-agents'] as string)
    assert.equal((await publishers.refresh(own, { set: 'browser' })).status, 200)
    assert.equal(asked.length, 0)
  })
})
