import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { claimsOf, customersOf, PASSWORD } from '../../../test/customers.ts'
import { startHost } from '../../../test/host.ts'
import { addPerson, registerApp, startIdentity } from '../../../test/identity.ts'

const host = await startHost({ now: 'real' })
const identity = await startIdentity(host, { audience: host.baseUrl })
const logoutUris = ['https://shop.example.com/']
const shop = await registerApp(host, identity, { app: 'shop', logoutUris, more: { people: 'users', signUp: 'open' } })
const staff = await registerApp(host, identity, { app: 'staff' })
const away = { people: 'users', signUp: 'open' }
const elsewhere = await registerApp(host, identity, { app: 'away', as: host.other.key, more: away })
const { newAddress, mailsTo, codeTo, open, redeem, byCode, register, registerByCode, ageSignIns } = customersOf(
  host,
  identity,
  shop,
)
const me = (as: string) => host.call('GET /v1/iam/me', { as })

describe('a customer', () => {
  it('registers with a code by mail, and is signed in', async () => {
    const { email, tokens, claims } = await register()
    assert.deepEqual([claims.owner, claims.email, claims.email_verified], ['home', email, true])
    assert.deepEqual([claims.name, claims.role, claims.metadata], ['Ada Lovelace', undefined, undefined])
    assert.match(claims.sub, /^cus_/)
    const { status, body } = await me(tokens.access_token)
    assert.deepEqual([status, body.role, body.user, body.orgs], [200, 'user', claims.sub, []])
    const events = host.emitted.filter(({ data }) => (data as { user?: string }).user === claims.sub)
    assert.deepEqual(
      events.map(({ type, tenant }) => [type, tenant]),
      [
        ['iam.user.created', 'home'],
        ['iam.user.signed_in', 'home'],
      ],
    )
  })

  it('signs in with the password, refreshes, and signs out', async () => {
    const { email, claims } = await register()
    const again = await shop.signIn({ email, password: PASSWORD })
    assert.equal(again.claims.sub, claims.sub)
    const refreshed = await shop.refresh(again.tokens.refresh_token)
    assert.equal(refreshed.status, 200)
    const query = new URLSearchParams({
      id_token_hint: `${again.tokens.id_token}`,
      post_logout_redirect_uri: logoutUris[0] as string,
    })
    const page = await again.browser.go(`${identity.issuer}/v1/iam/oauth/logout?${query}`)
    const out = await again.browser.submit(page, { logout: 'yes' })
    assert.equal(out.url, logoutUris[0])
    assert.equal((await me(refreshed.body.access_token)).status, 401)
    assert.match((await open('', again.browser)).page.text, /name="password"/)
  })

  it('signs in with a code instead of a password', async () => {
    const { email, claims } = await register()
    const opened = await byCode('code', email)
    assert.equal(claimsOf((await redeem(opened, opened.back.url)).id_token).sub, claims.sub)
  })

  it('chooses a new password with a code, which signs out everywhere else', async () => {
    const { email, tokens, claims } = await register()
    const opened = await byCode('reset', email, { password: 'another-green-walnut' })
    assert.equal(claimsOf((await redeem(opened, opened.back.url)).id_token).sub, claims.sub)
    assert.equal((await me(tokens.access_token)).status, 401)
    assert.equal((await shop.refresh(tokens.refresh_token)).status, 400)
    await assert.rejects(shop.signIn({ email, password: PASSWORD }))
    await shop.signIn({ email, password: 'another-green-walnut' })
  })

  it("has a session separate from a member's and from other organisations', in the same browser", async () => {
    const { browser, email, tokens } = await register()
    const ada = await addPerson(host, email) // The same address is a member of the team.
    const member = await staff.signIn(ada, browser)
    assert.match(member.claims.sub, /^usr_/)
    const there = customersOf(host, identity, elsewhere)
    const step = await there.open('register', browser)
    const asked = await browser.submit(step.page, { email, password: 'yet-another-walnut' })
    const back = await browser.submit(asked, { code: codeTo(email) })
    const other = claimsOf((await redeem(step, back.url, elsewhere)).id_token)
    assert.deepEqual([other.owner, other.sub === claimsOf(tokens.id_token).sub], ['other', false])
    // Nobody was signed out, and each app finds its own again without a form.
    for (const [app, sub] of [
      [shop, claimsOf(tokens.id_token).sub],
      [staff, ada.user],
      [elsewhere, other.sub],
    ] as const) {
      const entered = await app.signIn({ email: '', password: '' }, browser)
      assert.deepEqual([entered.sawForm, entered.claims.sub], [false, sub])
    }
    assert.equal((await me(tokens.access_token)).status, 200)
    // Each account has its own password.
    await assert.rejects(shop.signIn({ email, password: 'yet-another-walnut' }))
    await assert.rejects(elsewhere.signIn({ email, password: PASSWORD }))
  })

  it('is nobody at the apps of the team and of others, and members are nobody here', async () => {
    const ada = await addPerson(host, 'ada@example.com')
    const { browser, page } = await open()
    assert.equal((await browser.submit(page, ada)).status, 401)
    const { email } = await register()
    for (const app of [staff, elsewhere]) {
      const other = await open('', identity.browser(), app)
      assert.equal((await other.browser.submit(other.page, { email, password: PASSWORD })).status, 401)
    }
  })

  it('changes the own name and password, and deletes the own account', async () => {
    const { email, tokens, claims } = await register()
    const as = tokens.access_token
    assert.equal((await host.call('PATCH /v1/iam/me', { as, body: { name: 'Countess' } })).status, 200)
    assert.equal((await me(as)).body.name, 'Countess')
    const body = { current: PASSWORD, password: 'another-green-walnut' }
    assert.equal((await host.call('POST /v1/iam/me/password', { as, body })).status, 204)
    await shop.signIn({ email, password: body.password })
    assert.equal((await host.call('GET /v1/iam/sessions', { as })).body.data.length, 2)
    assert.equal((await host.call('DELETE /v1/iam/me', { as })).status, 204)
    assert.equal((await me(as)).status, 401)
    assert.equal((await host.call(`GET /v1/iam/users/${claims.sub}`)).status, 404)
    await assert.rejects(shop.signIn({ email, password: body.password }))
    const left = await host.db<{ name: string }>`select 'customers' as name from customers where email = ${email}
      union all select 'terms' from customer_terms where customer = ${claims.sub}
      union all select 'codes' from customer_codes where email = ${email}
      union all select 'sign-ins' from oidc where user_id = ${claims.sub}
      union all select 'trail' from audit where email = ${email} or changes::text like ${`%${email}%`}`
    assert.deepEqual([...left], [])
  })

  it('changes the own address by proving the new mailbox, which no other customer has', async () => {
    const [one, two] = [await register(), await register()]
    const move = (email: string) =>
      host.call('POST /v1/iam/me/email', { as: one.tokens.access_token, body: { email, current: PASSWORD } })
    const linkTo = (email: string) =>
      mailsTo(email)
        .at(-1)
        ?.text.match(/https:\S+/)?.[0] ?? ''
    assert.equal((await move(two.email)).status, 202)
    assert.equal(linkTo(two.email), '', 'nobody else gets a link')
    const email = newAddress()
    assert.equal((await move(email)).status, 202)
    assert.match((await identity.browser().go(linkTo(email))).text, /Sign in first/)
    await one.browser.submit(await one.browser.go(linkTo(email)), {})
    const { body } = await host.call(`GET /v1/iam/users/${one.claims.sub}`)
    assert.deepEqual([body.email, body.emailVerified], [email, true])
    assert.equal((await me(one.tokens.access_token)).body.email, email)
    assert.equal((await host.call(`GET /v1/iam/users?search=${email}`)).body.data.length, 1)
    assert.equal((await host.call(`GET /v1/iam/users?search=${one.email}`)).body.data.length, 0)
    await shop.signIn({ email, password: PASSWORD })
    await assert.rejects(shop.signIn({ email: one.email, password: PASSWORD }))
    // A member of the team with that address is somebody else.
    const staffed = newAddress()
    await addPerson(host, staffed)
    assert.equal((await move(staffed)).status, 202)
    assert.notEqual(linkTo(staffed), '')
  })

  it('can have only so many mails sent for a change of address, and change the password so often', async () => {
    const to = newAddress()
    const statuses: number[] = []
    for (let n = 0; n < 5; n++) {
      const { tokens } = await register()
      const body = { email: to, current: PASSWORD }
      statuses.push((await host.call('POST /v1/iam/me/email', { as: tokens.access_token, body })).status)
    }
    assert.deepEqual(statuses, [202, 202, 202, 429, 429])
    assert.equal(mailsTo(to).length, 3)
    const { tokens } = await register()
    let current = PASSWORD
    for (let n = 0; n < 11; n++) {
      const password = `walnut-desk-${n}-twelve-green`
      const changed = await host.call('POST /v1/iam/me/password', {
        as: tokens.access_token,
        body: { current, password },
      })
      assert.equal(changed.status, n < 10 ? 204 : 429)
      current = password
    }
  })

  it('leaves no requested address behind', async () => {
    const { tokens, claims } = await register()
    const body = { email: newAddress(), current: PASSWORD }
    assert.equal((await host.call('POST /v1/iam/me/email', { as: tokens.access_token, body })).status, 202)
    assert.equal((await host.call('DELETE /v1/iam/me', { as: tokens.access_token })).status, 204)
    assert.equal((await host.db`select email from address_changes where user_id = ${claims.sub}`).length, 0)
  })

  it('deletes the own account only soon after signing in, in that browser', async () => {
    const { email, tokens, claims } = await register()
    await ageSignIns(claims.sub, 16)
    const elsewhere = await shop.signIn({ email, password: PASSWORD })
    const { status, body } = await host.call('DELETE /v1/iam/me', { as: tokens.access_token })
    assert.deepEqual([status, body.error.message], [409, 'Sign in again first, then delete your account.'])
    assert.equal((await host.call('DELETE /v1/iam/me', { as: elsewhere.tokens.access_token })).status, 204)
  })

  it('without a password changes the address and chooses one soon after signing in, and then needs it', async () => {
    const { email, tokens, claims } = await registerByCode()
    const as = tokens.access_token
    const choose = (body: object) =>
      host.call('POST /v1/iam/me/password', { as, body: { password: 'a-walnut-of-my-own', ...body } })
    const move = (body: object) => host.call('POST /v1/iam/me/email', { as, body: { email: newAddress(), ...body } })
    await ageSignIns(claims.sub, 16)
    await byCode('code', email) // Another browser is not this one.
    for (const { status, body } of [await choose({}), await move({})]) {
      assert.deepEqual([status, body.error.code], [403, 'forbidden'])
      assert.match(body.error.message, /Sign in again/)
    }
    await ageSignIns(claims.sub, -16)
    assert.equal((await choose({ current: 'anything' })).status, 400)
    assert.equal((await move({})).status, 202)
    assert.equal((await choose({})).status, 204)
    for (const { status, body } of [await choose({}), await move({})]) {
      assert.deepEqual([status, body.error.param], [400, 'current'])
    }
    assert.equal((await choose({ current: 'a-walnut-of-my-own', password: PASSWORD })).status, 204)
    await shop.signIn({ email, password: PASSWORD })
  })

  it('who is blocked is signed out immediately and cannot sign in until unblocked', async () => {
    const { email, tokens, claims } = await register()
    const set = (blocked: boolean) => host.call(`PATCH /v1/iam/users/${claims.sub}`, { body: { blocked } })
    assert.equal((await set(true)).body.blocked, true)
    assert.equal((await me(tokens.access_token)).status, 401)
    assert.equal((await shop.refresh(tokens.refresh_token)).status, 400)
    const { browser, page } = await open()
    assert.equal((await browser.submit(page, { email, password: PASSWORD })).status, 403)
    const asked = await open('code')
    await asked.browser.submit(asked.page, { email })
    assert.match(mailsTo(email).at(-1)?.subject ?? '', /blocked/)
    await set(false)
    await shop.signIn({ email, password: PASSWORD })
  })
})

