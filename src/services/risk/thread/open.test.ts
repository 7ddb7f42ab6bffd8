import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Parsed } from './jobs.ts'
import { openThread, type Thread } from './open.ts'

const small = { source: 'tor', document: Buffer.from('185.220.101.1\n'), encoding: null }
const keysOf = async (thread: Thread) => ((await thread.parse(small)) as Parsed).keys
const zipped = (source: string, text: string) => ({ source, document: gzipSync(text, { level: 1 }), encoding: 'gzip' })
/** As many networks as a list may have, which takes the thread seconds and some hundred megabytes. */
const many = () => {
  const octets = (n: number) => `${11 + (n >>> 24)}.${(n >>> 16) & 255}.${(n >>> 8) & 255}.${n & 255}`
  return zipped('tor', Array.from({ length: 2_500_000 }, (_, n) => octets(n)).join('\n'))
}

describe('a document that is too much for the thread', () => {
  for (const [what, bounds, says] of [
    ['time', { jobMs: 2_500 }, /within the time there is/],
    ['memory', { heapMb: 128 }, /within the memory there is/],
  ] as const) {
    it(`because it takes more ${what} is refused, and what waits behind it is done all the same`, async () => {
      const thread = openThread(bounds)
      after(thread.close)
      assert.equal(await keysOf(thread), 1)
      const built = { match: 'domain' as const, sources: [], salt: 1 }
      const [refused, behind, table] = await Promise.all([thread.parse(many()), keysOf(thread), thread.build(built)])
      assert.match((refused as { refusal: string }).refusal, says)
      assert.deepEqual([behind, table.data.count], [1, 0])
      assert.equal(await keysOf(thread), 1)
    })
  }
})

describe('a small document that unpacks to much', () => {
  const size = 2 ** 26 - 200
  const header = 'Number,Description\n1,Reserved\n'
  for (const [what, source, text, says] of [
    ['objects', 'patterns', () => `[${'{},'.repeat(size / 3)}{}]`, /JSON of more than/],
    ['rows', 'tor', () => 'a\n'.repeat(size / 2), /more than 3000000 rows/],
    ['cells', 'iana', () => header + ','.repeat(size), /more than 1000000 cells/],
    ['quotes', 'iana', () => `${header}2,"${'"'.repeat(size)}"`, /a cell of/],
    ['blocks', 'reserved4', () => `Address Block,Name\n"${'a '.repeat(size / 2)}",x`, /a cell of/],
  ] as const) {
    it(`is refused within a heap of 512 MB: ${what}`, async () => {
      const thread = openThread({ heapMb: 512 })
      after(thread.close)
      const document = zipped(source, text())
      assert.ok(document.document.length < 400_000, 'it is small on the wire')
      assert.match(((await thread.parse(document)) as { refusal: string }).refusal, says)
    })
  }

  it('is read when all of that is empty lines', async () => {
    const thread = openThread({ heapMb: 512 })
    after(thread.close)
    const lines = '\n'.repeat(60_000_000)
    for (const [source, text] of [
      ['iana', `${header}${lines}2,Reserved\n`],
      ['tor', `185.220.101.1\n${lines}185.220.101.2\n`],
    ] as const) {
      assert.equal(((await thread.parse(zipped(source, text))) as Parsed).keys, 2, source)
    }
  })
})

describe('a thread that is closed', () => {
  it('tells whoever waits, and whoever is being served', async () => {
    const thread = openThread()
    const asked = [thread.parse(small), thread.parse(small)]
    const ended = Promise.all(asked.map(one => assert.rejects(one, /the host is ending/)))
    await thread.close()
    await ended
  })
})
