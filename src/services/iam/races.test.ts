// The same thing many times at once, and things that change while others wait: found by attacking it.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { makeSignIn } from '../../../test/derive.ts'
import { startHost } from '../../../test/host.ts'
import { lock } from '../../kit/lock/store.ts'

const host = await startHost({ dbConnections: 10 })
const crowd = <T>(count: number, act: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => act(at)))
const statusesOf = (answers: { status: number }[]) => answers.map(({ status }) => status).sort()
const trail = async (what: string) =>
  (await host.call('GET /v1/iam/audit?limit=200')).body.data.filter((entry: { what: string }) => entry.what === what)

describe('a change of password', () => {
  it('counts once of several that prove the same one: the others would undo it', async () => {
    const { key, password: current } = await host.organisation('once')
    const change = (at: number) =>
      host.call('POST /v1/iam/me/password', { as: key, body: { current, password: `walnut-desk-twelve-${at}` } })
    assert.deepEqual(statusesOf(await crowd(5, change)), [204, 400, 400, 400, 400])
  })
})

describe('an app', () => {
  it('keeps both of two changes at once', async () => {
    const body = { app: 'both', type: 'public', redirectUris: ['https://a.example.com/'] }
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

  it('renamed to its own name is not changed', async () => {
    const before = (await trail('app.update')).length
    await host.call('PATCH /v1/iam/apps/home-both', { body: { name: 'Name 9' } })
    assert.equal((await trail('app.update')).length, before)
  })
})

describe('what is ended many times at once', () => {
  it('is ended, answered and recorded once', async () => {
    const id = await makeSignIn(host, 'ended')
    const before = (await trail('session.end')).length
    const answers = await crowd(10, () => host.call(`DELETE /v1/iam/sessions/${id}`))
    assert.equal(statusesOf(answers).filter(status => status === 204).length, 1)
    assert.equal((await trail('session.end')).length, before + 1)
    const { org } = await host.organisation('gone')
    const deleted = await crowd(10, () =>
      host.call(`DELETE /v1/iam/orgs/${org}?confirm=${org}`, { as: host.admin.key }),
    )
    assert.equal(statusesOf(deleted).filter(status => status === 204).length, 1)
  })

  it('is recorded with what it was changed from', async () => {
    await crowd(10, at => host.call('PATCH /v1/iam/orgs/home', { body: { name: `Home ${at}` } }))
    const entries = (await trail('org.update')).slice(0, 10).reverse()
    for (const [at, { changes }] of entries.entries()) {
      if (at > 0) assert.equal(changes.name.from, entries[at - 1].changes.name.to)
    }
  })
})

describe('time that passes while a write waits', () => {
  /** Holds the lock of the organisation's keys while `meanwhile` happens. */
  async function holding(meanwhile: () => Promise<void>): Promise<void> {
    await host.db.transaction(async tx => {
      await lock(tx, 'keys of home')
      await meanwhile()
    })
  }

  it('counts: the trail tells when it was done, and a key that has expired by then is refused', async () => {
    const expires = new Date(host.clock.now().getTime() + 5_000).toISOString()
    const answers: ReturnType<typeof host.call>[] = []
    await holding(async () => {
      answers.push(host.call('POST /v1/account/keys', { body: { name: 'late' } }))
      answers.push(host.call('POST /v1/account/keys', { body: { name: 'too late', expires } }))
      await wait(200)
      host.clock.advance(10_000)
    })
    const [late, tooLate] = await Promise.all(answers)
    assert.deepEqual([late?.status, tooLate?.status], [201, 400])
    const [entry] = await trail('key.create')
    assert.deepEqual([entry.on, entry.at], [late?.body.id, late?.body.created])
  })
})
