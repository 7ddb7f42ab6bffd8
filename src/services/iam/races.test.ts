// Regression tests for races: the same request many times at once, and changes while other requests wait.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { insertSignIn } from '../../../test/derive.ts'
import { startHost } from '../../../test/host.ts'
import { lock } from '../../kit/lock.store.ts'

const host = await startHost({ dbConnections: 10 })
const atOnce = <T>(count: number, act: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index)))
const statusesOf = (responses: { status: number }[]) => responses.map(({ status }) => status).sort()
const auditOf = async (what: string) =>
  (await host.call('GET /v1/iam/audit?limit=200')).body.data.filter((entry: { what: string }) => entry.what === what)

describe('a change of password', () => {
  it('succeeds once if sent several times with the same current password', async () => {
    const { key, password: current } = await host.organisation('once')
    const change = (at: number) =>
      host.call('POST /v1/iam/me/password', { as: key, body: { current, password: `walnut-desk-twelve-${at}` } })
    assert.deepEqual(statusesOf(await atOnce(5, change)), [204, 400, 400, 400, 400])
  })
})

describe('an app', () => {
  it('keeps both of two concurrent changes', async () => {
    const body = { app: 'both', type: 'public', people: 'team', redirectUris: ['https://a.example.com/'] }
    const { id } = (await host.call('POST /v1/iam/apps', { body })).body
    for (let at = 0; at < 10; at++) {
      const uris = [`https://a.example.com/${at}`]
      await Promise.all([
        host.call(`PATCH /v1/iam/apps/${id}`, { body: { name: `Name ${at}` } }),
        host.call(`PATCH /v1/iam/apps/${id}`, { body: { redirectUris: uris } }),
      ])
      const { name, redirectUris } = (await host.call(`GET /v1/iam/apps/${id}`)).body
      assert.deepEqual([name, redirectUris], [`Name ${at}`, uris])
    }
  })

  it('is not changed by renaming it to its current name', async () => {
    const before = (await auditOf('app.update')).length
    await host.call('PATCH /v1/iam/apps/home-both', { body: { name: 'Name 9' } })
    assert.equal((await auditOf('app.update')).length, before)
  })
})

describe('the same change sent many times at once', () => {
  it('succeeds and is recorded once for a deletion', async () => {
    const id = await insertSignIn(host, 'ended')
    const before = (await auditOf('session.end')).length
    const responses = await atOnce(10, () => host.call(`DELETE /v1/iam/sessions/${id}`))
    assert.equal(statusesOf(responses).filter(status => status === 204).length, 1)
    assert.equal((await auditOf('session.end')).length, before + 1)
    const { org } = await host.organisation('gone')
    const deleted = await atOnce(10, () =>
      host.call(`DELETE /v1/iam/orgs/${org}?confirm=${org}`, { as: host.admin.key }),
    )
    assert.equal(statusesOf(deleted).filter(status => status === 204).length, 1)
  })

  it('is recorded with the actual old value for a rename', async () => {
    await atOnce(10, at => host.call('PATCH /v1/iam/orgs/home', { body: { name: `Home ${at}` } }))
    const entries = (await auditOf('org.update')).slice(0, 10).reverse()
    for (const [at, { changes }] of entries.entries()) {
      if (at > 0) assert.equal(changes.name.from, entries[at - 1].changes.name.to)
    }
  })
})

describe('a write that waits for a lock', () => {
  /** Runs `action` while the organisation's keys are locked. */
  async function whileLocked(action: () => Promise<void>): Promise<void> {
    await host.db.transaction(async tx => {
      await lock(tx, 'keys of home')
      await action()
    })
  }

  it('is recorded with the time it was done, and rejects a key that has expired by then', async () => {
    const expires = new Date(host.clock.now().getTime() + 5_000).toISOString()
    const calls: ReturnType<typeof host.call>[] = []
    await whileLocked(async () => {
      calls.push(host.call('POST /v1/account/keys', { body: { name: 'late' } }))
      calls.push(host.call('POST /v1/account/keys', { body: { name: 'too late', expires } }))
      await wait(200)
      host.clock.advance(10_000)
    })
    const [late, tooLate] = await Promise.all(calls)
    assert.deepEqual([late?.status, tooLate?.status], [201, 400])
    const [entry] = await auditOf('key.create')
    assert.deepEqual([entry.on, entry.at], [late?.body.id, late?.body.created])
  })
})
