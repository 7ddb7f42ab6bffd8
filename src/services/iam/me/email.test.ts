import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../../../test/eventually.ts'
import { startHost } from '../../../../test/host.ts'
import { addPerson, registerApp, startIdentity } from '../../../../test/identity.ts'
import { EngineUnavailable } from '../../../engines/engines.ts'

const host = await startHost({ now: 'real', runsBackground: true })
const identity = await startIdentity(host)
const web = await registerApp(host, identity, { app: 'web' })

const personOf = async (email: string) => {
  const person = await addPerson(host, email)
  await host.db`update users set password_by = null where id = ${person.user}` // As if they had chosen it.
  return { ...person, org: host.home.org }
}
type Person = Awaited<ReturnType<typeof personOf>>
const move = async (person: Person, email: string, current = person.password) =>
  host.call('POST /v1/iam/me/email', { ...(await host.browser(person)), body: { email, current } })
const mailTo = (email: string) => host.mails.findLast(({ to }) => to === email)
const linkTo = (email: string) => mailTo(email)?.text.match(/https:\S+/)?.[0] ?? ''
/** In a browser in which the person is signed in. */
const confirm = async (link: string, person: Pick<Person, 'email' | 'password'>) => {
  const browser = identity.browser()
  await web.signIn(person, browser)
  return browser.submit(await browser.go(link), {})
}

