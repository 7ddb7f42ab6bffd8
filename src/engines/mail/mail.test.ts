import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { CA } from '../../../test/host.ts'
import { manualClock } from '../clock/clock.ts'
import { EngineUnavailable } from '../engines.ts'
import { systemRandom } from '../random/random.ts'
import { openMail } from './mail.ts'

const clock = manualClock('2026-11-15T09:00:00.000Z')
const FROM = 'Stoa <stoa@example.com>'
const MAIL = { to: 'ada@example.com', subject: 'Grüße', text: 'Näher an https://id.example.com/x\n.\nend\n' }

type Received = { from: string; to: string[]; data: string; secure: boolean; user: string | null }

async function server(t: TestContext, options: SMTPServerOptions = {}) {
  const received: Received[] = []
  const pem = readFileSync(join(process.env.STOA_TEST_TLS as string, 'server.pem'))
  const smtp = new SMTPServer({
    key: pem,
    cert: pem,
    authOptional: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      username === 'stoa' && password === 'p@ss' ? done(null, { user: username }) : done(new Error('no')),
    onData: (stream, { envelope, secure, user }, done) => {
      const parts: Buffer[] = []
      stream.on('data', part => parts.push(part))
      stream.on('end', () => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        const to = envelope.rcptTo.map(({ address }) => address)
        received.push({ from, to, data: Buffer.concat(parts).toString(), secure, user: user ? String(user) : null })
        done()
      })
    },
    ...options,
  })
  smtp.on('error', () => {}) // Some tests make the client disconnect.
  await new Promise<void>(resolve => smtp.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise<void>(resolve => smtp.close(resolve)))
  return { port: (smtp.server.address() as AddressInfo).port, received }
}

const smtpMail = (smtpUrl: string, trustsServer = true) =>
  openMail(
    { smtpUrl, from: FROM, ca: trustsServer ? CA() : undefined, directory: '/nowhere', print: () => {} },
    clock,
    systemRandom,
  )

describe('mail over SMTP', () => {
  it('is sent complete, authenticated and over STARTTLS', async t => {
    const { port, received } = await server(t)
    await smtpMail(`smtp://stoa:p%40ss@localhost:${port}`).send(MAIL)
    const [one] = received
    assert.deepEqual([one?.from, one?.to, one?.secure, one?.user], ['stoa@example.com', [MAIL.to], true, 'stoa'])
    assert.match(one?.data ?? '', /^Subject: =\?UTF-8\?/m)
    assert.match(one?.data ?? '', /https:\/\/id\.example\.com\/x/)
  })

  it('has HTML next to the text, and another display name of the sender at the same address', async t => {
    const { port, received } = await server(t)
    const mail = smtpMail(`smtp://localhost:${port}`)
    await mail.send({ ...MAIL, text: 'a code', html: '<p>a code</p>', fromName: 'Example <Store>, "Ltd"' })
    const { from, data } = received[0] ?? { from: '', data: '' }
    assert.equal(from, 'stoa@example.com')
    assert.match(data, /^From: "Example <Store>, \\"Ltd\\"" <stoa@example\.com>/m)
    assert.match(data, /multipart\/alternative/)
    assert.match(data, /<p>a code<\/p>/)
  })

  it('is sent over implicit TLS', async t => {
    const { port, received } = await server(t, { secure: true })
    await smtpMail(`smtps://localhost:${port}`).send(MAIL)
    assert.equal(received[0]?.secure, true)
  })

  for (const [what, url, trustsServer] of [
    ['no server listens', 'smtp://localhost:1', true],
    ['the password is wrong', 'smtp://stoa:wrong@localhost:PORT', true],
    ['the certificate of the server is not trusted', 'smtps://localhost:SECURE', false],
  ] as const) {
    it(`fails when ${what}`, async t => {
      const [open, secure] = [await server(t), await server(t, { secure: true })]
      const address = url.replace('PORT', String(open.port)).replace('SECURE', String(secure.port))
      await assert.rejects(smtpMail(address, trustsServer).send(MAIL), (error: unknown) => {
        return error instanceof EngineUnavailable && error.engine === 'mail' && error.state === 'down'
      })
      assert.deepEqual([...open.received, ...secure.received], [])
    })
  }

  it('is not sent without TLS to another machine', async t => {
    const { port, received } = await server(t, { disabledCommands: ['STARTTLS'] })
    // Reaches this machine, but is not recognised as loopback.
    await assert.rejects(smtpMail(`smtp://[::ffff:127.0.0.1]:${port}`).send(MAIL), EngineUnavailable)
    assert.deepEqual(received, [])
  })
})

