// The bounds per organisation: the next row is answered with 409, deleting one makes room, and concurrent creations do not
// exceed the bound.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, startHost } from './host.ts'
import { startIdentity } from './identity.ts'

const MAX = 3
const AT_ONCE = 20
const SETTINGS = ['PROJECTS', 'DOMAINS', 'APPS', 'WORKSPACES', 'INVITES', 'MEMBERS', 'KEYS']

const host = await startHost({
  now: 'real',
  settings: Object.fromEntries(SETTINGS.map(name => [`STOA_${name}_MAX`, MAX])),
})
const identity = await startIdentity(host)

type Kind = {
  what: string
  path: string
  /** The body that creates the nth. */
  body: (n: number) => object
  /** The last segment of the path of a created one. */
  idOf: (created: Answer['body']) => string
  /** How many a new organisation has. */
  first: number
  as: string
}

async function kind(slug: string, rest: Omit<Kind, 'as' | 'first'> & { first?: number }): Promise<Kind> {
  return { first: 0, ...rest, as: (await host.organisation(slug)).key }
}

const idOf = ({ id }: Answer['body']) => id
const redirectUris = ['https://shop.example.com/callback']
const kinds: Kind[] = [
  await kind('with-projects', {
    what: 'projects',
    path: '/v1/projects',
    body: n => ({ slug: `p${n}`, name: 'P' }),
    idOf: ({ slug }) => slug,
  }),
  await kind('with-apps', {
    what: 'apps',
    path: '/v1/iam/apps',
    body: n => ({ app: `a${n}`, type: 'public', people: 'team', redirectUris }),
    idOf,
  }),
  await kind('with-workspaces', {
    what: 'workspaces',
    path: '/v1/iam/workspaces',
    body: n => ({ name: `W${n}` }),
    idOf,
  }),
  await kind('with-invites', {
    what: 'open invites',
    path: '/v1/iam/invites',
    body: n => ({ email: `i${n}@example.com`, role: 'member' }),
    idOf,
  }),
  await kind('with-members', {
    what: 'members',
    path: '/v1/iam/members',
    body: n => ({ email: `m${n}@example.com`, role: 'member' }),
    idOf: ({ user }) => user,
    first: 1,
  }),
  await kind('with-keys', {
    what: 'live keys',
    path: '/v1/account/keys',
    body: n => ({ name: `K${n}` }),
    idOf,
    first: 1,
  }),
  await kind('with-domains', {
    what: 'domains',
    path: '/v1/projects/one/domains',
    body: n => ({ host: `d${n}.example.com` }),
    idOf: domain => domain.host,
  }),
]
const domains = kinds.at(-1) as Kind
for (const slug of ['one', 'two']) await host.call('POST /v1/projects', { as: domains.as, body: { slug, name: slug } })

const remove = async ({ path, as }: Kind, id: string) =>
  assert.equal((await host.call(`DELETE ${path}/${id}`, { as })).status, 204)

function assertRefused({ what }: Kind, { status, body }: Answer): void {
  assert.equal(status, 409)
  assert.equal(body.error.code, 'conflict')
  assert.match(body.error.message, new RegExp(`at most ${MAX} ${what}\\. (Delete|Detach|Withdraw|Remove|Revoke) one`))
}

describe('an organisation has a bounded number', () => {
  for (const one of kinds) {
    it(`of ${one.what}`, async () => {
      const create = (n: number) => host.call(`POST ${one.path}`, { as: one.as, body: one.body(n) })
      const room = MAX - one.first
      const created: string[] = []
      for (let n = 0; n < room; n++) {
        const answer = await create(n)
        assert.equal(answer.status, 201, answer.text)
        created.push(one.idOf(answer.body))
      }
      assertRefused(one, await create(10))
      await remove(one, created.pop() as string)
      const again = await create(11)
      assert.equal(again.status, 201, again.text)
      assertRefused(one, await create(12))

      for (const id of [...created, one.idOf(again.body)]) await remove(one, id)
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => create(100 + n)))
      for (const answer of answers) if (answer.status !== 201) assertRefused(one, answer)
      assert.equal(answers.filter(({ status }) => status === 201).length, room)
    })
  }

  it('of domains in all its projects', async () => {
    const attach = (slug: string, name: string) =>
      host.call(`POST /v1/projects/${slug}/domains`, { as: domains.as, body: { host: name } })
    assertRefused(domains, await attach('two', 'more.example.com'))
    const [attached] = (await host.call('GET /v1/projects/one/domains', { as: domains.as })).body.data
    assert.equal((await attach('one', attached.host)).status, 201, 'an attached one is returned as before')
  })

  it('of members who accept an invitation', async () => {
    const { key } = await host.organisation('joined')
    const links: string[] = []
    for (let n = 0; n < MAX; n++) {
      await host.call('POST /v1/iam/invites', { as: key, body: { email: `j${n}@example.com`, role: 'member' } })
      links.push(host.mails.at(-1)?.text.match(/https:\S+/)?.[0] as string)
    }
    const accept = async (link: string) => {
      const browser = identity.browser()
      return browser.submit(await browser.go(link), { password: 'walnut-desk-twelve-green' })
    }
    const pages = await Promise.all(links.map(accept))
    assert.deepEqual(pages.map(({ status }) => status).sort(), [200, 200, 409])
    const full = pages.findIndex(({ status }) => status === 409)
    assert.match(pages[full]?.text ?? '', /maximum number of members/)
    const { data } = (await host.call('GET /v1/iam/members', { as: key })).body
    assert.equal(data.length, MAX)
    const { user } = data.find(({ role }: Answer['body']) => role === 'member')
    await host.call(`DELETE /v1/iam/members/${user}`, { as: key })
    assert.equal((await accept(links[full] as string)).status, 200, 'the link is still valid when there is room')
  })
})
