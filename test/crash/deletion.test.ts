// Deletes organisations while processes are killed, and with other processes running: the purge completes after a kill, and
// access ends in every process immediately.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { DATABASE_USER } from '../../src/engines/db/embedded/server.ts'
import { openPostgres } from '../../src/engines/db/postgres.ts'
import { eventually } from '../eventually.ts'
import { externalPostgres } from '../external.ts'
import { client, firstRunOf, freshDirectory, killTree, start, up } from '../process.ts'
import { startReceiver } from '../webhook-receiver.ts'

/** Of each of two tables. */
const ROWS = 10_000
/** One row of another organisation for this many of the deleted one. */
const PER_OTHER = 100
/** The time within which other processes must be notified. */
const KNOWN_MS = 1_000
/** When the last attempt of a delivery would have been made, 5 s after the one before. */
const LAST_ATTEMPT_MS = 8_000

type Call = ReturnType<typeof client>['call']

async function createOrg(call: Call, slug: string): Promise<string> {
  const body = { slug, name: slug, owner: { email: `owner@${slug}.test` } }
  const answer = await call('POST /v1/iam/orgs', body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.key
}

async function remove(call: Call, org: string): Promise<void> {
  assert.equal((await call(`DELETE /v1/iam/orgs/${org}?confirm=${org}`)).status, 204)
}

/** A Stoa with its own database, which can be killed and started again. */
async function openStoa(t: TestContext) {
  const data = freshDirectory(t)
  const at = { socketDirectory: join(data, 'postgres'), database: 'postgres', user: DATABASE_USER }
  const begin = async () => {
    const started = start({ STOA_DATA: data })
    const baseUrl = await up(started)
    const db = openPostgres({ at, connectionsMax: 1, queueMax: 10 })
    const by = (key: string) => client(data, baseUrl, key)
    const close = async () => {
      await db.close()
      await killTree(started, data)
    }
    return { db, by, admin: by(firstRunOf(data).superadmin.key), close }
  }
  return { begin }
}

type Stoa = Awaited<ReturnType<Awaited<ReturnType<typeof openStoa>>['begin']>>

async function fill({ db }: Stoa): Promise<void> {
  const orgs = `unnest(case when n % ${PER_OTHER} = 0 then array['doomed', 'spared'] else array['doomed'] end) as org`
  await db.script(`insert into audit (org, at, credential, what, on_what, ip, request_id)
    select org, now(), 'key_' || n, 'project.update', 'p', '192.0.2.1', n from generate_series(1, ${ROWS}) as n, ${orgs}`)
  await db.script(`insert into idempotency_records (org, operation, key, input, made, at)
    select org, 'createProject', sha256(n::text::bytea), '', '', now() from generate_series(1, ${ROWS}) as n, ${orgs}`)
}

/** Audit entries that were filled in, and idempotency records. */
async function countOf({ db }: Stoa, org: string): Promise<number> {
  const [row] = await db<{ count: number }>`select (select count(*) from idempotency_records where org = ${org}) +
    (select count(*) from audit where org = ${org} and on_what = 'p') as count`
  return row?.count ?? 0
}

describe('the deletion of an organisation', () => {
  it('ends after kill -9 in the middle of its purge', { timeout: 300_000 }, async t => {
    const { begin } = await openStoa(t)
    const first = await begin()
    const key = await createOrg(first.admin.call, 'doomed')
    await createOrg(first.admin.call, 'spared')
    await fill(first)
    await remove(first.admin.call, 'doomed')
    const left = await eventually(
      () => countOf(first, 'doomed'),
      count => count < 1.75 * ROWS,
    )
    await first.close()
    assert.ok(left > 0, 'it was not in the middle; not conclusive')

    const second = await begin()
    assert.equal((await second.by(key).call('GET /v1/iam/me')).status, 401)
    // The row of an organisation stays for a minute at least.
    await second.db.autocommit`update former_orgs set deleted = deleted - interval '1 min' where slug = 'doomed'`
    await eventually(
      async () => {
        await wait(100)
        return (await second.admin.call('GET /v1/iam/orgs/doomed')).status
      },
      status => status === 404,
    )
    assert.deepEqual([await countOf(second, 'doomed'), await countOf(second, 'spared')], [0, (2 * ROWS) / PER_OTHER])
    // One is left for the next day.
    const jobs = () => second.db<{
      isLater: boolean
    }>`select due > now() + interval '23 hours' as "isLater" from queue_jobs
      where queue = 'iam.purges'`
    await eventually(jobs, rows => rows.length === 1 && rows[0]?.isLater === true)
    await second.close()
    t.diagnostic(`${left} of ${2 * ROWS} rows were left`)
  })

  it('ends access in another process within a second, and pending deliveries', { timeout: 300_000 }, async t => {
    const external = await externalPostgres()
    if ('missing' in external) return t.skip(external.missing)
    t.after(external.stop)
    const receiver = await startReceiver()
    t.after(receiver.close)
    receiver.state.answer = response => void response.writeHead(500).end()
    const postsTo = (org: string) => receiver.received.filter(({ path }) => path === `/${org}`).length
    const settings = {
      ...{ DATABASE_URL: external.url, STOA_ROOT_KEY: Buffer.alloc(32, 7).toString('base64') },
      ...{ STOA_OUTBOUND_ALLOW: '127.0.0.1', STOA_OUTBOUND_CA: join(process.env.STOA_TEST_TLS as string, 'ca.pem') },
    }
    const directories = [freshDirectory(t), freshDirectory(t)] as const
    const urls = [await up(start({ ...settings, STOA_DATA: directories[0] }))]
    urls.push(await up(start({ ...settings, STOA_DATA: directories[1] })))
    const by = (at: 0 | 1, key: string) => client(directories[at], urls[at] as string, key)
    const admin = by(0, firstRunOf(directories[0]).superadmin.key)
    const db = openPostgres({ at: { url: external.url }, connectionsMax: 1, queueMax: 10 })
    t.after(db.close)
    // Without its purge, which would soon delete the endpoint.
    await db.autocommit`insert into queue_keys (queue, key, org, is_paused) values ('iam.purges', 'doomed', 'admin', true)`
    const keys = { doomed: await createOrg(admin.call, 'doomed'), spared: await createOrg(admin.call, 'spared') }
    for (const [org, key] of Object.entries(keys)) {
      const { call } = by(1, key)
      assert.equal((await call('POST /v1/webhooks', { url: `${receiver.url}/${org}`, events: ['shop.>'] })).status, 201)
      assert.equal((await call('POST /v1/event', { event: 'order', subject: 'shop.order.created' })).status, 200)
    }
    await eventually(
      () => Math.min(postsTo('doomed'), postsTo('spared')),
      count => count === 2,
    )
    const other = by(1, keys.doomed)
    assert.equal((await other.call('GET /v1/iam/me')).status, 200)

    await remove(admin.call, 'doomed')
    const removedMs = performance.now()
    while ((await other.call('GET /v1/iam/me')).status !== 401) {
      assert.ok(performance.now() - removedMs < KNOWN_MS, 'the other process still admits its key')
    }
    t.diagnostic(`the key was refused after ${(performance.now() - removedMs).toFixed(0)} ms`)
    await eventually(
      () => postsTo('spared'),
      count => count === 3,
    )
    await wait(LAST_ATTEMPT_MS - (performance.now() - removedMs))
    assert.equal(postsTo('doomed'), 2)
  })
})
