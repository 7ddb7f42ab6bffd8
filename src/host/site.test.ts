import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import { startHost } from '../../test/host.ts'
import { openSite, statusPage } from './site.ts'

const directory = mkdtempSync(join(tmpdir(), 'stoa-site-'))
after(() => rmSync(directory, { recursive: true }))
mkdirSync(join(directory, 'assets'))
const SCRIPT = 'console.log(1)\n'.repeat(100)
writeFileSync(join(directory, 'index.html'), '<!doctype html>\n<html lang="en"><p>console')
writeFileSync(join(directory, 'assets', 'app-4f3a9c21.js'), SCRIPT)
writeFileSync(join(directory, 'assets', 'app-4f3a9c21.js.br'), brotliCompressSync(SCRIPT))
writeFileSync(join(directory, 'sources.txt'), 'digest')
const host = await startHost({ pages: openSite(directory) })
const get = (path: string, headers: Record<string, string> = {}) => host.call(`GET ${path}`, { as: null, headers })

describe('the page of a site', () => {
  it('is served at every address of its own, and at no other', async () => {
    for (const path of [
      '/',
      '/o/home/keys',
      '/o/home/keys?open=key_1',
      '/o',
      '/host',
      '/me',
      '/me/sessions',
      '/host/orgs',
    ]) {
      const { status, text, headers } = await get(path)
      assert.equal(status, 200, path)
      assert.match(text, /<p>console/)
      assert.equal(headers['cache-control'], 'no-cache')
      assert.equal(headers.vary, 'Origin, Cookie')
    }
    for (const path of ['/other', '/mes', '/home', '/index.html', '/sources.txt', '/assets/none.js', '/v1/none']) {
      assert.equal((await get(path)).status, 404, path)
    }
    assert.equal((await host.call('POST /o/home', { as: null })).status, 404)
  })

  it('allows no inline script or style, no other origin and no markup from text', async () => {
    const policy = (await get('/')).headers['content-security-policy'] ?? ''
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]) {
      assert.ok(policy.includes(part), part)
    }
    assert.doesNotMatch(policy, /unsafe|\*|https?:/)
  })

  it('has the theme of the cookie, and no other text of it', async () => {
    const page = async (cookie: string) => (await get('/', { cookie })).text
    assert.match(await page('stoa-theme=dark'), /<html data-theme="dark" lang="en">/)
    assert.match(await page('a=b; stoa-theme=light'), /<html data-theme="light" lang="en">/)
    for (const cookie of ['stoa-theme=', 'stoa-theme="><script>', 'stoa-theme=__proto__', 'x=dark']) {
      assert.match(await page(cookie), /<html lang="en">/, cookie)
    }
    const { headers } = await get('/', { cookie: 'stoa-theme=dark' })
    assert.equal((await get('/', { 'if-none-match': String(headers.etag) })).status, 200)
  })
})

describe('a file of a site', () => {
  const path = '/assets/app-4f3a9c21.js'

  it('is kept forever, and compressed for who accepts it', async () => {
    const plain = await get(path)
    assert.deepEqual([plain.text, plain.headers['content-encoding']], [SCRIPT, undefined])
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
    for (const accepted of [
      'br',
      'gzip, deflate, br, zstd',
      'br;q=0.5',
      'BR',
      ' br ; q=1.0',
      `br,${' '.repeat(15_000)}x`,
    ]) {
      const { headers } = await get(path, { 'accept-encoding': accepted })
      assert.equal(headers['content-encoding'], 'br', accepted)
      assert.notEqual(headers.etag, plain.headers.etag)
    }
    for (const accepted of ['gzip', 'br;q=0', 'br; q=0.000', 'xbr', '']) {
      assert.equal((await get(path, { 'accept-encoding': accepted })).headers['content-encoding'], undefined, accepted)
    }
  })
})

describe('while there is no site', () => {
  const says = { title: 'The console is being built', says: 'Wait.', again: true }

  it('its addresses say so, and the API works', async t => {
    const waiting = await startHost({ pages: (method, path) => statusPage(method, path, says) }, t)
    const { status, text, headers } = await waiting.call('GET /o/home/keys', { as: null })
    assert.equal(status, 200)
    assert.match(text, /The console is being built.*Wait\./s)
    assert.match(text, /http-equiv="refresh"/)
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal((await waiting.call('GET /v1/projects')).status, 200)
  })
})