describe('the address of an account', () => {
  it('changes when the new mailbox is proved, once, and the old one is notified', async () => {
    const ada = await personOf('ada@home.test')
    await host.join(host.other.org, ada.user, 'admin')
    const { status, body } = await move(ada, 'Ada@New.test')
    assert.deepEqual([status, body], [202, { email: 'ada@new.test' }])
    const link = linkTo('ada@new.test')
    assert.ok(link.startsWith(`${identity.issuer}/sign-in/addresses/`), link)
    assert.match((await confirm(link, ada)).text, /Your e-mail address was changed.*ada@new\.test/s)
    assert.equal((await identity.browser().go(link)).status, 404)
    await assert.rejects(web.signIn(ada), 'the old address is no longer valid')
    const { claims } = await web.signIn({ ...ada, email: 'ada@new.test' })
    assert.deepEqual([claims.email, claims.email_verified, claims.sub], ['ada@new.test', true, ada.user])
    const told = await eventually(
      async () => mailTo('ada@home.test')?.text ?? '',
      text => text !== '',
    )
    assert.match(told, /now has the address ada@new\.test instead of ada@home\.test/)
    const [entry] = (await host.call('GET /v1/iam/audit?what=email.change')).body.data
    assert.deepEqual(entry.changes, { email: { from: 'ada@home.test', to: 'ada@new.test' } })
    const updates = host.emitted.filter(({ type }) => type === 'iam.member.updated')
    const member = { user: ada.user, email: 'ada@new.test', changed: ['email'] }
    assert.deepEqual(updates.map(({ tenant, data }) => [tenant, data]).sort(), [
      ['home', { ...member, role: 'member' }],
      ['other', { ...member, role: 'admin' }],
    ])
  })

  it('is visible immediately to every credential of the person', async () => {
    const bob = await personOf('bob@home.test')
    const browser = await host.browser(bob)
    const email = async () => (await host.call('GET /v1/iam/me', browser)).body.email
    assert.equal(await email(), 'bob@home.test')
    await move(bob, 'bob@new.test')
    await confirm(linkTo('bob@new.test'), bob)
    assert.equal(await email(), 'bob@new.test')
  })

  it('needs the present password, and one that the person chose', async () => {
    const cleo = await personOf('cleo@home.test')
    const wrong = await move(cleo, 'cleo@new.test', 'a wrong password')
    assert.deepEqual([wrong.status, wrong.body.error.param], [400, 'current'])
    await host.db`update users set password_by = 'home' where id = ${cleo.user}`
    assert.equal((await move(cleo, 'cleo@new.test')).status, 403)
    assert.equal(mailTo('cleo@new.test'), undefined)
  })

  it('is answered the same if another account has it, which gets no link, and stays where it is', async () => {
    const dana = await personOf('dana@home.test')
    const { status, body } = await move(dana, host.other.email)
    assert.deepEqual([status, body], [202, { email: host.other.email }])
    assert.match(mailTo(host.other.email)?.subject ?? '', /already have an account/)
    await move(dana, 'late@new.test')
    const late = linkTo('late@new.test')
    await addPerson(host, 'late@new.test')
    assert.equal((await confirm(late, dana)).status, 409)
    for (let round = 0; round < 4; round++) {
      const two = [await personOf(`one${round}@home.test`), await personOf(`two${round}@home.test`)]
      const links: [link: string, person: Person][] = []
      for (const one of two) {
        await move(one, `same${round}@new.test`)
        links.push([linkTo(`same${round}@new.test`), one])
      }
      const statuses = (await Promise.all(links.map(([link, one]) => confirm(link, one)))).map(({ status }) => status)
      assert.deepEqual(statuses.sort(), [200, 409])
    }
  })

  it('ends the links to choose a password that were sent to the old one, and keeps the invites of the person', async () => {
    const eli = await personOf('eli@home.test')
    await host.db`update members set role = 'admin' where user_id = ${eli.user}`
    const browser = await host.browser(eli)
    const body = { email: 'guest@example.com', role: 'member' }
    assert.equal((await host.call('POST /v1/iam/invites', { ...browser, body })).status, 201)
    const forgotten = identity.browser()
    await forgotten.submit(await forgotten.go(`${identity.issuer}/sign-in/forgotten`), { email: eli.email })
    await eventually(
      async () => linkTo(eli.email),
      link => link !== '',
    )
    const reset = linkTo(eli.email)
    assert.equal((await identity.browser().go(reset)).status, 200)
    await move(eli, 'eli@new.test')
    await confirm(linkTo('eli@new.test'), eli)
    assert.equal((await identity.browser().go(reset)).status, 404)
    assert.equal((await identity.browser().go(linkTo('guest@example.com'))).status, 200)
  })

  it('has a link that ends with the password, however that changes', async () => {
    const gil = await personOf('gil@home.test')
    const changes: Record<string, () => Promise<unknown>> = {
      'a change': async () => {
        const body = { current: gil.password, password: 'changed-by-the-person' }
        assert.equal((await host.call('POST /v1/iam/me/password', { ...(await host.browser(gil)), body })).status, 204)
        gil.password = body.password
      },
      'a reset': async () => {
        const browser = identity.browser()
        await browser.submit(await browser.go(`${identity.issuer}/sign-in/forgotten`), { email: gil.email })
        await eventually(
          async () => linkTo(gil.email),
          link => link !== '',
        )
        await browser.submit(await browser.go(linkTo(gil.email)), { password: 'a-password-of-his-own' })
      },
    }
    for (const [how, change] of Object.entries(changes)) {
      await move(gil, 'thief@example.com')
      const link = linkTo('thief@example.com')
      assert.equal((await identity.browser().go(link)).status, 200)
      await change()
      assert.equal((await identity.browser().go(link)).status, 404, how)
    }
  })

  it('is mailed three times an hour, whatever the password does', async () => {
    const hal = await personOf('hal@home.test')
    for (let times = 0; times < 3; times++) assert.equal((await move(hal, 'other@example.com')).status, 202)
    const body = { current: hal.password, password: 'changed-by-the-person' }
    await host.call('POST /v1/iam/me/password', { ...(await host.browser(hal)), body })
    const refused = await move(hal, 'other@example.com', body.password)
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'too_many_tries'])
  })

  it('leaves no valid link to choose a password in the old mailbox, even if one is requested at the same moment', async () => {
    for (let round = 0; round < 8; round++) {
      const ivy = await personOf(`ivy${round}@home.test`)
      await move(ivy, `ivy${round}@new.test`)
      const browser = identity.browser()
      const headers = { 'x-test-address': `198.51.100.${round}` }
      const form = await browser.go(`${identity.issuer}/sign-in/forgotten`, { headers })
      await Promise.all([
        confirm(linkTo(`ivy${round}@new.test`), ivy),
        browser.submit(form, { email: ivy.email }, headers),
        browser.submit(form, { email: ivy.email }, headers),
      ])
      await eventually(
        async () => host.db.load(),
        ({ running, waiting }) => running + waiting === 0,
      )
      const links = host.mails.filter(({ to }) => to === ivy.email).map(({ text }) => text.match(/https:\S+/)?.[0])
      for (const link of links) if (link) assert.equal((await identity.browser().go(link)).status, 404)
    }
  })

  it('is not changed by the owner of the new one, who is not signed in to that account', async () => {
    const [kim, lee] = [await personOf('kim@home.test'), await personOf('lee@home.test')]
    await move(kim, 'victim@new.test')
    const link = linkTo('victim@new.test')
    const [nobody, other] = [identity.browser(), identity.browser()]
    await web.signIn(lee, other)
    for (const browser of [nobody, other]) {
      const page = await browser.go(link)
      assert.deepEqual([page.status, /Sign in first/.test(page.text)], [200, true])
      assert.doesNotMatch(page.text, /victim|kim|<form/)
      const posted = await browser.go(link, { method: 'POST', body: '' })
      assert.equal(posted.status, 403)
    }
    await web.signIn(kim)
    assert.equal((await confirm(link, kim)).status, 200)
  })

  it('is refused if the mail could not be sent', async t => {
    const { accept } = host.mailServer
    t.after(() => {
      host.mailServer.accept = accept
      host.warnings.length = 0 // Of notices of the tests before, which are sent again later.
    })
    host.mailServer.accept = () => {
      throw new EngineUnavailable('mail', 'down')
    }
    const { status, body } = await move(await personOf('jan@home.test'), 'jan@new.test')
    assert.deepEqual([status, body.error.code], [502, 'mail_unreachable'])
  })

  it('has one link at a time, valid for an hour', async () => {
    const fay = await personOf('fay@home.test')
    await move(fay, 'fay@one.test')
    await move(fay, 'fay@two.test')
    assert.equal((await identity.browser().go(linkTo('fay@one.test'))).status, 404)
    host.clock.advance(60 * 60_000)
    assert.equal((await identity.browser().go(linkTo('fay@two.test'))).status, 404)
  })
})
