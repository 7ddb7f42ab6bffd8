// Kept mail, which superadmins read where no mail server is set.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startHost } from '../../../test/host.ts'
import { keptMails } from '../../engines/mail/kept.ts'

const host = await startHost()
const asAdmin = (what: string, as = host.admin.key) => host.call(what, { as })
const LINK = 'https://id.stoa.example/sign-in/reset/0123456789'
/** A subject may have a code that signs somebody in. */
const CODE = '604213'
const keep = async (count: number) => {
  for (let n = 0; n < count; n++) {
    host.clock.advance(1_000)
    await host.keptMail.keep({
      to: `ada${n}@example.com`,
      subject: `${CODE} is your code`,
      text: `Choose a password:\n\n${LINK}\n`,
    })
  }
}

describe('GET /v1/o11y/mail', () => {
  it('lists kept mail newest first, in pages of at most 50', async () => {
    assert.deepEqual((await asAdmin('GET /v1/o11y/mail')).body, { kept: true, data: [], next: '' })
    await keep(53)
    const { kept, data, next } = (await asAdmin('GET /v1/o11y/mail?limit=200')).body
    assert.deepEqual([kept, data.length, data[0].to, data[49].to], [true, 50, 'ada52@example.com', 'ada3@example.com'])
    const rest = (await asAdmin(`GET /v1/o11y/mail?after=${next}`)).body
    assert.deepEqual(
      [rest.next, ...rest.data.map(({ to }: { to: string }) => to)],
      ['', 'ada2@example.com', 'ada1@example.com', 'ada0@example.com'],
    )
    assert.deepEqual(Object.keys(data[0]).sort(), ['at', 'id', 'to'], 'neither the text nor the subject')
  })

  it('says that mail is not kept if there is a mail server', async t => {
    const sending = await startHost({ mail: { driver: 'SMTP', kept: null, ping: async () => {} } }, t)
    const read = (what: string) => sending.call(what, { as: sending.admin.key })
    assert.deepEqual((await read('GET /v1/o11y/mail')).body, { kept: false, data: [], next: '' })
    assert.equal((await read('GET /v1/o11y/mail/2026-11-15T093000.000Z-Y6cVtIpZ')).status, 404)
  })
})

describe('GET /v1/o11y/mail/{id}', () => {
  it('returns the text, and records who read it', async () => {
    await keep(1)
    const [{ id }] = (await asAdmin('GET /v1/o11y/mail?limit=1')).body.data
    const { body } = await asAdmin(`GET /v1/o11y/mail/${id}`)
    assert.deepEqual(
      [body.to, body.subject, body.from, body.text],
      ['ada0@example.com', `${CODE} is your code`, 'stoa@localhost', `Choose a password:\n\n${LINK}\n`],
    )
    const [entry] = (await asAdmin('GET /v1/iam/audit?limit=1')).body.data
    assert.deepEqual([entry.what, entry.on], ['mail.read', id])
    for (const secret of [LINK, CODE]) {
      assert.ok(!JSON.stringify(entry).includes(secret))
      assert.ok(!host.logged.join('').includes(secret))
    }
  })

  it('is refused to owners of other organisations, to limited keys and as a tool', async () => {
    const [{ id }] = (await asAdmin('GET /v1/o11y/mail?limit=1')).body.data
    const path = `GET /v1/o11y/mail/${id}`
    assert.equal((await asAdmin(path, host.home.key)).status, 403)
    assert.equal((await asAdmin('GET /v1/o11y/mail', host.home.key)).status, 403)
    const body = { name: 'x', limit: ['read:*'] }
    const limited = (await host.call('POST /v1/account/keys', { as: host.admin.key, body })).body.key
    assert.equal((await asAdmin('GET /v1/o11y/mail', limited)).status, 200)
    assert.equal((await asAdmin(path, limited)).body.error.code, 'key_limit')
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'o11y_mail_get', arguments: { id } } }
    const answer = await host.call('POST /v1/mcp', { as: host.admin.key, body: call })
    assert.ok(!answer.text.includes(LINK) && !answer.text.includes(CODE), answer.text)
  })

  it('finds only names of mails', async () => {
    for (const id of ['..', '%2e%2e%2fpasswd', '..%2f..%2fetc%2fpasswd', 'x', '2026-11-15T093000.000Z-Y6cVtIp%2F']) {
      const { status } = await asAdmin(`GET /v1/o11y/mail/${id}`)
      assert.ok([400, 404].includes(status), `${id}: ${status}`)
    }
    assert.equal((await asAdmin('GET /v1/o11y/mail/2026-11-15T093000.000Z-Y6cVtIpZ')).body.error.code, 'not_found')
  })

  it('leaves out what is no file, and does not wait for it', async t => {
    const own = mkdtempSync(join(tmpdir(), 'stoa-mail-'))
    t.after(() => rmSync(own, { recursive: true }))
    const id = (letter: string) => `2026-11-15T093000.000Z-${letter.repeat(8)}`
    const path = (letter: string) => join(own, `${id(letter)}.eml`)
    writeFileSync(path('A'), 'To: ada@example.com\r\n\r\nText')
    mkdirSync(path('B'))
    symlinkSync(path('A'), path('C'))
    execFileSync('mkfifo', [path('D')])
    const mails = keptMails(own)
    const late = wait(5_000, null, { ref: false }).then(() => assert.fail('waits for a writer'))
    const listed = await Promise.race([mails.list('', 10), late])
    assert.deepEqual(
      listed.map(one => one.id),
      [id('A')],
    )
    for (const letter of 'BCD') assert.equal(await mails.read(id(letter)), null)
  })
})
