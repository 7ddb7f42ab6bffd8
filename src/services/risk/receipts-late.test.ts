import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, startHost } from '../../../test/host.ts'
import { refresh, riskCalls } from '../../../test/publishers.ts'

const host = await startHost()
const { ok, sourceOf } = riskCalls(host)

const HOUR = 3_600_000
const now = () => host.clock.now().toISOString()
const given = async (...receipts: object[]): Promise<Answer['body']> =>
  ok(await refresh(host, { set: 'sanction', receipts }))
const digest = (letter: string) => letter.repeat(64)

describe('a set that is held elsewhere', () => {
  for (const [what, receipt] of [
    ['load', { version: digest('2'), keys: 11 }],
    ['load of the same version', { version: digest('1'), keys: 10 }],
    ['failure', { version: digest('2'), keys: 0, refusal: 'The list did not parse' }],
  ] as const) {
    it(`is not taken back by an older ${what}, which is told so while the others are kept`, async () => {
      const at = now()
      await given({ source: 'OFAC', version: digest('1'), keys: 10, asOf: at })
      const before = await sourceOf('sanction', 'OFAC')
      host.clock.advance(HOUR)
      const { took } = await given(
        { source: 'OFAC', ...receipt, asOf: '2020-01-01T00:00:00Z' },
        { source: 'EU', version: digest('3'), keys: 12 },
      )
      assert.match(took[0].refusal, /not so old/)
      assert.deepEqual([took[0].version, took[0].keys, took[0].wrote, took[0].unchanged], [digest('1'), 10, 0, false])
      assert.deepEqual(await sourceOf('sanction', 'OFAC'), before)
      assert.equal((await sourceOf('sanction', 'EU')).asOf, now())
      assert.ok(!(await given({ source: 'OFAC', version: digest('1'), keys: 10, asOf: at })).took[0].refusal)
    })
  }

  it('keeps a refusal as one line that can be shown, and a version of any digest', async () => {
    const refusal = ` The list\nis \u001b[31mred\u001b[0m${'!'.repeat(200)}`
    const [took] = (await given({ source: 'OFAC', refusal })).took
    assert.match(took.refusal, /^The list is \[31mred \[0m!{90,100}$/)
    assert.equal((await sourceOf('sanction', 'OFAC')).refusal, took.refusal)
    const version = 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    assert.equal((await given({ source: 'OFAC', version, keys: 5 })).took[0].version, version)
    assert.equal((await sourceOf('sanction', 'OFAC')).version, version)
  })
})
