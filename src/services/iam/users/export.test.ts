import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import bcrypt from 'bcrypt'
import { Agent, request as send } from 'undici'
import { eventually } from '../../../../test/eventually.ts'
import { CA } from '../../../../test/host.ts'
import { registerApp } from '../../../../test/identity.ts'
import { startImports } from '../../../../test/imports.ts'
import type { Database } from '../../../engines/engines.ts'
import { compileCheck } from '../../../kit/check.ts'
import { isWithheld } from '../../mcp/tools.ts'
import { ExportedUser, exportUsers } from './export.ts'

/** How many pages of an export were read from the database. */
let pages = 0
const counting = (db: Database): Database =>
  new Proxy(db, {
    apply: (of, _self, given: Parameters<Database>) => {
      if (given[0].join('').includes('c.password from customers')) pages++
      return of(...given)
    },
    get: (of, name) => (name === 'for' ? (user: string) => counting(of.for(user)) : Reflect.get(of, name)),
  })

const { host, identity, run } = await startImports({ wrapDb: counting })
const PASSWORD = 'walnut-desk-twelve-green'
const exportAs = (as = host.home.key) => host.call('GET /v1/iam/users/export', { as })
const recordsIn = (text: string) =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))

describe('an export', () => {
  it('is what an import takes: with it, customers sign in to an app of another organisation', async () => {
    const created = '2020-02-29T12:00:00.000Z'
    await run([
      { email: 'bcrypt@example.com', emailVerified: true, created, password: { hash: await bcrypt.hash(PASSWORD, 4) } },
      {
        email: 'plain@example.com',
        name: 'Ünï “Quoted” \u{1f600}',
        metadata: { plan: 'pro', nested: [1, { a: null }] },
      },
      { email: 'blocked@example.com', blocked: true },
    ])
    const own = { email: 'own@example.com', password: PASSWORD, emailVerified: true, name: 'Own' }
    assert.equal((await host.call('POST /v1/iam/users', { body: own })).status, 201)
    const { status, headers, text } = await exportAs()
    assert.deepEqual([status, headers['content-type']], [200, 'application/x-ndjson'])
    const records = recordsIn(text)
    const check = compileCheck(ExportedUser)
    for (const record of records) assert.deepEqual(check.faults(record), [])
    assert.equal(records.length, 4)
    assert.equal(records[0].email, 'bcrypt@example.com', 'the oldest first')
    assert.match(records[0].password.hash, /^\$2b\$04\$/)
    assert.match(records.find(({ email }) => email === own.email).password.hash, /^\$argon2id\$/)

    const report = await run(records, {}, host.other.key)
    assert.deepEqual([report.added, report.data], [4, []])
    const again = recordsIn((await exportAs(host.other.key)).text)
    const unnamed = (all: Record<string, unknown>[]) =>
      all.map(({ user: _, ...record }) => record).toSorted((a, b) => String(a.email).localeCompare(String(b.email)))
    assert.deepEqual(unnamed(again), unnamed(records))
    assert.equal(again.filter(({ user }) => records.some(one => one.user === user)).length, 0, 'with ids of their own')

    const more = { people: 'users', signUp: 'closed' }
    const shop = await registerApp(host, identity, { app: 'theirs', as: host.other.key, more })
    for (const email of ['bcrypt@example.com', own.email]) {
      const { claims } = await shop.signIn({ email, password: PASSWORD })
      assert.equal(claims.owner, 'other')
    }
  })

  it('is for admins with a credential without limits, and no tool', async () => {
    const statusFor = async (role: 'admin' | 'member') =>
      (await exportAs((await host.member(host.home.org, role)).key)).status
    assert.deepEqual([await statusFor('admin'), await statusFor('member')], [200, 403])
    const { key } = (await host.call('POST /v1/account/keys', { body: { name: 'r', limit: ['read:iam'] } })).body
    assert.equal((await exportAs(key)).status, 403)
    assert.equal(isWithheld(exportUsers), true)
    assert.equal(exportUsers.disclosesSecret, true)
  })

  it('is recorded in the audit trail, and a refused one is not', async () => {
    const { org, key, user } = await host.organisation('recorded')
    const { headers } = await exportAs(key)
    await exportAs((await host.member(org, 'member')).key)
    const { data } = (await host.call('GET /v1/iam/audit', { as: key })).body
    const entries = data.filter(({ what }: { what: string }) => what === 'user.export')
    assert.deepEqual(
      entries.map(({ on, user: by, requestId }: Record<string, string>) => [on, by, requestId]),
      [['users', user, headers['x-request-id']]],
    )
  })

  it('of many customers is read as fast as it is taken, and no further when the client leaves', async t => {
    const { org, key } = await host.organisation('many')
    await host.db`insert into customers (id, org, email, name, metadata, created, updated)
      select 'cus_many' || n, ${org}, 'many' || n || '@example.com', 'Many', jsonb_build_object('text', repeat('x', 400)),
        date_trunc('milliseconds', now()) - n / 3 * interval '1 minute', now()
      from generate_series(1, 100000) as n`
    const dispatcher = new Agent({ connect: { ca: CA() } })
    t.after(() => dispatcher.destroy())
    const headers = { authorization: `Bearer ${key}` }
    const open = () => send(`${host.baseUrl}/v1/iam/users/export`, { dispatcher, headers })

    pages = 0
    const left = (await open()).body
    left.on('error', () => {})
    for await (const _ of left) break
    left.destroy()
    // What the sockets hold is taken, and little more.
    await pause(300)
    const taken = pages
    assert.ok(taken < 250, `${taken} of 500 pages`)
    await pause(300)
    assert.equal(pages, taken)

    pages = 0
    const slow = (await open()).body
    slow.on('error', () => {})
    await eventually(
      async () => {
        const before = pages
        await pause(200)
        return pages - before
      },
      more => more === 0,
    )
    assert.ok(pages < 250, `${pages} of 500 pages`)
    const ids = new Set<string>()
    for (const { user } of recordsIn(await slow.text())) ids.add(user)
    assert.equal(ids.size, 100_000)
    assert.equal(pages, 501)
  })
})
