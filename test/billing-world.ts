// A host where a specimen service costs money, and what tests of billing do there.
import assert from 'node:assert/strict'
import { Agent, request } from 'undici'
import * as store from '../src/services/billing/store.ts'
import { services } from '../src/services/index.ts'
import { eventually } from './eventually.ts'
import { CA, startHost } from './host.ts'
import { specimen } from './specimen.ts'

export const all = [...services, specimen]
export const CENT = 1_000_000

type Host = Awaited<ReturnType<typeof startHost>>

export async function openBillingWorld() {
  const host = await startHost({ services: all })
  let made = 0
  return {
    host,
    newOrg: () => host.organisation(`org-${made++}`),
    spend: (as: string, cents: number, more: object = {}, headers = {}, on: Host = host) =>
      on.call('POST /v1/specimen/spend', { as, headers, body: { units: Math.round(cents * CENT), ...more } }),
    balanceOf: async (as: string, on: Host = host) => (await on.call('GET /v1/billing/balance', { as })).body,
    credit: (org: string, amount: number, on: Host = host) =>
      on.call('POST /v1/billing/credits', { as: on.admin.key, body: { org, amount, reason: 'Paid' } }),
    isBalanced: async (on: Host = host) => {
      assert.equal(await store.sumAccounts(on.db), 0)
      assert.deepEqual([...(await store.selectUnbalanced(on.db))], [])
      assert.equal(await store.sumHeld(on.db), 0)
    },
  }
}

export const until = (isTrue: () => Promise<boolean>) => eventually(isTrue, Boolean)

/** Holds 3 cents until the signal is aborted. */
export async function holdMoney(on: Host, key: string, signal: AbortSignal): Promise<void> {
  const dispatcher = new Agent({ connect: { ca: CA() } })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const sent = { method: 'POST', headers, body: '{"ms":60000}', dispatcher, signal } as const
  await request(`${on.baseUrl}/v1/specimen/hold`, sent).catch(() => {})
  await dispatcher.destroy()
}
