import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Answer, startHost } from '../../../test/host.ts'
import { loadSet, type Published, publish, refresh, riskCalls, settled, small } from '../../../test/publishers.ts'

const host = await startHost()
const { lookUp, sourceOf } = riskCalls(host)

type One = Answer['body']
const MIB = 2 ** 20
const zipped = (text: string): Published => ({ body: gzipSync(text), headers: { 'content-encoding': 'gzip' } })

/** Publishes this as one source of a set, refreshes the set and returns the result of each source. */
async function importDocument(
  set: string,
  source: string,
  published: Published,
  force = false,
): Promise<Map<string, One>> {
  publish(host, source, published)
  const answer = await settled(host, refresh(host, { set, force }))
  assert.equal(answer.status, 200, answer.text)
  return new Map(answer.body.took.map((one: One) => [one.source, one]))
}

describe('a malicious document', () => {
  const header = 'Number,Description\n'
  const bad: [what: string, set: string, source: string, published: Published, probe: string][] = [
    ['decompresses to 64 MiB of objects', 'crawler', 'patterns', zipped(`[${'{},'.repeat(22 * MIB)}{}]`), 'harmless'],
    ['decompresses to 60 million cells', 'asn', 'iana', zipped(`${header}1,x\n${','.repeat(60_000_000)}`), 'AS400000'],
    ['lists every AS number', 'asn', 'x4bnet-hosting', 'AS0-AS4294967295 # oops\nAS13335\nAS16509\n', 'AS400000'],
    ['reserves the whole internet', 'net', 'reserved4', 'Address Block,Name\n0.0.0.0/1,a\n128.0.0.0/1,b\n', '8.8.8.8'],
    ['is partly an error message', 'net', 'vultr', 'Rate limit exceeded\n203.0.114.9\n', '203.0.114.9'],
  ]
  for (const [what, set, source, published, probe] of bad) {
    it(`that ${what} is rejected, forced or not, and the other sources are imported`, async () => {
      await loadSet(host, set)
      const { asOf, version } = await sourceOf(set, source)
      for (const force of [false, true]) {
        host.clock.advance(3_600_000)
        const results = await importDocument(set, source, published, force)
        for (const [name, { refusal }] of results) assert.equal(!!refusal, name === source, `${name}: ${refusal}`)
        const current = await sourceOf(set, source)
        assert.deepEqual([current.refusal, current.asOf, current.version], [results.get(source).refusal, asOf, version])
        assert.equal((await lookUp(set, probe)).hit, false)
      }
    })
  }

  it('does not prevent the first load of a set from its other sources', async t => {
    const own = await startHost({}, t)
    const lines = zipped(`${header}1-1876,Assigned by ARIN\n${'\n'.repeat(60_000_000)}2000,Assigned by ARIN\n`)
    const { took } = await loadSet(own, 'asn', { iana: lines, iana32: zipped(','.repeat(60_000_000)) })
    assert.deepEqual(
      took.map(({ source, keys, refusal }: One) => [source, keys, !!refusal]),
      [
        ['iana', 2, false],
        ['iana32', 0, true],
        ['x4bnet-hosting', 2, false],
      ],
    )
    assert.equal((await riskCalls(own).lookUp('asn', 'AS2000')).hit, true)
  })
})

describe('an empty ETag', () => {
  it('is ignored, so that a 304 is rejected', async () => {
    const body = small['top-agents'] as string
    await loadSet(host, 'browser', { 'top-agents': { body, headers: { etag: '' } } })
    publish(host, 'top-agents', { status: 304 })
    assert.equal((await settled(host, refresh(host, { set: 'browser' }))).status, 502)
    assert.match((await sourceOf('browser', 'top-agents')).refusal, /without validators/)
  })
})
