import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../../../test/eventually.ts'
import { type Answer, startHost } from '../../../../test/host.ts'
import { addPerson, plantPerson, registerApp, startIdentity } from '../../../../test/identity.ts'
import { scenario } from '../../../../test/scenario.ts'
import { EngineUnavailable } from '../../../engines/engines.ts'

const host = await startHost({ now: 'real' })
const identity = await startIdentity(host)
const web = await registerApp(host, identity, { app: 'web', trusted: true })
const PASSWORD = 'walnut-desk-twelve-green'
const DAY_MS = 24 * 60 * 60_000

type Fields = { email: string; role?: string }
const invite = ({ email, role = 'member' }: Fields, as = host.home.key) =>
  host.call('POST /v1/iam/invites', { as, body: { email, role } })
const list = async (as = host.home.key): Promise<Answer['body'][]> =>
  (await host.call('GET /v1/iam/invites', { as })).body.data
const memberOf = async (email: string, as = host.home.key) =>
  (await host.call('GET /v1/iam/members?limit=200', { as })).body.data.find(
    (member: { email: string }) => member.email === email,
  )

/** Invites a person and returns the link from the mail. */
async function linkTo(email: string, role = 'member', as = host.home.key): Promise<string> {
  const { status, text } = await invite({ email, role }, as)
  assert.equal(status, 201, text)
  const mail = host.mails.at(-1)
  assert.equal(mail?.to, email)
  const link = mail?.text.match(/https:\S+/)?.[0] ?? ''
  assert.ok(link.startsWith(`${identity.issuer}/sign-in/invitations/`), link)
  return link
}

async function open(link: string, password?: string) {
  const browser = identity.browser()
  const page = await browser.go(link)
  return password === undefined ? page : browser.submit(page, { password })
}

