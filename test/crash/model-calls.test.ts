// Kills the whole process tree during model calls, again and again: every answered call is charged once with its exact
// amount, an interrupted call is charged once according to its hold, and the journal stays balanced.
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
const CALLERS = 24
const ANSWERS_BEFORE_KILL = 60
const KILL_SPAN_MS = 200
const seed = process.env.STOA_CRASH_SEED ?? systemRandom.token(8)
/** What a call costs that the provider answers as a whole, in millionths of a cent: 1,000 and 200 tokens of gpt-5-mini. */
const AMOUNT = 1_000 * 25 + 200 * 200

describe(`kill -9 while models are called (repeat with STOA_CRASH_SEED=${seed})`, () => {
  it('leaves a balanced journal, and bills every call once', { timeout: 1_200_000 }, async t => {
    const random = seededRandom(seed)
    const below = (bound: number) => random.bytes(4).readUInt32LE() % bound
    const server = await upstream.startModelServer(t)
    let asked = 0
    server.state.answer = async (response, { json }) => {
      server.received.length = 0
      const n = asked++
      if (n % 17 === 0) return upstream.json({ error: { message: 'Because' } }, 400)(response, {} as never)
      if (n % 5 === 0) await wait(below(40))
      const answer = json.stream ? upstream.stream(upstream.chatChunks(['a', 'b', 'c'])) : upstream.json(CHAT)
      return answer(response, {} as never)
    }
    const data = freshDirectory(t)
    const settings = { STOA_DATA: data, OPENAI_API_KEY: 'x', OPENAI_BASE_URL: server.url, STOA_AI_LOCAL: 'off' }
    const answered = new Set<string>()
    let cutOff = 0
    let keys: string[] = []

    for (const round of rounds(KILLS, KILLS_LEAST)) {
      const running = start(settings)
      const baseUrl = await up(running)
      if (keys.length === 0) keys = [firstRunOf(data).home.key, await budgetedKey(data, baseUrl)]
      const agent = new Agent({ connect: { ca: readFileSync(join(data, 'tls/ca.pem'), 'utf8') } })
      const isOver = { now: false }
      const callers = Array.from({ length: CALLERS }, async (_, caller) => {
        while (!isOver.now) {
          const key = keys[caller % 2] as string
          // Some clients leave in the middle.
          const signal = below(12) === 0 ? AbortSignal.timeout(below(15)) : null
          const id = await call(agent, baseUrl, key, (caller + round) % 4 < 2, signal).catch(() => undefined)
          if (id === undefined) cutOff++
          else if (id !== null) answered.add(id)
        }
      })
      const before = answered.size
      await eventually(
        () => answered.size,
        size => size > before + ANSWERS_BEFORE_KILL,
      )
      await wait(below(KILL_SPAN_MS))
      isOver.now = true
      await killTree(running, data)
      await Promise.all(callers)
      await agent.destroy()
      assert.doesNotMatch(running.errors(), /^stoa: /m)
    }

    const last = start(settings)
    const { call: ask, close } = client(data, await up(last), firstRunOf(data).home.key)
    const at = { socketDirectory: join(data, 'postgres'), database: 'postgres', user: DATABASE_USER }
    const db = openPostgres({ at, connectionsMax: 2, queueMax: 10 })
    // What was left behind expires after two minutes.
    const left = await db<{ id: string; so_far: number }>`select id, so_far from billing_holds`
    await db.autocommit`update billing_holds set expires = now() - interval '1 second'`
    await eventually(
      () => db`select from billing_holds`,
      rows => rows.length === 0,
    )
    const { holds, balance, available } = (await ask('GET /v1/billing/balance')).body
    assert.deepEqual([holds, balance < 0, available], [0, true, balance])
    await close()
    const [sums] = await db<
      Record<string, number>
    >`select (select sum(amount)::bigint from billing_accounts) as accounts,
      (select sum(held)::bigint from billing_accounts) as held,
      (select sum(amount)::bigint from billing_transfers) as transfers,
      (select amount from billing_accounts where kind = 'revenue') as revenue,
      (select sum(amount)::bigint from billing_hours) as hours,
      (select sum(spent)::bigint from keys) as spent`
    const { accounts, held, transfers, revenue, hours, spent } = sums as Record<string, number>
    assert.deepEqual([accounts, held, revenue, hours, spent], [0, 0, transfers, transfers, transfers])
    const billed = await db<{
      id: string
      request: string
      amount: number
      interrupted: boolean | null
    }>`select id, metadata->>'requestId' as request, amount, (metadata->'interrupted')::boolean as interrupted
      from billing_transfers`
    const byRequest = new Map(billed.map(row => [row.request, row]))
    assert.equal(byRequest.size, billed.length, 'nothing is billed twice')
    const wrong = [...answered].filter(id => byRequest.get(id)?.amount !== AMOUNT)
    assert.deepEqual(wrong, [], 'answered, and not billed with the exact amount')
    const unpaid = left.filter(({ id, so_far: amount }) => billed.find(one => one.id === id)?.amount !== amount)
    assert.deepEqual(unpaid, [], 'left behind, and not billed what the hold says')
    const logged = await db`select from ai_requests where transaction is not null`
    assert.equal(logged.length, billed.length)
    await db.close()
    t.diagnostic(
      `${asked} calls at the provider, ${answered.size} answered, ${billed.length} billed, ${left.length} of them left behind by ` +
        `a dead process; ${cutOff} cut off`,
    )
    assert.ok(cutOff > 0 && left.length > 0, 'no call was cut off by a kill; the test proved little')
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

/** The id of the request, if it was answered as a whole; null if the provider refused it. */
async function call(
  dispatcher: Agent,
  baseUrl: string,
  key: string,
  stream: boolean,
  signal: AbortSignal | null,
): Promise<string | null> {
  const answer = await request(`${baseUrl}/v1/chat/completions`, {
    ...{ dispatcher, method: 'POST', signal },
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hello' }], stream }),
  })
  const text = await answer.body.text()
  if (answer.statusCode === 400) return null
  assert.equal(answer.statusCode, 200, text)
  if (stream) assert.ok(text.endsWith('data: [DONE]\n\n') && !text.includes('"error"'), text)
  return String(answer.headers['x-request-id'])
}
