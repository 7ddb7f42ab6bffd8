import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { MockAgent } from 'undici'
import { eventually } from '../../../test/eventually.ts'
import { type Answer, startHost } from '../../../test/host.ts'
import * as publishers from '../../../test/publishers.ts'
import { httpOver } from '../../engines/http/http.ts'
import { withLease } from '../../kit/lease.ts'

const { brokenConnection, publish, small } = publishers
const host = await startHost()
const { lookUp, setOf, sourceOf } = publishers.riskCalls(host)

type One = Answer['body']
type Published = publishers.Published
const MIB = 2 ** 20
const GOOD = small.disposable as string
const refreshSet = (body: object, as?: string): Promise<Answer> =>
  publishers.settled(host, publishers.refresh(host, body, as))
const names = (count: number) => Array.from({ length: count }, (_, at) => `d${at}.com\n`).join('')
const zipped = (text: string): Published => ({ body: gzipSync(text), headers: { 'content-encoding': 'gzip' } })

/** Forces both sources of the set `domain` back to their default documents, or to the given ones. */
async function reset(documents: Record<string, Published> = {}): Promise<One> {
  for (const source of publishers.sourcesOf('domain')) publish(host, source, documents[source] ?? small[source] ?? '')
  const answer = await publishers.refresh(host, { set: 'domain', force: true })
  assert.equal(answer.status, 200, answer.text)
  for (const { refusal } of answer.body.took) assert.ok(!refusal, refusal)
  return answer.body
}

/** Publishes this as the first source of `domain`, refreshes the set and returns the result of that source. */
async function importDocument(published: Published, force = false) {
  const requests = publish(host, 'disposable', published)
  const answer = await refreshSet({ set: 'domain', ...(force && { force }) })
  assert.equal(answer.status, 200, answer.text)
  const [result, second] = answer.body.took as One[]
  assert.deepEqual([result.source, second.source, second.unchanged], ['disposable', 'disposable-mit', true])
  return { result, requests, version: answer.body.version }
}

