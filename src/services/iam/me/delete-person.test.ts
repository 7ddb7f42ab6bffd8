import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, startHost } from '../../../../test/host.ts'
import { AUDIENCE, addPerson, registerApp, startIdentity } from '../../../../test/identity.ts'

const host = await startHost({ now: 'real' })
const identity = await startIdentity(host)
const web = await registerApp(host, identity, { app: 'web', trusted: true })
type Credentials = { email: string; password: string }
const cookiesOf = (answer: Answer) =>
  [answer.headers['set-cookie'] ?? []].flat().map(line => line.split(';', 1)[0] as string)
const remove = (as: string) => host.call('DELETE /v1/iam/me', { as })
const membersOf = async (as: string): Promise<string[]> =>
  (await host.call('GET /v1/iam/members', { as })).body.data.map((one: { email: string }) => one.email)

/** The requests of a browser in which somebody signed in, as at the console. */
async function signInAt(person: Credentials, org: string) {
  const begun = await host.call(`GET /v1/account/login?org=${org}`, { as: null })
  const browser = identity.browser()
  const { url } = await browser.submit(await browser.go(begun.headers.location as string), person)
  const cookie = cookiesOf(begun).join('; ')
  const ended = await host.call(`GET ${url.slice(AUDIENCE.length)}`, { as: null, headers: { cookie } })
  const headers = { cookie: cookiesOf(ended).find(one => one.startsWith('__Host-stoa-session=')) as string }
  const { csrfToken } = (await host.call('GET /v1/account/csrf', { as: null, headers })).body
  return { as: null, headers: { ...headers, 'x-csrf-token': csrfToken as string } }
}

describe('deleting the own account', () => {
  it('leaves all organisations, and ends keys and sign-ins', async () => {
    const ada = await addPerson(host, 'ada@home.test')
    await host.join(host.other.org, ada.user, 'admin')
    const { tokens, browser } = await web.signIn(ada)
    const session = await signInAt(ada, host.other.org)
    const { key } = (await host.call('POST /v1/account/keys', { ...session, body: { name: 'Mine' } })).body
    const project = await host.call('POST /v1/projects', { as: key, body: { slug: 'kept', name: 'Kept' } })
    assert.equal(project.status, 201)
    const body = { email: 'new@home.test', current: ada.password }
    assert.equal((await host.call('POST /v1/iam/me/email', { as: tokens.access_token, body })).status, 202)

    const { status, body: refused } = await remove(tokens.access_token)
    assert.deepEqual([status, refused.error.code], [409, 'conflict'])
    assert.match(refused.error.message, /^You belong to other organisations too/)
    assert.equal((await host.call('DELETE /v1/iam/me', session)).status, 204)
    for (const as of [tokens.access_token, key]) assert.equal((await host.call('GET /v1/iam/me', { as })).status, 401)
    assert.equal((await host.call('GET /v1/iam/me', session)).status, 401)
    for (const { key: as } of [host.home, host.other]) {
      assert.ok(!(await membersOf(as)).includes(ada.email))
      const [entry] = (await host.call('GET /v1/iam/audit', { as })).body.data
      assert.deepEqual([entry.what, entry.on, entry.email], ['user.delete', ada.user, ada.email])
    }
    const left = host.emitted.filter(one => one.type === 'iam.member.removed').slice(-2)
    assert.deepEqual(left.map(one => (one.data as { role: string }).role).sort(), ['admin', 'member'])
    assert.equal((await host.call('GET /v1/projects/kept', { as: host.other.key })).status, 200)
    const { user } = ada
    const rows =
      await host.db`select 1 from oidc where user_id = ${user} union all select 2 from keys where user_id = ${user}
      union all select 3 from address_changes where user_id = ${user}`
    assert.equal(rows.length, 0)
    const page = await browser.submit(await browser.go((await web.begin()).url), ada)
    assert.equal(page.status, 401)
    assert.notEqual((await addPerson(host, ada.email)).user, ada.user)
  })

  it('needs a recent sign-in', async () => {
    const old = await addPerson(host, 'old@home.test')
    const { tokens } = await web.signIn(old)
    await host.db`update oidc set payload = payload || '{"loginTs": 1700000000}'
      where user_id = ${old.user} and model = 'Session'`
    const { status, body } = await remove(tokens.access_token)
    assert.deepEqual([status, body.error.message], [409, 'Sign in again first, then delete your account.'])
    assert.ok((await membersOf(host.home.key)).includes(old.email))
  })

  it('is refused to the last owner of an organisation, by name', async () => {
    const owner = await addPerson(host, 'sole@home.test')
    await host.db`delete from members where org = 'other' and role = 'owner'`
    await host.join(host.other.org, owner.user, 'owner')
    const { status, body } = await host.call('DELETE /v1/iam/me', await signInAt(owner, host.other.org))
    assert.equal(status, 409)
    assert.match(body.error.message, /^You are the last owner of other\. /)
    assert.ok((await membersOf(host.home.key)).includes(owner.email))
  })

  it('leaves an owner when the last two delete their accounts at the same moment', async () => {
    const { org } = await host.organisation('twins')
    await host.db`delete from members where org = ${org}`
    for (let round = 0; round < 5; round++) {
      const twins = [await addPerson(host, `a${round}@home.test`), await addPerson(host, `b${round}@home.test`)]
      for (const { user } of twins) await host.join(org, user, 'owner')
      const sessions = await Promise.all(twins.map(one => signInAt(one, org)))
      const answers = await Promise.all(sessions.map(session => host.call('DELETE /v1/iam/me', session)))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 409])
      await host.db`delete from members where org = ${org}`
    }
  })
})
