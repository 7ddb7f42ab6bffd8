// Special cases for customers: a second code, an expired code, and mails in the app's name.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { customersOf, PASSWORD } from '../../../test/customers.ts'
import { eventually } from '../../../test/eventually.ts'
import { startHost } from '../../../test/host.ts'
import { registerApp, startIdentity } from '../../../test/identity.ts'
import { EngineUnavailable } from '../../engines/engines.ts'

const host = await startHost({ now: 'real', runsBackground: true })
const identity = await startIdentity(host, { audience: host.baseUrl })
const more = { people: 'users', signUp: 'open', name: 'The shop' }
const shop = await registerApp(host, identity, { app: 'shop', more })
const { newAddress, mailsTo, codeTo, open, redeem, byCode, register } = customersOf(host, identity, shop)
const other = 'walnut-desk-thirteen-green'
const NEW = { password: other }
const told = (email: string, subject: RegExp) =>
  eventually(
    async () => mailsTo(email).find(mail => subject.test(mail.subject)),
    mail => mail !== undefined,
  )

describe('another code', () => {
  it('is mailed on request, and earlier input is kept', async () => {
    const email = newAddress()
    const opened = await open('register')
    await opened.browser.submit(opened.page, { email, name: 'Ada Lovelace', password: PASSWORD })
    const first = codeTo(email)
    const again = `${identity.issuer}${opened.pathname}/again`
    const asked = await opened.browser.go(again, { method: 'POST', body: '' })
    assert.equal(mailsTo(email).length, 2)
    if (codeTo(email) !== first) assert.equal((await opened.browser.submit(asked, { code: first })).status, 400)
    const back = await opened.browser.submit(asked, { code: codeTo(email) })
    await redeem(opened, back.url)
    await shop.signIn({ email, password: PASSWORD })
    const [user] = (await host.call(`GET /v1/iam/users?search=${email}`)).body.data
    assert.equal(user.name, 'Ada Lovelace')
  })

  it('is mailed only at the request of the browser that requested the first, and counts as a mail', async () => {
    const email = newAddress()
    const opened = await open('code')
    await opened.browser.submit(opened.page, { email })
    const again = `${identity.issuer}${opened.pathname}/again`
    await identity.browser().go(again, { method: 'POST', body: '' })
    assert.equal(mailsTo(email).length, 1)
    const statuses: number[] = []
    for (let n = 0; n < 3; n++) statuses.push((await opened.browser.go(again, { method: 'POST', body: '' })).status)
    assert.deepEqual(statuses, [200, 200, 429])
  })

  for (const [step, title] of Object.entries({
    register: 'Create an account',
    code: 'with a code',
    reset: 'new password',
  })) {
    it(`is requested again after five wrong ones: ${step}`, async () => {
      const { email } = await register()
      const opened = await open(step)
      let page = await opened.browser.submit(opened.page, { email, password: PASSWORD })
      const wrong = codeTo(email) === '000000' ? '111111' : '000000'
      for (let n = 0; n < 6; n++) page = await opened.browser.submit(page, { code: wrong, password: other })
      assert.equal(page.status, 400)
      assert.match(page.text, new RegExp(`<h1>[^<]*${title}`))
      assert.ok(page.text.includes(`value="${email}"`) && page.text.includes('no longer valid'))
    })
  }
})

describe('a mail to a customer', () => {
  it('names the purpose of its code', async () => {
    const { email } = await register()
    await byCode('reset', email, NEW)
    assert.ok(mailsTo(email).some(({ text }) => text.startsWith('Your code to choose a new password at The shop:')))
  })

  it('announces a new password, however chosen, and a new address, in the name of the app or the organisation', async () => {
    const { email, browser } = await register()
    const opened = await byCode('reset', email, NEW)
    await redeem(opened, opened.back.url)
    assert.match((await told(email, /password was changed/))?.text ?? '', /at The shop was changed/)
    const { tokens } = await shop.signIn({ email, password: other }, browser)
    const as = tokens.access_token
    const body = { current: other, password: PASSWORD }
    assert.equal((await host.call('POST /v1/iam/me/password', { as, body })).status, 204)
    const changed = await eventually(
      async () => mailsTo(email).filter(mail => /password was changed/.test(mail.subject)),
      mails => mails.length === 2,
    )
    assert.match(changed[1]?.text ?? '', /at Home was changed/i)
    assert.ok(changed[1]?.html && changed[1].fromName)
    const to = newAddress()
    assert.equal((await host.call('POST /v1/iam/me/email', { as, body: { email: to, current: PASSWORD } })).status, 202)
    const link =
      mailsTo(to)
        .at(-1)
        ?.text.match(/https:\S+/)?.[0] ?? ''
    assert.match(mailsTo(to).at(-1)?.html ?? '', /home/i)
    await shop.signIn({ email, password: PASSWORD }, browser)
    assert.match((await browser.submit(await browser.go(link), {})).text, /address was changed/)
    const moved = await told(email, /e-mail address was changed/)
    assert.ok(moved?.text.includes(to) && !/owner or admin/.test(moved.text))
    const same = await host.call('POST /v1/iam/me/email', { as, body: { email: to, current: PASSWORD } })
    assert.deepEqual([same.status, same.body.error.param], [400, 'email'])
  })

  it('that could not be sent does not count as a change of address', async t => {
    const { tokens } = await register()
    const { accept } = host.mailServer
    t.after(() => {
      host.mailServer.accept = accept
    })
    const move = async () =>
      (
        await host.call('POST /v1/iam/me/email', {
          as: tokens.access_token,
          body: { email: newAddress(), current: PASSWORD },
        })
      ).status
    host.mailServer.accept = () => {
      throw new EngineUnavailable('mail', 'down')
    }
    for (let n = 0; n < 3; n++) assert.equal(await move(), 502)
    host.mailServer.accept = accept
    assert.deepEqual([await move(), await move(), await move(), await move()], [202, 202, 202, 429])
  })
})