describe('a refresh', () => {
  it('returns the result of each source', async () => {
    const { set, version, stale, took } = await publishers.loadSet(host, 'asn')
    assert.deepEqual([set, stale], ['asn', false])
    assert.deepEqual(
      host.emitted.map(({ type, tenant, data }) => [type, tenant, data]),
      took.map(({ source, version, keys }: One) => [
        'risk.reference.refreshed',
        'admin',
        { set, source, version, keys },
      ]),
    )
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
    it(`reports ${what} as unchanged, writes nothing and makes the set current again`, async () => {
      const before = await reset()
      host.clock.advance(3_600_000)
      host.emitted.length = 0
      const { result, version } = await importDocument(text)
      assert.deepEqual(host.emitted, [])
      assert.deepEqual([result.unchanged, result.wrote, result.keys, result.refusal ?? ''], [true, 0, 3, ''])
      assert.equal(version, before.version)
      assert.equal((await setOf('domain')).age.replace(/^0h/, ''), '0m0s')
    })
  }

  it('sends the ETag and reports a 304 as unchanged', async () => {
    const editions = (headers: Record<string, string>): Published =>
      headers['if-none-match'] === '"a1"' ? { status: 304 } : { body: `${GOOD}new.com\n`, headers: { etag: '"a1"' } }
    const { version } = await reset({ disposable: editions })
    host.clock.advance(3_600_000)
    const { result, requests, version: same } = await importDocument(editions)
    assert.deepEqual(
      requests.map(headers => headers['if-none-match']),
      ['"a1"'],
    )
    assert.deepEqual([result.unchanged, result.wrote, result.keys, result.refusal ?? ''], [true, 0, 4, ''])
    assert.equal(same, version)
    assert.equal((await lookUp('domain', 'new.com')).hit, true)
    assert.ok(Date.parse((await sourceOf('domain', 'disposable')).asOf) > host.clock.now().getTime() - 600_000)
  })

  it('does not send the ETag of a rejected document', async () => {
    await reset({ disposable: { body: GOOD, headers: { etag: '"good"' } } })
    for (const body of [names(31), 'gmail.com\n', '<html>']) {
      assert.ok((await importDocument({ body, headers: { etag: '"bad"' } })).result.refusal)
      const { result } = await importDocument(headers =>
        headers['if-none-match'] === '"bad"' ? { status: 304 } : names(30),
      )
      assert.ok(!result.refusal && !result.unchanged, 'the ETag of the rejected document was stored')
      await reset({ disposable: { body: GOOD, headers: { etag: '"good"' } } })
    }
  })

  it('returns to the same version with the same members', async () => {
    const { version } = await reset()
    const changed = (await importDocument(`${GOOD}new.com\n`)).version
    assert.notEqual(changed, version)
    assert.equal((await importDocument(GOOD)).version, version)
    assert.equal((await lookUp('domain', 'new.com')).hit, false)
  })

  it('leaves a consistent set when two run concurrently', async () => {
    await reset()
    publish(host, 'disposable', `${GOOD}raced.com\n`)
    const both = await Promise.all([refreshSet({ set: 'domain' }), refreshSet({ set: 'domain' })])
    for (const { status, text } of both) assert.ok([200, 409].includes(status), text)
    assert.ok(both.some(({ status }) => status === 200))
    assert.deepEqual([(await lookUp('domain', 'raced.com')).hit, (await setOf('domain')).keys], [true, 5])
  })

  it('is refused while another process refreshes the set', async () => {
    const signal = new AbortController().signal
    const answer = await withLease(host.engines, 'risk domain', signal, () => refreshSet({ set: 'domain' }))
    assert.deepEqual([answer?.status, answer?.body.error.code], [409, 'conflict'])
  })

  it('keeps the members of the current and the previous version, and a row for every version', async () => {
    const rows = await host.db<{ version: string }>`select version from risk_versions
      where source = 'disposable' order by id`
    const kept: string[] = []
    for (const extra of ['v1.com', 'v2.com', 'v3.com'])
      kept.push((await importDocument(`${GOOD}${extra}\n`)).result.version)
    const stored = await host.db<{ version: string; hasMembers: boolean }>`select version,
      exists (select from risk_members where version_id = risk_versions.id) as "hasMembers"
      from risk_versions where source = 'disposable' order by id`
    assert.deepEqual(
      stored.slice(0, rows.length).map(({ version }) => version),
      rows.map(({ version }) => version),
    )
    assert.deepEqual(
      stored.slice(-3).map(({ version }) => version),
      kept,
    )
    assert.deepEqual(
      stored.filter(({ hasMembers }) => hasMembers).map(({ version }) => version),
      kept.slice(1),
    )
  })
})

describe('a change in the number of members', () => {
  for (const [before, after, refused] of [
    [20, 2, false],
    [20, 1, true],
    [21, 2, true],
    [2, 20, false],
    [2, 21, true],
    [1, 11, true],
  ] as const) {
    it(`from ${before} to ${after} is ${refused ? 'rejected unless forced' : 'accepted'}`, async () => {
      const current = await reset({ disposable: names(before) })
      const { result, version, requests } = await importDocument(names(after))
      assert.equal(requests.length, 1)
      assert.equal(!!result.refusal, refused)
      assert.equal(version === current.version, refused)
      const source = await sourceOf('domain', 'disposable')
      assert.deepEqual([source.keys, source.refusal ?? ''], [refused ? before : after, result.refusal ?? ''])
      const forced = await importDocument(names(after), true)
      assert.deepEqual([forced.result.refusal ?? '', forced.result.keys], ['', after])
      assert.equal((await sourceOf('domain', 'disposable')).refusal ?? '', '')
    })
  }
})

describe('a refresh with an invalid document', () => {
  const whole = gzipSync(GOOD.repeat(500) + names(3_000))
  const bad: [what: string, published: Published][] = [
    ['nothing', ''],
    ['comments', '# nothing\n'],
    ['a web page', '<!DOCTYPE html><html><body>mailinator.com</body></html>'],
    ['JSON that ends early', '{"domains": ["mailinator.com", '],
    ['half of a gzip stream', { body: whole.subarray(0, whole.length / 2), headers: { 'content-encoding': 'gzip' } }],
    ['a gzip stream without its last bytes', { body: whole.subarray(0, -4), headers: { 'content-encoding': 'gzip' } }],
    ['a list that names gmail.com', `${GOOD}gmail.com\n`],
    ['more than 64 MiB', Buffer.alloc(64 * MIB + 1, GOOD)],
    ['more than 64 MiB after decompression', zipped(GOOD.repeat(Math.ceil((65 * MIB) / GOOD.length)))],
    ['a redirect to plain http', { status: 302, headers: { location: 'http://raw.githubusercontent.com/list' } }],
    ['a 204 response', { status: 204 }],
    ['a 404 response', { status: 404, body: GOOD }],
  ]
  for (const [what, published] of bad) {
    it(`rejects ${what}, forced or not`, async () => {
      const plain = host.mockAgent.get('http://raw.githubusercontent.com').intercept({ path: '/list' })
      plain.reply(200, `${GOOD}plain.com\n`).persist()
      const current = await reset()
      const { asOf } = await sourceOf('domain', 'disposable')
      for (const force of [false, true]) {
        const { result, version } = await importDocument(published, force)
        assert.ok(result.refusal.length > 10)
        assert.deepEqual([result.wrote, result.unchanged], [0, false])
        assert.equal(version, current.version)
        const source = await sourceOf('domain', 'disposable')
        assert.deepEqual([source.refusal, source.asOf, source.keys], [result.refusal, asOf, 3])
        assert.ok(!(await setOf('domain')).refusal)
        assert.equal((await lookUp('domain', 'mailinator.com')).hit, true)
      }
      assert.ok(!(await importDocument(`${GOOD}better.com\n`)).result.refusal)
      assert.equal((await sourceOf('domain', 'disposable')).refusal ?? '', '')
    })
  }

  it('accepts a complete gzip stream', async () => {
    await reset()
    const { result } = await importDocument(zipped(`${GOOD}zipped.com\n`))
    assert.deepEqual([result.refusal ?? '', result.keys], ['', 4])
  })
})

describe('a failing source', () => {
  it('keeps its members while the other source is updated', async () => {
    await reset({ 'disposable-mit': 'kept.com\n' })
    publish(host, 'disposable-mit', { status: 503 })
    publish(host, 'disposable', `${GOOD}moved.com\n`)
    const { asOf } = await sourceOf('domain', 'disposable-mit')
    host.clock.advance(3_600_000)
    const { status, body } = await refreshSet({ set: 'domain' })
    assert.equal(status, 200)
    assert.deepEqual(
      body.took.map((one: One) => !one.refusal),
      [true, false],
    )
    for (const key of ['moved.com', 'kept.com']) assert.equal((await lookUp('domain', key)).hit, true, key)
    const { refusal, asOf: still } = await sourceOf('domain', 'disposable-mit')
    assert.ok(refusal)
    assert.equal(still, asOf)
    assert.equal((await setOf('domain')).asOf, asOf)
  })

  it('is tried three times, with a backoff of five and ten seconds', async () => {
    await reset()
    const requests = publish(host, 'disposable', brokenConnection())
    const answer = publishers.refresh(host, { set: 'domain' })
    for (const [tries, backoffMs] of [
      [1, 5_000],
      [2, 10_000],
    ] as const) {
      await eventually(
        () => requests.length,
        count => count === tries,
      )
      host.clock.advance(backoffMs - 1)
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
    it(`is tried ${tries === 1 ? 'once' : `${tries} times`} with ${what}`, async () => {
      await reset()
      const { result, requests } = await importDocument(failing)
      assert.ok(result.refusal)
      assert.equal(requests.length, tries)
    })
  }

  it('is imported when it recovers between retries', async () => {
    await reset()
    publish(host, 'disposable', `${GOOD}late.com\n`)
    publish(host, 'disposable', brokenConnection(), 2)
    const { body } = await refreshSet({ set: 'domain' })
    assert.deepEqual([body.took[0].refusal ?? '', body.took[0].keys], ['', 4])
  })

  it('is fetched through the dispatcher that refuses private addresses', async t => {
    const [open, guarded] = [new MockAgent(), new MockAgent()]
    for (const agent of [open, guarded]) agent.disableNetConnect()
    const own = await startHost({ http: httpOver({ public: guarded, configured: open }) }, t)
    const requests = publish({ mockAgent: open }, 'top-agents', small['top-agents'] as string)
    publish({ mockAgent: guarded }, 'top-agents', small['top-agents'] as string)
    assert.equal((await publishers.refresh(own, { set: 'browser' })).status, 200)
    assert.equal(requests.length, 0)
  })
})
