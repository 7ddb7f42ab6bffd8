// Protects against finding out who has an account, flooding a mailbox, and taking over an account.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { claimsOf, customersOf, PASSWORD } from '../../../test/customers.ts'
import { startHost } from '../../../test/host.ts'
import { registerApp, startIdentity } from '../../../test/identity.ts'

const host = await startHost({ now: 'real' })
const identity = await startIdentity(host, { audience: host.baseUrl })
const more = { people: 'users', signUp: 'open' }
const shop = await registerApp(host, identity, { app: 'shop', more })
const customers = customersOf(host, identity, shop)
const { newAddress, mailsTo, codeTo, open, redeem, byCode, register } = customers
const EVIL = 'password-of-the-attacker'
const me = (as: string) => host.call('GET /v1/iam/me', { as })
/** A page's content without the parts that differ with each request. */
const shown = (text: string, email: string) => text.replaceAll(email, '…').replace(/\/sign-in\/[\w-]+/g, '/sign-in/…')

describe('whether an address has an account', () => {
  for (const step of ['register', 'code', 'reset'] as const) {
    it(`is not revealed by ${step}: the page is the same, and a mail is sent either way`, async () => {
      const { email: known } = await register()
      const unknown = newAddress()
      const pages: string[] = []
      for (const email of [known, unknown]) {
        const before = mailsTo(email).length
        const opened = await open(step)
        const { status, text } = await opened.browser.submit(opened.page, { email, password: PASSWORD })
        assert.equal(status, 200)
        pages.push(shown(text, email))
        assert.equal(mailsTo(email).length, before + 1)
      }
      assert.equal(pages[0], pages[1])
    })

    it(`is not revealed by wrong codes after ${step}, five of which end it`, async () => {
      const { email: known } = await register()
      const answers: unknown[] = []
      for (const email of [known, newAddress()]) {
        const opened = await open(step)
        let page = await opened.browser.submit(opened.page, { email, password: PASSWORD })
        const said: string[] = []
        for (let attempt = 0; attempt < 6; attempt++) {
          const right = codeTo(email)
          const wrong = right === '000000' ? '111111' : '000000'
          page = await opened.browser.submit(page, { code: wrong, password: PASSWORD })
          said.push(`${page.status} ${page.text.match(/role="alert"[^>]*>([^<]*)/)?.[1]}`)
        }
        answers.push(said)
        const late = await opened.browser.go(`${identity.issuer}${opened.pathname}/enter`)
        const last = await opened.browser.submit(late, { code: codeTo(email), password: PASSWORD })
        assert.equal(new URL(last.url).searchParams.get('code'), null, 'the right code after five wrong ones')
      }
      assert.deepEqual(answers[0], answers[1])
    })
  }

  it('is not revealed by the password form', async () => {
    const { email } = await register()
    const texts: string[] = []
    for (const one of [email, newAddress()]) {
      const { browser, page } = await open()
      const { status, text } = await browser.submit(page, { email: one, password: EVIL })
      assert.equal(status, 401)
      texts.push(shown(text, one))
    }
    assert.equal(texts[0], texts[1])
  })
})

