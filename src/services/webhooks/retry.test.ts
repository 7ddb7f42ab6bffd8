// Deliveries of endpoints that want to be tried for longer. The clock of the host goes ahead by days, so that its signatures
// are not valid here.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../../test/eventually.ts'
import { arrived, deliveryIn, ended, type Row, startWebhooks } from '../../../test/webhook-world.ts'

const { host, newEndpoint, answerWith } = await startWebhooks()

describe('a delivery that fails', () => {
  it('of an endpoint with long retries goes on for a day and a half, with the same id', async () => {
    const { received, send, rows, call } = await newEndpoint({ retry: 'long' })
    answerWith(503)
    await send()
    const [MIN, HOUR] = [60_000, 3_600_000]
    const pauses = [1_000, 5_000, 5 * MIN, 30 * MIN, 2 * HOUR, 8 * HOUR, 24 * HOUR]
    for (const [at, pauseMs] of pauses.entries()) {
      await eventually(rows, all => all.length === at + 1 && all[0]?.status === 'retrying')
      host.clock.advance(pauseMs - 500)
      await new Promise(resolve => setTimeout(resolve, 50))
      assert.equal(received().length, at + 1, 'too early')
      host.clock.advance(500)
      await arrived(received, at + 2)
    }
    const [last] = (await ended(rows, 'failed')) as [Row]
    assert.equal(last.attempt, 8)
    assert.equal(new Set(received().map(deliveryIn)).size, 1)
    assert.equal((await call(`/deliveries/${last.delivery}/resend`)).status, 202)
    await arrived(received, 9)
    await eventually(rows, ([first]) => first?.attempt === 1 && first.status === 'retrying')
  })
})
