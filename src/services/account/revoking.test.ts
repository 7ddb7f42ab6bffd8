import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../../../test/eventually.ts'
import { startHost } from '../../../test/host.ts'
import { keyCalls } from '../../../test/keys.ts'
import { openPostgres } from '../../engines/db/postgres.ts'
import { openKeyring } from './keyring.ts'
import { keepKey, newKeyText } from './public.ts'

const host = await startHost()
const { home } = host
const anna = await host.member(home.org, 'member')
const bert = await host.member(home.org, 'member')

const { create, made, revoke, use, listed } = keyCalls(host)
async function refusedWith(key: string): Promise<{ status: number; code: string; message: string }> {
  const { status, body } = await use(key)
  return { status, ...body.error }
}
const trail = (id: string) =>
  host.db<{ what: string; user_id: string }>`select what, user_id from audit where on_what = ${id} order by id`

describe('revoking a key', () => {
  it('refuses the key immediately with 401 `key_revoked`, and no other key', async () => {
    const [one, another] = [await made(), await made()]
    assert.equal((await use(one.key)).status, 200)
    const answer = await revoke(one.id)
    assert.equal(answer.status, 204)
    assert.equal(answer.text, '')
    const { status, code, message } = await refusedWith(one.key)
    assert.equal(status, 401)
    assert.equal(code, 'key_revoked')
    assert.match(message, /revoked/)
    assert.equal((await use(another.key)).status, 200)
  })

  it('refuses the key before the revocation is answered, however late the notification arrives', async () => {
    const { id, key } = await made()
    assert.equal((await use(key)).status, 200)
    const [listener] = await host.db<{ pid: number }>`select pid from pg_stat_activity
      where datname = current_database() and application_name = 'stoa listening'`
    process.kill(listener?.pid as number, 'SIGSTOP')
    const resumed = wait(200).then(() => process.kill(listener?.pid as number, 'SIGCONT'))
    assert.equal((await revoke(id)).status, 204)
    assert.equal((await use(key)).status, 401)
    await resumed
  })

  it('refuses the key before the revocation is answered, even if the notification does not arrive', async t => {
    const { id, key } = await made()
    assert.equal((await use(key)).status, 200)
    const [listener] = await host.db<{ pid: number }>`select pid from pg_stat_activity
      where datname = current_database() and application_name = 'stoa listening'`
    process.kill(listener?.pid as number, 'SIGSTOP')
    t.after(() => process.kill(listener?.pid as number, 'SIGCONT'))
    assert.equal((await revoke(id)).status, 204)
    assert.equal((await use(key)).status, 401)
  })

  it('keeps the key listed, with who revoked it and when', async () => {
    const { id } = await made()
    host.clock.advance(5_000)
    const at = host.clock.now().toISOString()
    await revoke(id)
    const { status, revokedBy, revokedAt } = await listed(id)
    assert.deepEqual({ status, revokedBy, revokedAt }, { status: 'revoked', revokedBy: home.email, revokedAt: at })
  })

  it('changes nothing the second time, and is recorded once', async () => {
    const { id } = await made()
    await revoke(id)
    const before = await listed(id)
    host.clock.advance(5_000)
    assert.equal((await revoke(id)).status, 204)
    assert.deepEqual(await listed(id), before)
    assert.deepEqual(
      (await trail(id)).map(row => row.what),
      ['key.create', 'key.revoke'],
    )
  })

  it('is allowed to the owner and to admins, and the audit trail names the admin', async () => {
    const { id } = await made({}, anna.key)
    assert.equal((await revoke(id, bert.key)).status, 404)
    assert.equal((await revoke(id, host.other.key)).status, 404)
    assert.equal((await listed(id)).status, 'active')
    assert.equal((await revoke(id)).status, 204)
    assert.equal((await listed(id)).revokedBy, home.email)
    assert.deepEqual((await trail(id)).at(-1), { what: 'key.revoke', user_id: home.user })
    const own = await made({}, anna.key)
    assert.equal((await revoke(own.id, anna.key)).status, 204)
  })

  it('takes precedence over expiry in the status', async () => {
    const { id } = await made({ expires: new Date(host.clock.now().getTime() + 5).toISOString() })
    await revoke(id)
    host.clock.advance(5)
    assert.equal((await listed(id)).status, 'revoked')
    const ids = async (status: string) =>
      (await host.call(`GET /v1/account/keys?limit=200&status=${status}`)).body.data.map(
        (key: { id: string }) => key.id,
      )
    assert.ok((await ids('revoked')).includes(id))
    assert.ok(!(await ids('expired')).includes(id))
  })

  it('can be done with the key itself', async () => {
    const { id, key } = await made()
    assert.equal((await revoke(id, key)).status, 204)
    assert.equal((await refusedWith(key)).code, 'key_revoked')
  })

  it('takes effect in every process on the same database', async t => {
    const second = openPostgres({ at: host.database, connectionsMax: 2, queueMax: 10 })
    const keyring = await openKeyring({
      db: second,
      clock: host.clock,
      seal: host.engines.seal,
      verifyToken: async () => null,
      refusedPerMinute: 300,
      warn: error => assert.fail(error as Error),
    })
    t.after(second.close)
    const { id, key } = await made()
    assert.equal((await keyring.secretKey(key, '127.0.0.1')).user, home.user)
    assert.ok(!(keyring.secretKey(key, '127.0.0.1') instanceof Promise), 'the key is cached')
    await revoke(id)
    const resolved = async () => keyring.secretKey(key, '127.0.0.1')
    const fault = await eventually(
      () =>
        resolved().then(
          () => '',
          error => error.code,
        ),
      code => code !== '',
    )
    assert.equal(fault, 'key_revoked')
  })
})