describe('an invite', () => {
  it('is mailed with a link, listed without it, and stored as a digest', async () => {
    const { body } = await invite({ email: 'Bea@Example.com', role: 'admin' })
    const { id, created, expires, ...rest } = body
    assert.deepEqual(rest, { email: 'bea@example.com', role: 'admin', invitedBy: 'owner@home.test' })
    assert.equal(Date.parse(expires) - Date.parse(created), 7 * DAY_MS)
    assert.deepEqual(await list(), [body])
    assert.deepEqual(await list(host.other.key), [])
    const mail = host.mails.at(-1)
    assert.match(mail?.text ?? '', /owner@home\.test invited you to join home as admin/)
    const token = mail?.text.match(/invitations\/(\w+)/)?.[1] as string
    const rows = await host.db`select row_to_json(invites)::text as row from invites`
    assert.ok(!JSON.stringify(rows).includes(token))
    assert.equal((await host.call(`DELETE /v1/iam/invites/${id}`)).status, 204)
  })

  it('adds a new member with the password they choose, once', async () => {
    const link = await linkTo('new@example.com', 'admin')
    assert.match(
      (await open(link)).text,
      /Join home.*owner@home\.test invited you to join as admin.*Choose a password/s,
    )
    assert.match((await open(link, 'too short')).text, /role="alert".*12 to 256 characters/)
    assert.equal(await memberOf('new@example.com'), undefined)
    assert.match((await open(link, PASSWORD)).text, /Welcome to home.*\/v1\/account\/login\?to=%2F"/s)
    assert.equal((await memberOf('new@example.com')).role, 'admin')
    assert.equal((await open(link)).status, 404)
    assert.deepEqual(await list(), [])
    const { tokens } = await web.signIn({ email: 'new@example.com', password: PASSWORD })
    assert.equal((await host.call('GET /v1/iam/me', { as: tokens.access_token })).body.email, 'new@example.com')
    const [latest] = (await host.call('GET /v1/iam/audit')).body.data
    assert.deepEqual([latest.what, latest.email], ['invite.accept', 'new@example.com'])
    const member = { user: latest.user, email: 'new@example.com', role: 'admin' }
    const [accepted, added] = host.emitted.slice(-2)
    assert.partialDeepStrictEqual(accepted, { type: 'iam.invite.accepted', tenant: 'home', data: member })
    assert.partialDeepStrictEqual(added, { type: 'iam.member.added', tenant: 'home', data: member })
  })

  it('asks for an existing password, and does not change it', async () => {
    const link = await linkTo('owner@other.test')
    assert.match((await open(link)).text, /Your password/)
    assert.equal((await open(link, 'some-other-password')).status, 401)
    assert.equal(await memberOf('owner@other.test'), undefined)
    assert.match((await open(link, host.other.password)).text, /Welcome/)
    assert.equal((await memberOf('owner@other.test')).user, host.other.user)
    await web.signIn({ email: 'owner@other.test', password: host.other.password })
  })

  it('replaces a password that an admin of another organisation set, and ends its sign-ins', async () => {
    const kim = await plantPerson(host, 'kim@example.com')
    const { tokens } = await web.signIn(kim)
    const link = await linkTo('kim@example.com', 'member', host.other.key)
    assert.match((await open(link, 'a-password-of-her-own')).text, /Welcome to other/)
    const page = await identity.browser().go((await web.begin()).url)
    assert.equal((await identity.browser().go(page.url)).status, 400)
    await assert.rejects(web.signIn(kim), 'the old password is no longer valid')
    await web.signIn({ email: kim.email, password: 'a-password-of-her-own' })
    assert.equal((await web.refresh(tokens.refresh_token)).status, 400)
  })

  it('is required if another organisation set the password, which cannot be changed otherwise', async () => {
    const lou = await plantPerson(host, 'lou@example.com')
    const { tokens } = await web.signIn(lou)
    const body = { current: lou.password, password: 'changed-by-the-admin' }
    assert.equal((await host.call('POST /v1/iam/me/password', { as: tokens.access_token, body })).status, 403)
    const added = { email: lou.email, role: 'member' }
    assert.equal((await host.call('POST /v1/iam/members', { as: host.other.key, body: added })).status, 409)
    const link = await linkTo(lou.email, 'member', host.other.key)
    assert.match((await open(link, 'a-password-of-his-own')).text, /Welcome to other/)
    await assert.rejects(web.signIn(lou))
  })

  it('lets a member who was added without a password choose one', async () => {
    const added = { email: 'mute@example.com', role: 'member' }
    assert.equal((await host.call('POST /v1/iam/members', { body: added })).status, 201)
    const link = await linkTo(added.email, 'admin')
    assert.match((await open(link, PASSWORD)).text, /Welcome to home/)
    const { user, role } = await memberOf(added.email)
    assert.equal(role, 'admin', 'the role that the invite names')
    const { type, data } = host.emitted.at(-1) ?? {}
    assert.deepEqual([type, data], ['iam.member.updated', { user, email: added.email, role, changed: ['role'] }])
    await web.signIn({ email: added.email, password: PASSWORD })
    assert.equal((await invite(added)).status, 409)
  })

  it('accepted from two organisations at once sets one password, without a server error', async () => {
    for (let round = 0; round < 4; round++) {
      const email = `twofold${round}@example.com`
      const links = [await linkTo(email), await linkTo(email, 'member', host.other.key)]
      const pages = await Promise.all(links.map((link, at) => open(link, `${PASSWORD}-${at}`)))
      const statuses = pages.map(({ status }) => status).sort()
      assert.equal(statuses[0], 200)
      assert.ok(statuses[1] === 409 || statuses[1] === 401, `${statuses}`)
    }
    assert.deepEqual(identity.failures.splice(0), [])
  })

  it('opens a page that says so if its link is incomplete, or has text behind it', async () => {
    const link = await linkTo('half@example.com')
    for (const wrong of [link.slice(0, -1), link.slice(0, -30), `${link}=`, `${link}/x`, `${link.slice(0, -43)}`]) {
      const { status, text } = await identity.browser().go(wrong)
      assert.deepEqual([status, /This link is incomplete/.test(text)], [404, true], wrong)
    }
    assert.equal((await identity.browser().go(link)).status, 200)
    const other = `${link.slice(0, -43)}${'a'.repeat(43)}`
    assert.match((await identity.browser().go(other)).text, /no longer valid/)
  })

  it('names the password alone if it is wrong', async () => {
    const { email } = await host.organisation('third')
    const { text, status } = await open(await linkTo(email), 'a-wrong-password')
    assert.deepEqual([status, /The password is wrong\./.test(text)], [401, true])
  })

  it('limits wrong passwords on its page', async () => {
    const link = await linkTo('owner@admin.test')
    const statuses = []
    for (let guess = 0; guess < 12; guess++) statuses.push((await open(link, `wrong-password-${guess}`)).status)
    assert.deepEqual(statuses.slice(-2), [429, 429])
    assert.equal(await memberOf('owner@admin.test'), undefined)
  })

  it('is accepted once if submitted many times at once', async () => {
    const link = await linkTo('race@example.com')
    const pages = await Promise.all(Array.from({ length: 8 }, () => open(link, PASSWORD)))
    assert.equal(pages.filter(({ status }) => status === 200).length, 1)
    assert.ok(pages.every(({ status }) => [200, 404].includes(status)))
    assert.ok(await memberOf('race@example.com'))
  })

  it('ends with a new invite to the same address, when withdrawn, and after a week', async () => {
    const first = await linkTo('twice@example.com')
    const second = await linkTo('twice@example.com')
    assert.equal((await open(first)).status, 404)
    assert.equal((await open(second)).status, 200)
    const { id } = (await list()).find(({ email }) => email === 'twice@example.com')
    assert.equal((await host.call(`DELETE /v1/iam/invites/${id}`, { as: host.other.key })).status, 404)
    assert.equal((await host.call(`DELETE /v1/iam/invites/${id}`)).status, 204)
    assert.equal((await open(second, PASSWORD)).status, 404)
    const third = await linkTo('twice@example.com')
    host.clock.advance(7 * DAY_MS)
    assert.equal((await open(third)).status, 404)
    assert.deepEqual(await list(), [])
  })

  it('can be sent by owners and admins, for an owner only by owners, and not to a member', async () => {
    const admin = await host.member(host.home.org, 'admin')
    const member = await host.member(host.home.org, 'member')
    const to = (email: string, role = 'member') => ({ body: { email, role } })
    const sent = ['mail to x@example.com']
    const events = ['iam.invite.created']
    await scenario(host, { owner: host.home.key, admin: admin.key, member: member.key }, [
      ['member', 'GET /v1/iam/invites', 403],
      ['member', 'POST /v1/iam/invites', 403, { ...to('x@example.com'), events: [], sent: [] }],
      ['admin', 'POST /v1/iam/invites', 403, { ...to('x@example.com', 'owner'), events: [], sent: [] }],
      ['owner', 'POST /v1/iam/invites', 409, { ...to(host.home.email), events: [], sent: [] }],
      ['admin', 'POST /v1/iam/invites', 201, { ...to('x@example.com', 'admin'), events, sent }],
      ['owner', 'POST /v1/iam/invites', 201, { ...to('x@example.com', 'owner'), sent }],
    ])
  })

  it('is invalid once its sender may no longer send it', async () => {
    const boss = await host.member(host.home.org, 'owner')
    const link = await linkTo('heir@example.com', 'owner', boss.key)
    assert.equal((await host.call(`PATCH /v1/iam/members/${boss.user}`, { body: { role: 'admin' } })).status, 200)
    assert.equal((await open(link)).status, 404, 'an admin cannot add an owner')
    const other = await linkTo('heir@example.com', 'member', boss.key)
    assert.equal((await open(other)).status, 200)
    assert.equal((await host.call(`DELETE /v1/iam/members/${boss.user}`)).status, 204)
    assert.equal((await open(other, PASSWORD)).status, 404)
    assert.equal(await memberOf('heir@example.com'), undefined)
  })

  it('ends when the person is added directly, so that they cannot use it after being removed', async () => {
    const link = await linkTo('back@example.com', 'admin')
    const { user } = await addPerson(host, 'back@example.com')
    assert.equal((await open(link)).status, 404)
    const again = await host.call('POST /v1/iam/invites', { body: { email: 'back@example.com', role: 'admin' } })
    assert.equal(again.status, 409)
    assert.equal((await host.call(`DELETE /v1/iam/members/${user}`)).status, 204)
    assert.equal((await open(link, PASSWORD)).status, 404)
  })

  it('is mailed at most 5 times per hour to one address, even if withdrawn, and 100 times in total', async () => {
    const as = host.admin.key
    for (let time = 0; time < 5; time++) {
      const { body } = await invite({ email: 'often@example.com' }, as)
      assert.equal((await host.call(`DELETE /v1/iam/invites/${body.id}`, { as })).status, 204)
    }
    const sent = host.mails.length
    const refused = await invite({ email: 'often@example.com' }, as)
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'too_many_tries'])
    assert.equal((await invite({ email: 'often@example.com' }, host.home.key)).status, 201, 'counted per organisation')
    let accepted = 0
    for (let n = 0; n < 100; n += 10) {
      const ten = Array.from({ length: 10 }, (_, more) => invite({ email: `n${n + more}@example.com` }, as))
      accepted += (await Promise.all(ten)).filter(({ status }) => status === 201).length
    }
    assert.equal(accepted, 95)
    assert.equal(host.mails.length, sent + 96)
    host.clock.advance(60 * 60_000)
    assert.equal((await invite({ email: 'often@example.com' }, as)).status, 201)
  })

  it('rejects passwords that the API would reject', async () => {
    const link = await linkTo('odd@example.com')
    const body = (text: string) => ({ method: 'POST', body: `password=${text}` })
    for (const text of ['aaaaaaaaaaaa%00', '%ff'.repeat(12)]) {
      const page = await identity.browser().go(link, body(text))
      assert.match(page.text, /cannot be used/, text)
    }
    assert.equal(await memberOf('odd@example.com'), undefined)
  })

  it('uses no database connection while a mail is being sent', async t => {
    const { accept } = host.mailServer
    const waiting: (() => void)[] = []
    t.after(() => {
      host.mailServer.accept = accept
    })
    host.mailServer.accept = () => new Promise<void>(resolve => waiting.push(resolve)) as never
    const invites = Array.from({ length: 8 }, (_, n) => invite({ email: `slow${n}@example.com` }))
    while (waiting.length < 8) await new Promise(done => setImmediate(done))
    assert.equal((await host.call('GET /v1/projects')).status, 200)
    // The use of a key is recorded in the background.
    await eventually(
      async () => host.db.load(),
      ({ running, waiting }) => running + waiting === 0,
    )
    for (const done of waiting) done()
    assert.ok((await Promise.all(invites)).every(({ status }) => status === 201))
  })

  it('is not created if the mail could not be sent', async t => {
    const { accept } = host.mailServer
    t.after(() => {
      host.mailServer.accept = accept
    })
    host.mailServer.accept = () => {
      throw new EngineUnavailable('mail', 'down')
    }
    const before = await list()
    const { status, body } = await invite({ email: 'lost@example.com' })
    assert.deepEqual([status, body.error.code], [502, 'mail_unreachable'])
    assert.deepEqual(await list(), before)
  })

  it('is not mailed if there are already 500, unless it replaces one of them', async () => {
    await host.db`insert into invites (id, org, email, role, digest, invited_by, created, expires)
      select 'inv_' || n, 'other', n || '@example.com', 'member', sha256(n::text::bytea), 'x', now(), now() + '1 year'
      from generate_series(1, 500) as n`
    const sent = host.mails.length
    assert.equal((await invite({ email: 'more@example.com' }, host.other.key)).status, 409)
    assert.equal(host.mails.length, sent)
    assert.equal((await invite({ email: '7@example.com' }, host.other.key)).status, 201)
  })
})