describe('an app for customers', () => {
  const appOf = (app: string, more: object) => registerApp(host, identity, { app, more: { people: 'users', ...more } })

  it('gets the claims that it chose, in both tokens and from UserInfo', async () => {
    const plan = await appOf('plan', { signUp: 'open', claims: ['role', 'metadata.plan'] })
    const { email, claims } = await register()
    const body = { metadata: { plan: 'pro', secret: 'x' } }
    await host.call(`PATCH /v1/iam/users/${claims.sub}`, { body })
    const { tokens } = await plan.signIn({ email, password: PASSWORD })
    const response = await identity.fetch(`${identity.issuer}/v1/iam/oauth/userinfo`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    const info = (await response.json()) as Record<string, unknown>
    for (const found of [claimsOf(`${tokens.id_token}`), claimsOf(tokens.access_token), info]) {
      assert.deepEqual([found.role, found.metadata], ['user', { plan: 'pro' }])
    }
    assert.deepEqual((await me(tokens.access_token)).body.metadata, body.metadata)
  })

  it("has pages and mails with its own logo and colour, otherwise with the organisation's", async () => {
    const svg = (fill: string) => `<svg xmlns="http://www.w3.org/2000/svg" fill="${fill}"/>`
    const logo = (fill: string) => `data:image/svg+xml;base64,${Buffer.from(svg(fill)).toString('base64')}`
    const looks = await appOf('looks', { signUp: 'open', logo: logo('red'), color: '#aa0000' })
    const there = customersOf(host, identity, looks)
    await host.call('PATCH /v1/iam/settings', { body: { logo: logo('blue'), color: '#0000aa' } })
    const seen = async () => {
      const { browser, page } = await there.open('code')
      const email = newAddress()
      await browser.submit(page, { email })
      return { page: page.text, policy: page.headers.get('content-security-policy'), mail: mailsTo(email).at(-1)?.html }
    }
    const own = await seen()
    assert.ok(own.page.includes(logo('red')) && own.page.includes('--act: #aa0000'))
    assert.ok(own.page.includes('<link rel="icon" href="data:,">'), "not Stoa's icon")
    assert.match(own.policy ?? '', /(^|; )img-src data:;/)
    assert.match(own.mail ?? '', /#aa0000/)
    assert.equal((await host.call(`PATCH /v1/iam/apps/${looks.id}`, { body: { logo: null } })).status, 200)
    const mixed = await seen()
    assert.ok(mixed.page.includes(logo('blue')) && mixed.page.includes('--act: #aa0000'))
    await host.call(`PATCH /v1/iam/apps/${looks.id}`, { body: { color: null } })
    const organisation = await seen()
    assert.ok(organisation.page.includes('--act: #0000aa') && !organisation.page.includes('#aa0000'))
    assert.match(organisation.mail ?? '', /#0000aa/)
    assert.notEqual(organisation.policy, own.policy, 'the policy allows the style of the page')
    await host.call('PATCH /v1/iam/settings', { body: { logo: null, color: null } })
  })

  it('with an audience gets tokens that the API refuses, and UserInfo accepts', async () => {
    const audience = 'https://api.shop.example.com'
    const api = await appOf('api', { signUp: 'open', audience })
    const { email } = await register()
    const { tokens } = await api.signIn({ email, password: PASSWORD })
    assert.equal(claimsOf(tokens.access_token).aud, audience)
    assert.equal((await me(tokens.access_token)).status, 401)
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    const info = await identity.fetch(`${identity.issuer}/v1/iam/oauth/userinfo`, { headers })
    assert.equal(info.status, 200)
    const refreshed = await api.refresh(tokens.refresh_token)
    assert.equal(claimsOf(refreshed.body.access_token).aud, audience)
    await host.call(`PATCH /v1/iam/apps/${api.id}`, { body: { audience: null } })
    assert.equal((await api.refresh(refreshed.body.refresh_token)).status, 400, 'its sign-ins have ended')
  })

  it('that is closed while somebody registers creates no account', async () => {
    const closing = await appOf('closing', { signUp: 'open' })
    const there = customersOf(host, identity, closing)
    const [email, opened] = [newAddress(), await there.open('register')]
    const asked = await opened.browser.submit(opened.page, { email, password: PASSWORD })
    await host.call(`PATCH /v1/iam/apps/${closing.id}`, { body: { signUp: 'closed' } })
    const entered = await opened.browser.submit(asked, { code: there.codeTo(email) })
    assert.equal(entered.status, 400)
    assert.equal((await host.call(`GET /v1/iam/users?search=${email}`)).body.data.length, 0)
  })

  it('that is closed has no registration, and a code creates no account', async () => {
    const closed = await appOf('closed', {})
    const there = customersOf(host, identity, closed)
    const opened = await there.open()
    assert.doesNotMatch(opened.page.text, /register/)
    assert.equal((await opened.go('register')).status, 400)
    const email = newAddress()
    const asked = await there.open('code')
    assert.equal((await asked.browser.submit(asked.page, { email })).status, 200)
    assert.equal(codeTo(email), '')
    assert.match(mailsTo(email).at(-1)?.subject ?? '', /no account/)
  })

  it('by invitation lets customers choose a password if an admin created their account', async () => {
    const invited = await appOf('invited', { signUp: 'invited' })
    const there = customersOf(host, identity, invited)
    const [known, unknown] = ['invited@example.com', 'uninvited@example.com']
    await host.call('POST /v1/iam/users', { body: { email: known } })
    for (const email of [known, unknown]) {
      const step = await there.open('register')
      assert.match((await step.browser.submit(step.page, { email, password: PASSWORD })).text, /Check your e-mail/)
    }
    assert.match(mailsTo(unknown).at(-1)?.subject ?? '', /no account/)
    const opened = await there.byCode('register', known, { password: PASSWORD })
    await there.redeem(opened, opened.back.url)
    await invited.signIn({ email: known, password: PASSWORD })
  })

  it('admits only addresses of its domains to register, and says so', async () => {
    const narrow = customersOf(
      host,
      identity,
      await appOf('narrow', { signUp: 'open', signUpDomains: ['shop.example'] }),
    )
    const refused = await narrow.open('register')
    const answer = await refused.browser.submit(refused.page, { email: 'a@sub.shop.example' })
    assert.deepEqual([answer.status, mailsTo('a@sub.shop.example')], [400, []])
    assert.match(answer.text, /Only e-mail addresses at shop\.example/)
    const opened = await narrow.byCode('register', 'a@shop.example')
    await narrow.redeem(opened, opened.back.url)
    // A code to another address signs in, but creates no account.
    const email = newAddress()
    const asked = await narrow.open('code')
    await asked.browser.submit(asked.page, { email })
    assert.equal(codeTo(email), '')
  })

  it('refuses disposable addresses by the risk set, which refuses nobody while it cannot be consulted', async () => {
    const strict = customersOf(host, identity, await appOf('strict', { signUp: 'open', refuseDisposable: true }))
    const [email, allowed] = ['a@mailinator.example', newAddress()]
    const entries = [{ key: 'mailinator.example', verdict: 'deny' }]
    assert.equal((await host.call('PUT /v1/risk/reference/domain', { body: { entries } })).status, 200)
    const refused = await strict.open('register')
    const answer = await refused.browser.submit(refused.page, { email })
    assert.deepEqual([answer.status, mailsTo(email)], [400, []])
    const opened = await strict.byCode('register', allowed, { password: PASSWORD })
    await strict.redeem(opened, opened.back.url)
    assert.match(String(identity.failures.splice(0)), /disposable addresses are accepted/)
  })
})
