// Two processes on one database. One is killed again and again while clients make random prepaid calls: the balance is
// never negative, and every answered call is charged once.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openPostgres } from '../../src/engines/db/postgres.ts'
import { seededRandom, systemRandom } from '../../src/engines/random/random.ts'
import { eventually } from '../eventually.ts'
import { externalPostgres } from '../external.ts'
import * as upstream from '../model-server.ts'
import { client, firstRunOf, freshDirectory, start, up } from '../process.ts'

const CALLS = 10_000
const CLIENTS = 24
const KILLS = 4
const CREDIT = 25
const seed = process.env.STOA_CRASH_SEED ?? systemRandom.token(8)

describe(`calls that are paid in advance at two processes (repeat with STOA_CRASH_SEED=${seed})`, () => {
  it('never take a balance below zero, and are billed once', { timeout: 900_000 }, async t => {
    const external = await externalPostgres()
    if ('missing' in external) return t.skip(external.missing)
    t.after(external.stop)
    const random = seededRandom(seed)
    const below = (bound: number) => random.bytes(4).readUInt32LE() % bound
    const server = await upstream.startModelServer(t)
    server.state.answer = (response, { json }) => {
      server.received.length = 0
      const most = (json.max_completion_tokens ?? json.max_tokens) as number
      const usage = {
        prompt_tokens: 1 + below(500),
        completion_tokens: below(3) === 0 ? most : Math.min(most, below(50)),
      }
      const answer = json.stream
        ? upstream.stream(upstream.chatChunks(['a'], usage))
        : upstream.json(upstream.chatCompletion(usage))
      return answer(response, {} as never)
    }
    const settings = {
      ...{ DATABASE_URL: external.url, STOA_ROOT_KEY: Buffer.alloc(32, 7).toString('base64'), STOA_BILLING: 'prepaid' },
      ...{ OPENAI_API_KEY: 'x', OPENAI_BASE_URL: server.url, STOA_AI_LOCAL: 'off' },
    }
    const directories = [freshDirectory(t), freshDirectory(t)] as const
    const run = async (at: 0 | 1, key: string) => {
      const started = start({ ...settings, STOA_DATA: directories[at] })
      const baseUrl = await up(started)
      return { started, ...client(directories[at], baseUrl, key || firstRunOf(directories[at]).home.key) }
    }
    const first = await run(0, '')
    const { home, superadmin } = firstRunOf(directories[0])
    const { org } = home
    const second = await run(1, home.key)
    const running = [first, second]
    const operator = client(directories[1], await up(second.started), superadmin.key)
    const credit = async () => {
      const { status } = await operator.call('POST /v1/billing/credits', { org, amount: CREDIT, reason: 'Paid' })
      assert.equal(status, 201)
    }
    await credit()

    let [made, credits, lowest] = [0, 1, CREDIT]
    const answered = new Set<string>()
    const counts = new Map<number, number>()
    const isOver = () => made >= CALLS
    const clients = Array.from({ length: CLIENTS }, async (_, n) => {
      while (!isOver()) {
        const { call } = running[n % 2] as typeof first
        const limit = below(2) === 0 ? { max_completion_tokens: 1 + below(400) } : {}
        const body = { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hello' }], ...limit }
        const answer = await call('POST /v1/chat/completions', body).catch(() => null) // It was killed.
        if (answer === null) {
          await wait(50)
          continue
        }
        made++
        counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1)
        if (answer.status === 200) answered.add(String(answer.headers['x-request-id']))
        if (answer.status === 402 && below(8) === 0) {
          await credit()
          credits++
        }
      }
    })
    const db = openPostgres({ at: { url: external.url }, connectionsMax: 1, queueMax: 10 })
    t.after(db.close)
    const balance = async () =>
      (
        await db<{ amount: number; held: number }>`select amount, held from billing_accounts
          where org = ${org} and kind = 'balance'`
      )[0] ?? { amount: 0, held: 0 }
    const looking = (async () => {
      while (!isOver()) {
        const { amount, held } = await balance()
        lowest = Math.min(lowest, amount, amount - held)
        await wait(5)
      }
    })()
    for (let kill = 0; kill < KILLS && !isOver(); kill++) {
      await eventually(
        () => made,
        now => now > ((kill + 1) * CALLS) / (KILLS + 1),
      )
      const one = running[0] as typeof first
      one.started.child.kill('SIGKILL')
      await one.started.ended
      await one.close()
      running[0] = await run(0, home.key)
    }
    await Promise.all([...clients, looking])

    const left = await db`select from billing_holds`
    await db.autocommit`update billing_holds set expires = now() - interval '1 second'`
    await eventually(
      () => db`select from billing_holds`,
      rows => rows.length === 0,
    )
    const { amount, held } = await balance()
    const transfers = await db<{ amount: number; request: string }>`select amount, metadata->>'requestId' as request
      from billing_transfers where org = ${org} and product is not null`
    const spent = transfers.reduce((sum, one) => sum + one.amount, 0)
    assert.deepEqual([held, amount], [0, credits * CREDIT * 1_000_000 - spent])
    assert.ok(lowest >= 0 && amount >= 0, `the balance was ${lowest}`)
    const requests = new Set(transfers.map(({ request }) => request))
    assert.equal(requests.size, transfers.length, 'billed twice')
    assert.deepEqual(
      [...answered].filter(id => !requests.has(id)),
      [],
      'answered and not billed',
    )
    t.diagnostic(
      `${made} calls: ${JSON.stringify([...counts])}, ${transfers.length} billed, ${left.length} left behind`,
    )
    assert.ok((counts.get(200) ?? 0) > 1_000 && (counts.get(402) ?? 0) > 10, 'the test proved little')
    for (const { close } of [...running, operator]) await close()
  })
})
