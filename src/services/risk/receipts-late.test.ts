import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, startHost } from '../../../test/host.ts'
import { refresh, riskCalls } from '../../../test/publishers.ts'

const host = await startHost()
const { ok, sourceOf } = riskCalls(host)

const HOUR = 3_600_000
const now = () => host.clock.now().toISOString()
const sendReceipts = async (...receipts: object[]): Promise<Answer['body']> =>
  ok(await refresh(host, { set: 'sanction', receipts }))
const digest = (letter: string) => letter.repeat(64)

describe('a set that is stored elsewhere', () => {
  for (const [what, receipt] of [
    ['load', { version: digest('2'), keys: 11 }],
    ['load of the same version', { version: digest('1'), keys: 10 }],
    ['failure', { version: digest('2'), keys: 0, refusal: 'The list did not parse' }],
  ] as const) {
    it(`rejects an older ${what} and stores the other receipts`, async () => {
      const at = now()
      await sendReceipts({ source: 'OFAC', version: digest('1'), keys: 10, asOf: at })
      const before = await sourceOf('sanction', 'OFAC')
      host.clock.advance(HOUR)
      const { took } = await sendReceipts(
        { source: 'OFAC', ...receipt, asOf: '2020-01-01T00:00:00Z' },
        { source: 'EU', version: digest('3'), keys: 12 },
      )
      assert.match(took[0].refusal, /newer load/)
      assert.deepEqual([took[0].version, took[0].keys, took[0].wrote, took[0].unchanged], [digest('1'), 10, 0, false])
      assert.deepEqual(await sourceOf('sanction', 'OFAC'), before)
      assert.equal((await sourceOf('sanction', 'EU')).asOf, now())
      assert.ok(!(await sendReceipts({ source: 'OFAC', version: digest('1'), keys: 10, asOf: at })).took[0].refusal)
    })
  }

  it('stores a refusal as one printable line, and a version in any digest format', async () => {
    const refusal = ` The list\nis \u001b[31mred\u001b[0m${'!'.repeat(200)}`
    const [result] = (await sendReceipts({ source: 'OFAC', refusal })).took
    assert.match(result.refusal, /^The list is \[31mred \[0m!{90,100}$/)
    assert.equal((await sourceOf('sanction', 'OFAC')).refusal, result.refusal)
    const version = 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    assert.equal((await sendReceipts({ source: 'OFAC', version, keys: 5 })).took[0].version, version)
    assert.equal((await sourceOf('sanction', 'OFAC')).version, version)
  })
})
