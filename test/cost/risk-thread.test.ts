import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { OUT_OF_MEMORY } from '../../src/services/risk/sources/heap.ts'
import type { Parsed } from '../../src/services/risk/thread/jobs.ts'
import { openRiskThread, parseIn, type RiskThread } from '../../src/services/risk/thread/open.ts'

const small = { source: 'tor', document: Buffer.from('185.220.101.1\n'), encoding: null }
const keysOf = async (thread: RiskThread) => ((await parseIn(thread, small)) as Parsed).keys
const zipped = (source: string, text: string) => ({ source, document: gzipSync(text, { level: 1 }), encoding: 'gzip' })
/** As many networks as a list may have; the thread needs seconds and some hundred megabytes for it. */
const many = () => {
  const octets = (n: number) => `${11 + (n >>> 24)}.${(n >>> 16) & 255}.${(n >>> 8) & 255}.${n & 255}`
  return zipped('tor', Array.from({ length: 2_500_000 }, (_, n) => octets(n)).join('\n'))
}

/** Many times what the start of a thread and a small document take on this machine now. */
async function enoughMs(): Promise<number> {
  const thread = openRiskThread('test')
  const startMs = performance.now()
  await keysOf(thread)
  await thread.close()
  return Math.max(2_500, 5 * (performance.now() - startMs))
}

describe('a document that exhausts the thread', () => {
  for (const [what, limits, refusal] of [
    ['time', async () => ({ callMs: await enoughMs() }), /within the time limit/],
    ['memory', async () => ({ heapMb: 128 }), new RegExp(OUT_OF_MEMORY)],
  ] as const) {
    it(`because it needs too much ${what} is rejected, and queued jobs still run`, async () => {
      const thread = openRiskThread('test', await limits())
      after(thread.close)
      assert.equal(await keysOf(thread), 1)
      const job = { match: 'domain' as const, sources: [], salt: 1 }
      const [refused, keys, table] = await Promise.all([
        parseIn(thread, many()),
        keysOf(thread),
        thread.call('build', job, { user: '' }),
      ])
      assert.match((refused as { refusal: string }).refusal, refusal)
      assert.deepEqual([keys, table.data.count], [1, 0])
      assert.equal(await keysOf(thread), 1)
    })
  }
})

describe('a decompression bomb', () => {
  const size = 2 ** 26 - 200
  const header = 'Number,Description\n1,Reserved\n'
  for (const [what, source, text, refusal] of [
    ['objects', 'patterns', () => `[${'{},'.repeat(size / 3)}{}]`, /JSON of more than/],
    ['rows', 'tor', () => 'a\n'.repeat(size / 2), /more than 3000000 rows/],
    ['cells', 'iana', () => header + ','.repeat(size), /more than 1000000 cells/],
    ['quotes', 'iana', () => `${header}2,"${'"'.repeat(size)}"`, /a cell of/],
    ['blocks', 'reserved4', () => `Address Block,Name\n"${'a '.repeat(size / 2)}",x`, /a cell of/],
  ] as const) {
    it(`of ${what} is rejected within a heap of 512 MB`, async () => {
      const thread = openRiskThread('test', { heapMb: 512 })
      after(thread.close)
      const document = zipped(source, text())
      assert.ok(document.document.length < 400_000, 'the compressed document is small')
      assert.match(((await parseIn(thread, document)) as { refusal: string }).refusal, refusal)
    })
  }

  it('of empty lines is parsed', async () => {
    const thread = openRiskThread('test', { heapMb: 512 })
    after(thread.close)
    const lines = '\n'.repeat(60_000_000)
    for (const [source, text] of [
      ['iana', `${header}${lines}2,Reserved\n`],
      ['tor', `185.220.101.1\n${lines}185.220.101.2\n`],
    ] as const) {
      assert.equal(((await parseIn(thread, zipped(source, text))) as Parsed).keys, 2, source)
    }
  })
})
