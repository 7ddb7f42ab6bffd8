// What is deleted, and when: deliveries that are old, and those of endpoints and organisations that are gone.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../../test/eventually.ts'
import { ended, type Row, startWebhooks } from '../../../test/webhook-world.ts'

// A day, because the bus goes by the real time and keeps events for a few days: the clock must not be far ahead.
const { host, receiver, newEndpoint, answerWith } = await startWebhooks({ settings: { STOA_WEBHOOKS_KEPT_DAYS: '1' } })

const advance = async (ms: number) => {
  host.clock.advance(ms)
  await pause(20)
}
/** In small steps: a run of the schedule has ten minutes of the clock. */
const afterAWhile = <T>(read: () => Promise<T>, isExpected: (result: T) => boolean) =>
  eventually(async () => {
    await advance(60_000)
    return read()
  }, isExpected)
const rowsOf = async (webhook: string) =>
  (await host.db<{ count: number }>`select count(*) from webhook_attempts where webhook = ${webhook}`)[0]?.count

describe('deliveries', () => {
  it('are deleted after the days of the setting, counted from when they were sent again', async () => {
    answerWith(200)
    const { org, rows, send, path, key, call } = await newEndpoint()
    await send()
    const [row] = (await ended(rows, 'ok')) as [Row]
    await advance(16 * 3_600_000)
    assert.equal((await call(`/deliveries/${row.delivery}/resend`)).status, 202)
    await eventually(rows, all => all.length === 2)
    await advance(8 * 3_600_000)
    const [again] = (await afterAWhile(rows, all => all.length === 1)) as [Row]
    assert.equal(again.resendOf, row.delivery)
    const events = async () => host.db`select from webhook_events where org = ${org}`
    await afterAWhile(events, left => left.length === 0)
    // Its event is as old as the first delivery.
    const { status, body } = await call(`/deliveries/${again.delivery}/resend`)
    assert.deepEqual([status, body.error.code], [404, 'not_found'])
    assert.equal((await call('/resend', { since: '2020-01-01T00:00:00Z' })).body.count, 0)
    await advance(16 * 3_600_000)
    await afterAWhile(rows, all => all.length === 0)
    assert.equal((await host.call(`GET ${path}`, { as: key })).status, 200)
  })

  it('whose events are old stay until they end', async () => {
    const { endpoint, org, rows, send, call } = await newEndpoint()
    answerWith(500)
    await send()
    for (const ms of [1_000, 5_000]) {
      await ended(rows, 'retrying')
      const seen = (await rows()).length
      host.clock.advance(ms)
      await eventually(rows, all => all.length > seen)
    }
    const [row] = (await ended(rows, 'failed')) as [Row]
    await advance(23 * 3_600_000)
    // The attempt hangs for longer than events are kept, so to say: the clock is moved.
    let release = () => {}
    receiver.state.answer = response => {
      release = () => response.end()
    }
    const before = receiver.received.length
    assert.equal((await call(`/deliveries/${row.delivery}/resend`)).status, 202)
    await eventually(
      () => receiver.received.length,
      count => count > before,
    )
    await host.db`update queue_jobs set started = null, due = '2999-01-01', expires = null where key = ${endpoint.id}`
    await afterAWhile(rows, all => all.length === 0)
    const left = await host.db`select from webhook_events where org = ${org}`
    assert.equal(left.length, 1)
    release()
  })

  it('of an endpoint that was deleted are deleted soon after it', async () => {
    answerWith(200)
    const { endpoint, rows, send, path, key } = await newEndpoint()
    await send()
    await ended(rows, 'ok')
    await host.call(`DELETE ${path}`, { as: key })
    assert.equal(await rowsOf(endpoint.id), 1)
    await afterAWhile(
      () => rowsOf(endpoint.id),
      count => count === 0,
    )
  })
})

describe('an organisation that is deleted', () => {
  it('leaves no delivery and no event', async () => {
    answerWith(200)
    const { org, endpoint, rows, send } = await newEndpoint()
    await send()
    await ended(rows, 'ok')
    const gone = await host.call(`DELETE /v1/iam/orgs/${org}?confirm=${org}`, { as: host.admin.key })
    assert.equal(gone.status, 204, gone.text)
    const left = () => host.db`select 1 from webhook_attempts where webhook = ${endpoint.id}
      union all select 1 from queue_jobs where key = ${endpoint.id} union all select 1 from queue_keys where key = ${endpoint.id}
      union all select 1 from webhook_events where org = ${org}
      union all select 1 from webhook_deleted where org = ${org} union all select 1 from orgs where slug = ${org}
      union all select 1 from webhook_days where webhook = ${endpoint.id}`
    await afterAWhile(left, rows => rows.length === 0)
  })
})
