import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { helpText, readConfig } from './config.ts'
import { StartRefused, setting } from './kit/setting.ts'

describe('settings', () => {
  it('have defaults that listen on this machine only', () => {
    const config = readConfig([], {}, {})
    assert.equal(config.STOA_HOST, '127.0.0.1')
    assert.equal(config.STOA_PORT, 8443)
    assert.equal(config.DATABASE_URL, null)
    assert.match(config.STOA_DATA, /\/data$/)
  })

  it('are read from flags first, then from the environment', () => {
    const environment = { STOA_PORT: '1000', STOA_HOST: '::1', DATABASE_URL: 'postgres://a/b' }
    const config = readConfig(['--port', '2000', '--database-url=postgres://c/d?x=y'], {}, environment)
    assert.equal(config.STOA_PORT, 2000)
    assert.equal(config.STOA_HOST, '::1')
    assert.equal(config.DATABASE_URL, 'postgres://c/d?x=y')
  })

  for (const [name, value, message] of [
    ['STOA_PORT', '80443', /^STOA_PORT="80443": must be a port number/],
    ['STOA_PORT', 'https', /^STOA_PORT="https"/],
    ['STOA_BASE_URL', 'http://x.test', /^STOA_BASE_URL=.*https/],
    ['STOA_BASE_URL', 'https://x.test/v1', /without a path/],
    ['STOA_TRUST_PROXY', '10.0.0.0/99', /^STOA_TRUST_PROXY=.*CIDR/],
    ['STOA_OUTBOUND_ALLOW', 'localhost', /^STOA_OUTBOUND_ALLOW=.*CIDR/],
    ['STOA_TLS_CERT', '/nowhere.pem', /^STOA_TLS_CERT=.*cannot be read/],
    ['STOA_UPSTREAMS', 'search', /^STOA_UPSTREAMS=/],
    ['STOA_OWN_ORIGINS', 'http://localhost:3000/app', /^STOA_OWN_ORIGINS=.*must be origins/],
    ['STOA_OWN_ORIGINS', 'https://*.example.com', /^STOA_OWN_ORIGINS=.*without a wildcard/],
    ['DATABASE_URL', 'mysql://u:hid/den@h/x', /^DATABASE_URL=(?!.*(hid|den)).*postgres/],
    ['STOA_SMTP_URL', 'smtp:user:hidden@host', /^STOA_SMTP_URL=(?!.*hidden)/],
    ['STOA_LOG', 'loud', /^STOA_LOG=.*one of/],
    ['STOA_DB_QUEUE', '-1', /^STOA_DB_QUEUE=/],
    ['DATABASE_URL', 'mysql://u:hidden@h/x', /^DATABASE_URL=(?!.*hidden).*postgres/],
    ['DATABASE_URL', 'postgres://u:100%@h/x', /^DATABASE_URL=.*%25/],
    ['DATABASE_URL', 'mysql://x', /^DATABASE_URL=.*postgres/],
  ] as const) {
    it(`with a wrong value are rejected: ${name}=${value}`, () => {
      assert.throws(
        () => readConfig([], {}, { [name]: value }),
        (error: Error) => error instanceof StartRefused && message.test(error.message),
      )
    })
  }

  it('reject an unknown flag, and a flag without its value', () => {
    assert.throws(() => readConfig(['--prot', '1'], {}, {}), /--prot is not a flag/)
    assert.throws(() => readConfig(['stray'], {}, {}), /stray is not a flag/)
    assert.throws(() => readConfig(['--port'], {}, {}), /--port needs a value/)
  })

  it('reject a certificate without its key', () => {
    assert.throws(() => readConfig([], {}, { STOA_TLS_CERT: 'package.json' }), /go together/)
  })

  it('warn about unknown names that start with STOA_', () => {
    assert.deepEqual(readConfig([], {}, { STOA_PROT: '1', STOA_PORT: '1', OTHER: '1' }).warnings, ['STOA_PROT'])
  })

  it('read several upstreams', () => {
    const { STOA_UPSTREAMS } = readConfig(['--upstreams', 'search=http://a:1/x?y=z, tasks=https://b'], {}, {})
    assert.deepEqual(
      [...STOA_UPSTREAMS].map(([name, url]) => `${name} ${url.href}`),
      ['search http://a:1/x?y=z', 'tasks https://b/'],
    )
  })

  it('can name brands; the default brand has no name', () => {
    const brands = (text: string) => [...readConfig([], {}, { STOA_IAM_URL: text }).STOA_IAM_URL]
    assert.deepEqual(brands(''), [])
    assert.deepEqual(brands('https://id.example.com, acme=https://id.acme.test:8444'), [
      ['default', 'https://id.example.com'],
      ['acme', 'https://id.acme.test:8444'],
    ])
    for (const wrong of [
      'http://id.example.com',
      'Acme=https://id.acme.test',
      '=https://id.acme.test',
      'acme=https://a.test,acme=https://b.test',
      'https://a.test,acme=https://a.test',
      'https://a.test/path',
    ]) {
      assert.throws(() => brands(wrong), /STOA_IAM_URL/, wrong)
    }
  })

  it('accept a mail server and a sender, and never print its password', () => {
    const read = (text: string) => readConfig([], {}, { STOA_SMTP_URL: text }).STOA_SMTP_URL
    assert.equal(read('smtps://u:p%40@mail.example.com:465'), 'smtps://u:p%40@mail.example.com:465')
    for (const wrong of ['http://mail.example.com', 'smtp://u:hidden@mail/x', 'smtp://u:hidden%zz@mail']) {
      assert.throws(
        () => read(wrong),
        (error: Error) => /STOA_SMTP_URL/.test(error.message) && !error.message.includes('hidden'),
      )
    }
    const from = (text: string) => readConfig([], {}, { STOA_MAIL_FROM: text }).STOA_MAIL_FROM
    assert.equal(from('Stoa <no-reply@example.com>'), 'Stoa <no-reply@example.com>')
    for (const wrong of ['nobody', 'a@b, c@d', 'x <a@b> y']) assert.throws(() => from(wrong), /STOA_MAIL_FROM/)
  })

  it('are listed in the help', () => {
    for (const name of ['STOA_PORT', '--port', 'DATABASE_URL', '--database-url', 'STOA_TRUST_PROXY']) {
      assert.ok(helpText({}).includes(name), name)
    }
  })

  it('never print a root key, even a wrong one', () => {
    const wrong = 'c2hvcnQ='
    assert.throws(
      () => readConfig([], {}, { STOA_ROOT_KEY: wrong }),
      (error: Error) => /STOA_ROOT_KEY: .*32 bytes/.test(error.message) && !error.message.includes(wrong),
    )
  })

  it('must not have the same port twice', () => {
    for (const [flags, why] of [
      [['--port', '1', '--iam-port', '1'], /STOA_PORT and STOA_IAM_PORT are both 1/],
      [['--port', '1', '--metrics-port', '1', '--host', '0.0.0.0'], /STOA_PORT and STOA_METRICS_PORT are both 1/],
      [['--iam-port', '1', '--metrics-port', '1'], /STOA_IAM_PORT and STOA_METRICS_PORT are both 1/],
    ] as const) {
      assert.throws(() => readConfig([...flags], {}, {}), why)
    }
    assert.ok(readConfig(['--port', '0', '--iam-port', '0', '--metrics-port', '0'], {}, {}))
  })

  it('of a service are read like the others, and passed to it by name', () => {
    const declared = { STOA_X: setting('An `x`', 'y', String, 'What only the page says') }
    assert.equal(readConfig([], declared, {}).services.STOA_X, 'y')
    assert.equal(readConfig(['--x', 'z'], declared, {}).services.STOA_X, 'z')
    assert.deepEqual(readConfig([], declared, { STOA_X: 'z' }).warnings, [])
    assert.match(helpText(declared), /--x +STOA_X +An x \(y\)\n/)
  })
})
