// Two thousand calls at once against the budget of a key.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { Agent, request } from 'undici'
import { CA } from '../../../test/host.ts'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'

const CALLS = 2_000
/** How many run at a time. */
const RUNNING = 100
const BUDGET = 60
const { COST, messages } = fixture
const { host, server, newOrg, balanceOf } = await fixture.startModelCalls()
const agent = new Agent({ connect: { ca: CA(), timeout: 60_000 }, connections: RUNNING })
after(() => agent.destroy())

describe('the budget of a key', () => {
  it('is exceeded by no more than the calls that run, which are all settled once', async () => {
    server.state.answer = upstream.json(upstream.chatCompletion())
    const { key: owner } = await newOrg()
    const body = { name: 'k', budget: { total: BUDGET } }
    const { key } = (await host.call('POST /v1/account/keys', { as: owner, body })).body
    const call = async () => {
      const { statusCode, body } = await request(`${host.baseUrl}/v1/chat/completions`, {
        dispatcher: agent,
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'large', messages }),
      })
      const { error } = (await body.json()) as { error?: { code: string } }
      return error ? `${statusCode} ${error.code}` : `${statusCode}`
    }
    const answers = await Promise.all(Array.from({ length: CALLS }, call))
    assert.deepEqual([...new Set(answers)].sort(), ['200', '402 key_budget'])
    const made = answers.filter(answer => answer === '200').length
    assert.ok(made * COST >= BUDGET, `${made} calls were made`)
    assert.ok(made * COST <= BUDGET + RUNNING * COST, `${made} calls were made`)
    assert.equal(Math.round(-(await balanceOf(owner)) * 10), Math.round(made * COST * 10))
    const { count, usage } = (await host.call('GET /v1/billing/usage?limit=200', { as: owner })).body
    assert.equal(count, made)
    assert.equal(new Set(usage.map((row: { transactionId: string }) => row.transactionId)).size, Math.min(made, 200))
    assert.equal(await call(), '402 key_budget')
  })
})