describe('mails', () => {
  it('to an address are limited, from whatever network and app, and whether it has an account or not', async () => {
    const till = customersOf(host, identity, await registerApp(host, identity, { app: 'till', more }))
    for (const email of [(await register()).email, newAddress()]) {
      const statuses: number[] = []
      const before = mailsTo(email).length
      for (let times = 0; times < 5; times++) {
        const opened = await (times % 2 ? till : customers).open('code')
        const headers = { 'x-test-address': `203.0.113.${times}` }
        const { status } = await opened.browser.submit(opened.page, { email }, headers)
        statuses.push(status)
      }
      assert.ok(mailsTo(email).length <= 3, `${before} before, ${mailsTo(email).length} after`)
      assert.equal(statuses.at(-1), 429)
    }
  })

  it('that strangers ask for do not keep the owner from theirs, who was signed in here before', async () => {
    for (const password of [PASSWORD, '']) {
      const { email, browser } = await register(newAddress(), password)
      for (let times = 0; times < 4; times++) {
        const opened = await open('code')
        const headers = { 'x-test-address': `203.0.113.${times}` }
        await opened.browser.submit(opened.page, { email }, headers)
      }
      const elsewhere = await open('code')
      assert.equal((await elsewhere.browser.submit(elsewhere.page, { email })).status, 429)
      const statuses: number[] = []
      for (let times = 0; times < 4; times++) {
        const begun = await shop.begin({ prompt: 'login' })
        const page = await browser.go(begun.url)
        const form = await browser.go(`${page.url}/code`)
        statuses.push((await browser.submit(form, { email })).status)
      }
      assert.deepEqual(statuses, [200, 200, 200, 429], 'a count of its own')
    }
  })

  it('to somebody who knows the password are limited too, however many known browsers they create', async () => {
    const { email } = await register()
    let [sent, refused] = [0, 0]
    for (let n = 0; n < 4; n++) {
      const browser = identity.browser()
      await shop.signIn({ email, password: PASSWORD }, browser)
      for (let times = 0; times < 3; times++) {
        const page = await browser.go((await shop.begin({ prompt: 'login' })).url)
        const { status } = await browser.submit(await browser.go(`${page.url}/code`), { email })
        if (status === 200) sent++
        else refused++
      }
    }
    assert.deepEqual([sent, refused], [6, 6])
  })

  it('that are refused cost no hash', async t => {
    const { hash } = host.engines.passwords
    let hashed = 0
    t.after(() => {
      host.engines.passwords.hash = hash
    })
    host.engines.passwords.hash = (...given) => {
      hashed++
      return hash(...given)
    }
    const email = newAddress()
    const statuses: number[] = []
    for (let times = 0; times < 5; times++) {
      const opened = await open('register')
      statuses.push((await opened.browser.submit(opened.page, { email, password: PASSWORD })).status)
    }
    assert.deepEqual([statuses, hashed], [[200, 200, 200, 429, 429], 3])
  })

  it('from a network are limited', async () => {
    const headers = { 'x-test-address': '198.51.100.7' }
    let status = 200
    for (let times = 0; times < 70 && status === 200; times++) {
      const opened = await open('code')
      status = (await opened.browser.submit(opened.page, { email: newAddress() }, headers)).status
    }
    assert.equal(status, 429)
  })

  it('have the name of the app, as text and HTML, and nothing of it is markup', async () => {
    const name = 'Ada <b>&amp; Söhne'
    const odd = await registerApp(host, identity, { app: 'odd', more: { ...more, name } })
    const { open } = customersOf(host, identity, odd)
    const email = newAddress()
    const opened = await open('code')
    assert.match(opened.page.text, /with a code · Ada &#60;b&#62;/)
    await opened.browser.submit(opened.page, { email })
    const mail = mailsTo(email).at(-1) as { text: string; html?: string; fromName?: string }
    assert.match(mail.text, new RegExp(`Your code for ${name.replace(/[<>&;]/g, '.')}:`))
    assert.match(mail.html ?? '', /Ada &#60;b&#62;&#38;amp; Söhne/)
    assert.equal(mail.fromName, name)
    assert.ok(mail.html?.includes(codeTo(email)))
  })
})

describe('wrong passwords', () => {
  it("at an app of the team do not sign in to a customer's account", async () => {
    const { email } = await register()
    const team = await registerApp(host, identity, { app: 'team' })
    const browser = identity.browser()
    const page = await browser.go((await team.begin()).url)
    for (const prefix of ['home ', 'home\0', 'home%00']) {
      for (let n = 0; n < 11; n++) await browser.submit(page, { email: prefix + email, password: EVIL })
    }
    await shop.signIn({ email, password: PASSWORD })
  })
})

describe('codes', () => {
  it('that a network may enter are limited, right ones included', async () => {
    const headers = { 'x-test-address': '198.51.100.9' }
    let status = 0
    let entered = 0
    while (status !== 429 && entered < 120) {
      const opened = await open('code')
      const asking = { 'x-test-address': `203.0.113.${100 + entered}` }
      const asked = await opened.browser.submit(opened.page, { email: newAddress() }, asking)
      for (let n = 0; n < 5 && status !== 429; n++) {
        ;({ status } = await opened.browser.submit(asked, { code: '000000' }, headers))
        entered++
      }
    }
    assert.deepEqual([status, entered], [429, 101])
  })
})

describe('an address that no account can have', () => {
  for (const email of [
    'ü@example.com',
    'a@exämple.com',
    'a,b@example.com',
    'a@localhost',
    'a@b@example.com',
    'a\\"@example.com',
  ]) {
    it(`gets no code: ${email}`, async () => {
      for (const step of ['register', 'code', 'reset']) {
        const opened = await open(step)
        const { status, text } = await opened.browser.submit(opened.page, { email })
        assert.deepEqual([status, /Please enter an e-mail address/.test(text)], [400, true])
      }
      assert.deepEqual(mailsTo(email), [])
    })
  }
})

describe('a code', () => {
  it('works once, and only in the browser that requested it', async () => {
    const email = newAddress()
    const opened = await open('register')
    const asked = await opened.browser.submit(opened.page, { email, password: PASSWORD })
    const thief = identity.browser()
    // Even with the cookie of the sign-in, but not with that of the browser.
    for (const [name, cookie] of opened.browser.jar) if (!name.includes('browser')) thief.jar.set(name, cookie)
    const stolen = await thief.submit(asked, { code: codeTo(email) })
    assert.equal(new URL(stolen.url).searchParams.get('code'), null)
    const other = await open('enter')
    assert.equal(other.page.status, 400)
    const back = await opened.browser.submit(asked, { code: codeTo(email) })
    await redeem(opened, back.url)
    const again = await opened.browser.submit(asked, { code: codeTo(email) })
    assert.equal(new URL(again.url).searchParams.get('code'), null)
  })

  it('ends after ten minutes', async () => {
    const email = newAddress()
    const opened = await open('code')
    const asked = await opened.browser.submit(opened.page, { email })
    await host.db`update customer_codes set expires = now() - interval '1 second' where email = ${email}`
    const { status, text } = await opened.browser.submit(asked, { code: codeTo(email) })
    assert.deepEqual([status, /no longer valid/.test(text)], [400, true])
  })

  it('is not stored in plain text', async () => {
    const email = newAddress()
    const opened = await open('code')
    await opened.browser.submit(opened.page, { email })
    const [row] = await host.db`select * from customer_codes where email = ${email}`
    assert.ok(!JSON.stringify(row).includes(codeTo(email)))
  })

  it('entered twenty times at the same time creates one account', async () => {
    const email = newAddress()
    const opened = await open('register')
    const asked = await opened.browser.submit(opened.page, { email, password: PASSWORD })
    const code = codeTo(email)
    const copies = Array.from({ length: 20 }, () => identity.copyOf(opened.browser))
    const all = await Promise.all(copies.map(copy => copy.submit(asked, { code })))
    assert.equal(all.filter(({ url }) => url.includes('code=')).length, 1)
    const rows = await host.db`select from customers where email = ${email}`
    assert.equal(rows.length, 1)
    assert.deepEqual(identity.failures.splice(0), [])
  })
})

describe('somebody who registers with the address of another', () => {
  /** Asks for a code for the address, with a password of their own, and never gets it. */
  async function attack(email: string) {
    const opened = await open('register')
    return { ...opened, asked: await opened.browser.submit(opened.page, { email, password: EVIL }) }
  }
  const isWorthless = async (email: string) => {
    const { browser, page } = await open()
    assert.equal((await browser.submit(page, { email, password: EVIL })).status, 401)
  }

  it('has no account and no password, when its owner registers', async () => {
    const email = newAddress()
    const attacker = await attack(email)
    await register(email)
    await isWorthless(email)
    const late = await attacker.browser.submit(attacker.asked, { code: codeTo(email) })
    assert.equal(new URL(late.url).searchParams.get('code'), null)
    await shop.signIn({ email, password: PASSWORD })
  })

  it('changes nothing of an existing account, and its owner is notified', async () => {
    const { email, tokens } = await register()
    const { asked, browser } = await attack(email)
    assert.match(mailsTo(email).at(-1)?.subject ?? '', /already have an account/)
    await isWorthless(email)
    assert.equal((await me(tokens.access_token)).status, 200)
    // Even if the owner gives away the code, the password stays theirs.
    await browser.submit(asked, { code: codeTo(email) })
    await isWorthless(email)
    await shop.signIn({ email, password: PASSWORD })
  })

  it('has nothing of an account that an admin creates afterwards', async () => {
    const email = newAddress()
    await attack(email)
    assert.equal((await host.call('POST /v1/iam/users', { body: { email } })).status, 201)
    await isWorthless(email)
    const opened = await byCode('reset', email, { password: PASSWORD })
    await redeem(opened, opened.back.url)
    await isWorthless(email)
    await shop.signIn({ email, password: PASSWORD })
  })

  it('and whose password came with the account cannot use it before the mailbox is proved, which ends it', async () => {
    const email = newAddress()
    // As created by an import or an admin: the address was never verified.
    const { user } = (await host.call('POST /v1/iam/users', { body: { email, password: EVIL } })).body
    const { browser, page } = await open()
    const asked = await browser.submit(page, { email, password: EVIL })
    assert.match(asked.text, /Check your e-mail/)
    const opened = await byCode('code', email)
    assert.equal(claimsOf((await redeem(opened, opened.back.url)).id_token).sub, user)
    await isWorthless(email)
    const late = await browser.submit(asked, { code: codeTo(email) })
    assert.equal(new URL(late.url).searchParams.get('code'), null, 'the attacker was waiting for the code')
  })

  it('whose own password came with the account keeps it by proving the mailbox', async () => {
    const email = newAddress()
    await host.call('POST /v1/iam/users', { body: { email, password: PASSWORD } })
    const opened = await open()
    const asked = await opened.browser.submit(opened.page, { email, password: PASSWORD })
    const back = await opened.browser.submit(asked, { code: codeTo(email) })
    assert.equal(claimsOf((await redeem(opened, back.url)).id_token).email_verified, true)
    await shop.signIn({ email, password: PASSWORD })
  })
})

describe('an address that an admin changes', () => {
  it('claims no other account, and is proved before it is used', async () => {
    const [one, two] = [await register(), await register()]
    const move = (email: string) => host.call(`PATCH /v1/iam/users/${one.claims.sub}`, { body: { email } })
    assert.equal((await move(two.email)).status, 409)
    const asked = { email: newAddress(), current: PASSWORD }
    await host.call('POST /v1/iam/me/email', { as: one.tokens.access_token, body: asked })
    const link =
      mailsTo(asked.email)
        .at(-1)
        ?.text.match(/https:\S+/)?.[0] ?? ''
    assert.equal((await one.browser.go(link)).status, 200)
    const email = newAddress()
    const { status, body } = await move(email)
    assert.deepEqual([status, body.email, body.emailVerified], [200, email, false])
    assert.equal((await one.browser.go(link)).status, 404, 'a link from before has ended')
    const { browser, page } = await open()
    assert.match((await browser.submit(page, { email, password: PASSWORD })).text, /Check your e-mail/)
  })
})
