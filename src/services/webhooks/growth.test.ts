// What a call or a delivery costs does not grow with the deliveries that there are, and the queue does nothing while
// there is nothing that it could do.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { eventually } from '../../../test/eventually.ts'
import { type Examined, examining } from '../../../test/examined.ts'
import { arrived, ended, startWebhooks } from '../../../test/webhook-world.ts'
import type { Database } from '../../engines/engines.ts'

const MANY = 3_000
/** A list of the log reads a page of each status. */
const ROWS_MAX = 160

let transactions: Examined[] = []
const wrapDb = (db: Database) => {
  const examined = examining(db, '^(webhook|queue_)')
  transactions = examined.transactions
  return examined.db
}
const { host, receiver, newEndpoint, answerWith } = await startWebhooks({ wrapDb })
const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** With many attempts in its log, a third of which failed and were sent again, and many deliveries for next year. */
async function busyEndpoint() {
  const made = await newEndpoint()
  const { id } = made.endpoint
  const now = host.clock.now().toISOString()
  await host.db`insert into webhook_events (id, org, subject, body)
    select md5(${id}::text || n)::uuid, ${made.org}, 'shop.old', '{}' from generate_series(1, ${MANY}::int) as n`
  await host.db`insert into webhook_attempts
      (delivery, attempt, webhook, event, subject, created, status, http_status, duration_ms, is_resendable)
    select md5(${id}::text || n)::uuid, 1, ${id}, md5(${id}::text || n)::uuid, 'shop.old',
      ${now}::timestamptz - make_interval(secs => n), case when n % 3 = 0 then 'failed' else 'ok' end, 200, 5, false
    from generate_series(1, ${MANY}::int) as n`
  await host.db`insert into queue_jobs (id, queue, key, rank, due, attempts_max, payload)
    select gen_random_uuid(), 'webhooks.deliveries', ${id}, 1, ${now}::timestamptz + interval '1 year', 3, '{}'
    from generate_series(1, ${MANY}::int) as n`
  await host.db`insert into queue_keys (queue, key, org, waiting, due)
    values ('webhooks.deliveries', ${id}, ${made.org}, ${MANY}, ${now}::timestamptz + interval '1 year')`
  return made
}

/** Endpoints of other organisations. */
async function addOthers(): Promise<void> {
  const { org, endpoint } = await newEndpoint()
  await host.db`insert into webhooks (id, org, url, events, description, status, secret, created, updated)
    select id || n, org, url, events, description, status, secret, created, updated
    from webhooks, generate_series(1, ${MANY}::int) as n where id = ${endpoint.id}`
  await host.db`insert into queue_keys (queue, key, org, waiting, due)
    select 'webhooks.deliveries', id, org, 1, '2999-01-01' from webhooks where org = ${org} and id <> ${endpoint.id}`
}

const [endpoint, idle] = [await busyEndpoint(), await busyEndpoint()]
await addOthers()
await host.db.script('analyze')

/** Not analyzed: the plans were made while the tables were empty. */
async function requireFewRows(work: () => Promise<unknown>): Promise<void> {
  transactions.length = 0
  await work()
  const seen = transactions.splice(0)
  assert.ok(seen.length > 0)
  for (const { rows, first } of seen) assert.ok(rows <= ROWS_MAX, `${rows} rows: ${first}`)
}

describe('beside many endpoints and deliveries, few rows are read by', () => {
  it('a delivery', async () => {
    answerWith(200)
    await requireFewRows(async () => {
      assert.equal((await endpoint.send()).status, 200)
      await eventually(endpoint.rows, ([row]) => row?.subject === 'shop.order.created')
    })
    assert.equal(endpoint.received().length, 1)
  })

  it('a delivery that is tried again', async () => {
    answerWith(500)
    await requireFewRows(async () => {
      await endpoint.send()
      await ended(endpoint.rows, 'retrying')
      answerWith(200)
      host.clock.advance(1_000)
      await ended(endpoint.rows, 'ok')
    })
  })

  it('a test, and a delivery that is sent again', async () => {
    await requireFewRows(async () => {
      const { delivery, delivered } = (await endpoint.call('/test')).body
      assert.equal(delivered, true)
      assert.equal((await endpoint.call(`/deliveries/${delivery}/resend`)).status, 202)
      await arrived(endpoint.received, 5)
    })
  })

  it('a resend of all that failed, when all were sent again before', async () => {
    await requireFewRows(async () => {
      const { status, body } = await endpoint.call('/resend', { since: '2020-01-01T00:00:00Z' })
      assert.deepEqual([status, body.count], [202, 0])
    })
  })

  it('the deletion of an endpoint', async () => {
    await requireFewRows(async () => {
      assert.equal((await host.call(`DELETE ${idle.path}`, { as: idle.key })).status, 204)
    })
  })
})

describe('while an endpoint hangs and much more waits for it', () => {
  const open: (() => void)[] = []
  after(() => {
    for (const end of open) end()
  })

  it('the queue waits', async () => {
    receiver.state.answer = response => void open.push(() => response.end())
    const before = endpoint.received().length
    for (let count = 0; count < 60; count++) await endpoint.send()
    await arrived(endpoint.received, before + 8)
    await pause(300)
    transactions.length = 0
    await pause(1_000)
    assert.ok(transactions.length < 60, `${transactions.length} transactions in a second`)
  })
})
