// Kills the whole process tree while models are called, again and again: the journal stays balanced, and whatever was
// answered to a key with a budget is billed once.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { DATABASE_USER } from '../../src/engines/db/embedded/server.ts'
import { openPostgres } from '../../src/engines/db/postgres.ts'
import { seededRandom, systemRandom } from '../../src/engines/random/random.ts'
import { eventually } from '../eventually.ts'
import * as upstream from '../model-server.ts'
import { client, firstRunOf, freshDirectory, killTree, start, up } from '../process.ts'
import { rounds } from './rounds.ts'

const KILLS = 30
const KILLS_LEAST = 6
const CALLERS = 12
const ANSWERS_BEFORE_KILL = 30
const KILL_SPAN_MS = 200
const seed = process.env.STOA_CRASH_SEED ?? systemRandom.token(8)

describe(`kill -9 while models are called (repeat with STOA_CRASH_SEED=${seed})`, () => {
  it('leaves a balanced journal, and bills what was answered once', { timeout: 1_200_000 }, async t => {
    const random = seededRandom(seed)
    const server = await upstream.startModelServer(t)
    server.state.answer = (response, { json }) => {
      server.received.length = 0
      const answer = json.stream ? upstream.stream(upstream.chatChunks(['a', 'b'])) : upstream.json(CHAT)
      return answer(response, {} as never)
    }
    const data = freshDirectory(t)
    const settings = { STOA_DATA: data, OPENAI_API_KEY: 'x', OPENAI_BASE_URL: server.url, STOA_AI_LOCAL: 'off' }
    const answered = new Set<string>()
    let cutOff = 0
    let key: string | null = null

    for (const round of rounds(KILLS, KILLS_LEAST)) {
      const running = start(settings)
      const baseUrl = await up(running)
      key ??= await budgetedKey(data, baseUrl)
      const agent = new Agent({ connect: { ca: readFileSync(join(data, 'tls/ca.pem'), 'utf8') } })
      const isOver = { now: false }
      const callers = Array.from({ length: CALLERS }, async (_, caller) => {
        while (!isOver.now) {
          const id = await call(agent, baseUrl, key as string, (caller + round) % 2 === 0).catch(() => null)
          if (id === null) cutOff++
          else answered.add(id)
        }
      })
      const before = answered.size
      await eventually(
        () => answered.size,
        size => size > before + ANSWERS_BEFORE_KILL,
      )
      await wait(random.bytes(4).readUInt32LE() % KILL_SPAN_MS)
      isOver.now = true
      await killTree(running, data)
      await Promise.all(callers)
      await agent.destroy()
      assert.doesNotMatch(running.errors(), /^stoa: /m)
    }

    const last = start(settings)
    const { call: ask, close } = client(data, await up(last), firstRunOf(data).home.key)
    const { holds, balance } = (await ask('GET /v1/billing/balance')).body
    assert.deepEqual([typeof holds, balance < 0], ['number', true])
    await close()
    const at = { socketDirectory: join(data, 'postgres'), database: 'postgres', user: DATABASE_USER }
    const db = openPostgres({ at, connectionsMax: 2, queueMax: 10 })
    const [sums] = await db<
      Record<string, number>
    >`select (select sum(amount)::bigint from billing_accounts) as accounts,
      (select sum(amount)::bigint from billing_transfers) as transfers,
      (select amount from billing_accounts where kind = 'revenue') as revenue,
      (select sum(amount)::bigint from billing_hours) as hours,
      (select spent from keys where name = 'budgeted') as spent`
    const { accounts, transfers, revenue, hours, spent } = sums as Record<string, number>
    assert.deepEqual([accounts, revenue, hours, spent], [0, transfers, transfers, transfers])
    const billed = await db<{ id: string }>`select metadata->>'requestId' as id from billing_transfers`
    const ids = billed.map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length, 'nothing is billed twice')
    const logged = await db`select from ai_requests where transaction is not null`
    assert.equal(logged.length, ids.length)
    const all = new Set(ids)
    assert.deepEqual(
      [...answered].filter(id => !all.has(id)),
      [],
      'answered and not billed',
    )
    await db.close()
    t.diagnostic(`${answered.size} calls answered, ${ids.length} billed, ${cutOff} cut off`)
    assert.ok(cutOff > 0, 'no call was cut off by a kill; the test proved little')
  })
})

const CHAT = upstream.chatCompletion()

async function budgetedKey(data: string, baseUrl: string): Promise<string> {
  const { call, close } = client(data, baseUrl, firstRunOf(data).home.key)
  const body = { name: 'budgeted', budget: { total: 1_000_000 } }
  const { status, body: made } = await call('POST /v1/account/keys', body)
  assert.equal(status, 201)
  await close()
  return made.key
}

/** The id of the request, if it was answered as a whole. */
async function call(dispatcher: Agent, baseUrl: string, key: string, stream: boolean): Promise<string> {
  const answer = await request(`${baseUrl}/v1/chat/completions`, {
    dispatcher,
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hello' }], stream }),
  })
  const text = await answer.body.text()
  assert.equal(answer.statusCode, 200, text)
  if (stream) assert.ok(!text.includes('"error"'), text)
  return String(answer.headers['x-request-id'])
}