describe('a member who leaves', () => {
  it('loses their keys immediately; the organisation still sees them as revoked', async () => {
    const carl = await host.member(home.org, 'member')
    const { id } = await made({}, carl.key)
    assert.equal((await use(carl.key)).status, 200)
    await host.db`delete from members where user_id = ${carl.user}`
    await host.db.waitForNotifications()
    assert.equal((await refusedWith(carl.key)).code, 'key_revoked')
    assert.equal((await listed(id)).status, 'revoked')
  })

  it('does not get the old keys back on return', async () => {
    const dora = await host.member(home.org, 'member')
    await host.db`delete from members where user_id = ${dora.user}`
    await host.db`insert into members (org, user_id, email, role, created)
      values ('home', ${dora.user}, ${dora.email}, 'member', now())`
    await host.db.waitForNotifications()
    assert.equal((await refusedWith(dora.key)).code, 'key_revoked')
  })
})

describe('a member of two organisations who leaves one', () => {
  it('keeps the keys of the other, and keys revoked before stay unchanged', async () => {
    const fay = await host.member(home.org, 'member')
    const { id } = await made({}, fay.key)
    await revoke(id)
    const before = await listed(id)
    await host.db`insert into members (org, user_id, email, role, created)
      values ('other', ${fay.user}, ${fay.email}, 'member', now())`
    const text = newKeyText(host.engines.random, 'secret')
    const otherKey = { org: host.other.org, user: fay.user, name: 'other', type: 'secret' as const, text }
    await host.db.transaction(tx => keepKey({ ...host.engines, db: tx }, otherKey))
    await host.db`delete from members where user_id = ${fay.user} and org = 'home'`
    await host.db.waitForNotifications()
    assert.equal((await refusedWith(fay.key)).code, 'key_revoked')
    assert.equal((await use(text)).status, 200)
    assert.deepEqual(await listed(id), before)
  })

  it('cannot use a key that was created at the same time', async () => {
    const gil = await host.member(home.org, 'member')
    await host.db`delete from members where user_id = ${gil.user}`
    await host.db`update keys set revoked_at = null where user_id = ${gil.user}`
    await host.db.waitForNotifications()
    assert.equal((await refusedWith(gil.key)).code, 'key_revoked')
  })
})

describe('a role change', () => {
  it('takes effect immediately for cached keys', async () => {
    const ed = await host.member(home.org, 'admin')
    assert.equal((await host.call('GET /v1/iam/audit', { as: ed.key })).status, 200)
    await host.db`update members set role = 'member' where user_id = ${ed.user}`
    await host.db.waitForNotifications()
    assert.equal((await host.call('GET /v1/iam/audit', { as: ed.key })).status, 403)
  })
})

describe('an organisation', () => {
  it('has at most 1,000 live keys, however many are created at once', async () => {
    const { org, key } = await host.organisation('full')
    const answers: Awaited<ReturnType<typeof create>>[] = []
    while (answers.length < 1_200) {
      answers.push(...(await Promise.all(Array.from({ length: 100 }, () => create({}, key)))))
    }
    const count = (status: number) => answers.filter(answer => answer.status === status).length
    assert.equal(count(201), 999, 'with the first key of the organisation')
    assert.equal(count(409), 201)
    const live = async () =>
      (await host.db<{ n: number }>`select count(*) as n from keys where org = ${org} and revoked_at is null`)[0]?.n
    assert.equal(await live(), 1_000)

    const spare = answers.find(answer => answer.status === 201)?.body.id
    await revoke(spare, key)
    const soon = new Date(host.clock.now().getTime() + 1_000).toISOString()
    assert.equal((await create({ expires: soon }, key)).status, 201)
    assert.equal((await create({}, key)).status, 409)
    host.clock.advance(1_000)
    assert.equal((await create({}, key)).status, 201, 'an expired key is not live')
    assert.equal((await create({}, host.other.key)).status, 201, 'another organisation has its own maximum')
  })
})