describe('a ping of the mail server', () => {
  it('resolves if it accepts the login, and sends nothing', async t => {
    const { port, received } = await server(t)
    const mail = smtpMail(`smtp://stoa:p%40ss@localhost:${port}`)
    await mail.ping()
    assert.deepEqual([mail.driver, mail.kept, received], ['SMTP', null, []])
  })

  it('rejects if it does not, or if it does not answer in time', async t => {
    const { port } = await server(t)
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    t.after(() => silent.close())
    const silentPort = (silent.address() as AddressInfo).port
    const startMs = performance.now()
    for (const url of [`smtp://stoa:wrong@localhost:${port}`, 'smtp://localhost:1', `smtp://127.0.0.1:${silentPort}`]) {
      await assert.rejects(smtpMail(url).ping(), EngineUnavailable, url)
    }
    assert.ok(performance.now() - startMs < 9_000)
  })
})

describe('mail without a server', () => {
  it('is written to a file that only its owner can read', async t => {
    const home = mkdtempSync(join(tmpdir(), 'stoa-mail-'))
    t.after(() => rmSync(home, { recursive: true }))
    const directory = join(home, 'mail')
    const settings = { smtpUrl: null, from: FROM, ca: undefined, directory, print: () => {} }
    const mail = openMail(settings, clock, systemRandom)
    await mail.send(MAIL)
    await mail.send({ ...MAIL, to: 'eve@example.com' })
    const files = readdirSync(directory)
    assert.equal(files.length, 2)
    for (const name of files) {
      assert.match(name, /^2026-11-15T090000\.000Z-\w{8}\.eml$/)
      assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600)
      assert.match(readFileSync(join(directory, name), 'utf8'), /^From: Stoa <stoa@example\.com>\r$/m)
    }
    assert.equal(statSync(directory).mode & 0o777, 0o700)
  })

  it('has its HTML in a file next to it, and the text is a complete message', async t => {
    const directory = mkdtempSync(join(tmpdir(), 'stoa-mail-'))
    t.after(() => rmSync(directory, { recursive: true }))
    const mail = openMail({ smtpUrl: null, from: FROM, ca: undefined, directory, print: () => {} }, clock, systemRandom)
    const html = '<!doctype html><title>Hello</title><p>Größe</p>'
    await mail.send({ ...MAIL, html })
    const [message = '', page = ''] = readdirSync(directory).sort()
    assert.equal(page, message.replace('.eml', '.html'))
    assert.equal(readFileSync(join(directory, page), 'utf8'), html)
    assert.equal(statSync(join(directory, page)).mode & 0o777, 0o600)
    assert.match(readFileSync(join(directory, message), 'utf8'), /^Content-Type: text\/plain; charset=utf-8\r$/m)
  })

  it('has complete links, in the file and on the terminal', async t => {
    const directory = mkdtempSync(join(tmpdir(), 'stoa-mail-'))
    t.after(() => rmSync(directory, { recursive: true }))
    let printed = ''
    const print = (text: string) => {
      printed += text
    }
    const link = `https://id.example.com/sign-in/invitations/${'a'.repeat(43)}?x=1`
    const mail = openMail({ smtpUrl: null, from: FROM, ca: undefined, directory, print }, clock, systemRandom)
    await mail.send({ ...MAIL, subject: 'Join \u001b[2J\u202e', text: `Öffne https://evil.example\n\n${link}\n` })
    const [name = ''] = readdirSync(directory)
    const text = readFileSync(join(directory, name), 'utf8')
    assert.match(text, /^Content-Transfer-Encoding: 8bit\r$/m)
    assert.match(text, /^Content-Type: text\/plain; charset=utf-8\r$/m)
    assert.ok(text.endsWith(`\r\n\r\nÖffne https://evil.example\r\n\r\n${link}\r\n`), text)
    assert.ok(printed.includes(`${join(directory, name)}\n${link}\n`), printed)
    for (const text of ['\u001b', '\u202e', 'evil']) assert.ok(!printed.includes(text), JSON.stringify(text))
  })
})
