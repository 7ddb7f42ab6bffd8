import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../../../test/eventually.ts'
import { startHost } from '../../../../test/host.ts'
import { EngineUnavailable } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { openRequestCounts } from './counts.ts'

const host = await startHost({ runsBackground: true })
const HOUR_MS = 3_600_000

type Counted = { requests: number; refused: number; failed: number }
const countsOf = async (as: string, range = '24h') => {
  const { status, body, text } = await host.call(`GET /v1/o11y/requests?range=${range}`, { as })
  assert.equal(status, 200, text)
  return body as Counted & { data: (Counted & { at: string })[] }
}
/** The schedule writes the counts of the process when its time has come. */
const counted = (as: string, isDone: (found: Counted) => boolean) =>
  eventually(
    () => {
      host.clock.advance(5_000)
      return countsOf(as)
    },
    found => isDone(found),
  )

describe('the requests of an organisation', () => {
  it('are counted by how they ended, by hour', async () => {
    const { key } = await host.organisation('busy')
    for (let n = 0; n < 3; n++) await host.call('GET /v1/projects', { as: key })
    await host.call('GET /v1/projects/none', { as: key })
    await host.call('POST /v1/projects', { as: key, body: {} })
    const first = await counted(key, ({ refused }) => refused === 2)
    assert.ok(first.requests >= 5)
    assert.equal(first.failed, 0)
    assert.equal(first.data.length, 24)
    host.clock.advance(HOUR_MS)
    await host.call('GET /v1/projects/none', { as: key })
    const { data } = await counted(key, ({ refused }) => refused === 3)
    assert.deepEqual([data.at(-2)?.refused, data.at(-1)?.refused], [2, 1])
    assert.equal(Date.parse(data.at(-1)?.at ?? '') - Date.parse(data.at(-2)?.at ?? ''), HOUR_MS)
    assert.equal((await countsOf(key, '7d')).data.length, 168)
    assert.equal((await countsOf(key, '30d')).data.length, 720)
    assert.equal((await host.call('GET /v1/o11y/requests?range=1y', { as: key })).status, 400)
  })

  it('do not include those of others, or without a valid credential', async () => {
    const { key } = await host.organisation('quiet')
    const { key: loud } = await host.organisation('loud')
    for (let n = 0; n < 4; n++) await host.call('GET /v1/projects/none', { as: loud })
    await host.call('GET /v1/projects', { as: `${key}x` })
    await host.call('GET /v1/projects', { as: null })
    await counted(loud, ({ refused }) => refused === 4)
    const { refused, requests } = await countsOf(key)
    assert.equal(refused, 0)
    assert.ok(requests <= 1)
  })

  it('are counted as failed if an engine is down', async t => {
    const own = await startHost({ runsBackground: true }, t)
    own.engines.warehouse.newestErrors = () => Promise.reject(new EngineUnavailable('warehouse', 'down'))
    assert.equal((await own.call('GET /v1/errors')).status, 503)
    const { failed, refused } = await eventually(
      async () => {
        own.clock.advance(5_000)
        return (await own.call('GET /v1/o11y/requests')).body as Counted
      },
      found => found.failed === 1,
    )
    assert.deepEqual([failed, refused], [1, 0])
  })
})

describe('counts that cannot be written', () => {
  it('are written with the next ones', async () => {
    const db = { background: { autocommit: () => Promise.reject(new Error('down')) } }
    const counts = openRequestCounts(db as never, host.clock)
    const org = 'home' as OrgId
    counts.count(org, 200)
    await assert.rejects(counts.flush(), /down/)
    counts.count(org, 503)
    const before = await host.db<{ requests: number }>`select sum(requests)::int as requests from request_counts`
    db.background.autocommit = host.db.background.autocommit as never
    await counts.flush()
    const after = await host.db<{ requests: number }>`select sum(requests)::int as requests from request_counts`
    assert.equal((after[0]?.requests ?? 0) - (before[0]?.requests ?? 0), 2)
  })
})
