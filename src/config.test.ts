import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { helpText, readConfig } from './config.ts'

describe('settings', () => {
  it('have defaults that start a host on this machine alone', () => {
    const config = readConfig([], {})
    assert.equal(config.STOA_HOST, '127.0.0.1')
    assert.equal(config.STOA_PORT, 8443)
    assert.equal(config.DATABASE_URL, null)
    assert.match(config.STOA_DATA, /\/data$/)
  })

  it('come from the environment, and from flags first', () => {
    const environment = { STOA_PORT: '1000', STOA_HOST: '::1', DATABASE_URL: 'postgres://a/b' }
    const config = readConfig(['--port', '2000', '--database-url=postgres://c/d?x=y'], environment)
    assert.equal(config.STOA_PORT, 2000)
    assert.equal(config.STOA_HOST, '::1')
    assert.equal(config.DATABASE_URL, 'postgres://c/d?x=y')
  })

  it('refuse a flag that is none, and one without its value', () => {
    assert.throws(() => readConfig(['--prot', '1'], {}), /--prot is not a flag/)
    assert.throws(() => readConfig(['stray'], {}), /stray is not a flag/)
    assert.throws(() => readConfig(['--port'], {}), /--port needs a value/)
  })

  it('refuse a certificate without its key', () => {
    assert.throws(() => readConfig([], { STOA_TLS_CERT: 'package.json' }), /go together/)
  })

  it('tell of names that look like settings and are none', () => {
    assert.deepEqual(readConfig([], { STOA_PROT: '1', STOA_PORT: '1', OTHER: '1' }).warnings, ['STOA_PROT'])
  })

  it('read several upstreams', () => {
    const { STOA_UPSTREAMS } = readConfig(['--upstreams', 'search=http://a:1/x?y=z, tasks=https://b'], {})
    assert.deepEqual(
      [...STOA_UPSTREAMS].map(([name, url]) => `${name} ${url.href}`),
      ['search http://a:1/x?y=z', 'tasks https://b/'],
    )
  })

  it('are all in the help, each with what it means', () => {
    for (const name of ['STOA_PORT', '--port', 'DATABASE_URL', '--database-url', 'STOA_TRUST_PROXY']) {
      assert.ok(helpText().includes(name), name)
    }
  })

  it('never repeats a root key, even a wrong one', () => {
    const wrong = 'c2hvcnQ='
    assert.throws(
      () => readConfig([], { STOA_ROOT_KEY: wrong }),
      (error: Error) => /STOA_ROOT_KEY: .*32 bytes/.test(error.message) && !error.message.includes(wrong),
    )
  })
})
