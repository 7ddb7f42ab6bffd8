// The script of the browser tag: who gets it, how long it is kept, how large it is.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { Agent, request } from 'undici'
import { CA, startHost } from '../../../../test/host.ts'

/** As gzip. */
const BYTES_MAX = 4_096
const FOREVER = 'public, max-age=31536000, immutable'
const host = await startHost()
const dispatcher = new Agent({ connect: { ca: CA() } })
after(() => dispatcher.destroy())

const get = async (query = '', headers: Record<string, string> = {}) => {
  const answer = await request(`${host.baseUrl}/v1/event/tag.js${query}`, { dispatcher, headers })
  return { ...answer, bytes: Buffer.from(await answer.body.arrayBuffer()) }
}
const address = async () => new URL((await host.call('GET /v1/event/install')).body.tag)

describe('the script of the tag', () => {
  it(`has at most ${BYTES_MAX} bytes as gzip, and is open to everybody`, async () => {
    const { statusCode, headers, bytes } = await get()
    assert.deepEqual([statusCode, headers['content-type']], [200, 'text/javascript; charset=utf-8'])
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
    assert.ok(bytes.length > 4_000)
    const { length } = gzipSync(bytes, { level: 9 })
    assert.ok(length <= BYTES_MAX, `it has ${length} bytes`)
  })

  it('is kept for ever at the address with its hash, and for minutes at every other', async () => {
    const { search } = await address()
    assert.equal((await get(search)).headers['cache-control'], FOREVER)
    for (const query of ['', '?v=', '?v=former', `${search}x`, '?ver=6.2']) {
      const { statusCode, headers, bytes } = await get(query)
      assert.deepEqual([statusCode, headers['cache-control']], [200, 'public, max-age=300'], query)
      assert.deepEqual(bytes, (await get(search)).bytes)
    }
    assert.equal((await get(`${search}&ver=6.2`)).headers['cache-control'], FOREVER)
  })

  it('is compressed for those who accept it, each form with a tag of its own', async () => {
    const { bytes } = await get()
    const br = await get('', { 'accept-encoding': 'gzip, deflate, br' })
    const gzip = await get('', { 'accept-encoding': 'gzip;q=1.0, br;q=0' })
    assert.deepEqual([br.headers['content-encoding'], gzip.headers['content-encoding']], ['br', 'gzip'])
    assert.deepEqual([brotliDecompressSync(br.bytes), gunzipSync(gzip.bytes)], [bytes, bytes])
    assert.ok(gzip.bytes.length <= BYTES_MAX && br.bytes.length < gzip.bytes.length)
    assert.match(String(br.headers.vary), /Accept-Encoding/)
    for (const { headers } of [await get(), br, gzip]) {
      const again = {
        'if-none-match': `"other", W/${headers.etag}`,
        'accept-encoding': `${headers['content-encoding']}`,
      }
      const { statusCode, bytes: none } = await get('', again)
      assert.deepEqual([statusCode, none.length], [304, 0])
    }
    assert.equal((await get('', { 'if-none-match': String(br.headers.etag) })).statusCode, 200)
  })

  it('contains nothing that a strict content security policy or Trusted Types forbid, and sets no cookie', async () => {
    const { bytes, headers } = await get()
    assert.doesNotMatch(
      bytes.toString(),
      /\beval\b|new Function|innerHTML|outerHTML|insertAdjacent|document\.write|\.cookie/,
    )
    assert.equal(headers['set-cookie'], undefined)
  })
})
