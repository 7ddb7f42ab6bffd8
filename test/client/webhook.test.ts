// Webhooks against the reference implementation of the Standard Webhooks specification, both ways.
import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { StoaError, verifyWebhook, WebhookVerificationError } from '../../client/stoa.ts'

const secret = `whsec_${randomBytes(32).toString('base64')}`
const payload = '{ "type": "event.signed_up", "name": "Zoë" }'
const nowS = () => Math.floor(Date.now() / 1000)

/** The headers of a webhook that the reference implementation signed. */
function signed(ageS = 0, by = secret) {
  const seconds = nowS() - ageS
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(seconds),
    'webhook-signature': new Webhook(by).sign('msg_1', new Date(seconds * 1000), payload),
  }
}

const refused = (webhook: Partial<Parameters<typeof verifyWebhook>[0]>, message: RegExp) =>
  assert.rejects(verifyWebhook({ payload, headers: signed(), secret, ...webhook }), error => {
    assert.ok(error instanceof WebhookVerificationError && error instanceof StoaError)
    assert.match(error.message, message)
    return true
  })

describe('a webhook', () => {
  it('that the reference implementation signed is accepted', async () => {
    const expected = { type: 'event.signed_up', name: 'Zoë' }
    const headers = signed()
    assert.deepEqual(await verifyWebhook({ payload, headers, secret }), expected)
    assert.deepEqual(await verifyWebhook({ payload, headers: new Headers(headers), secret }), expected)
    assert.deepEqual(await verifyWebhook({ payload: new TextEncoder().encode(payload), headers, secret }), expected)
    assert.deepEqual(await verifyWebhook({ payload, headers, secret: secret.slice('whsec_'.length) }), expected)
  })

  it('is accepted by both, or by neither', async () => {
    const [id, at] = ['msg_2', String(nowS())]
    const sign = (key: Buffer, text: string) => createHmac('sha256', key).update(`${id}.${at}.${text}`).digest('base64')
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const right = `v1,${sign(key, payload)}`
    const wrong = `v1,${sign(randomBytes(32), payload)}`
    const accepted = [right, `${wrong} ${right}`, `${right} ${wrong}`, `v1a,xyz v2,abc ${right}`, `v1,%%% ${right}`]
    const rejected = [wrong, `v2,${right.slice(3)}`, `v1,${sign(key, `${payload} `)}`, right.slice(0, -8), 'v1,']
    for (const [signatures, isAccepted] of [
      ...accepted.map(one => [one, true] as const),
      ...rejected.map(one => [one, false] as const),
    ]) {
      const headers = { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures }
      const ours = await verifyWebhook({ payload, headers, secret }).then(
        () => true,
        () => false,
      )
      assert.equal(ours, isAccepted, `the client: ${signatures}`)
      if (signatures.includes('%%%')) continue // The reference implementation fails on it.
      const theirs = () => new Webhook(secret).verify(payload, headers)
      if (isAccepted) theirs()
      else assert.throws(theirs, `the reference implementation: ${signatures}`)
    }
  })

  it('is refused if it is older or newer than the tolerance', async () => {
    await verifyWebhook({ payload, headers: signed(295), secret })
    await verifyWebhook({ payload, headers: signed(-295), secret })
    await refused({ headers: signed(305) }, /older than 300 seconds/)
    await refused({ headers: signed(-305) }, /from the future/)
    await verifyWebhook({ payload, headers: signed(305), secret, toleranceS: 600 })
    await refused({ headers: signed(20), toleranceS: 10 }, /older than 10 seconds/)
  })

  it('is refused with words that say why', async () => {
    await refused({ payload: payload.replace('Zoë', 'Zoe') }, /No signature fits/)
    await refused({ headers: signed(0, `whsec_${randomBytes(32).toString('base64')}`) }, /No signature fits/)
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      await refused({ headers: { ...signed(), [name]: undefined } }, new RegExp(`\`${name}\` is missing`))
      await refused({ headers: { ...signed(), [name]: ['a', 'b'] } }, new RegExp(`\`${name}\` is missing`))
    }
    for (const time of ['yesterday', '1e3', '-5', '1.5', '9'.repeat(40)]) {
      await refused({ headers: { ...signed(), 'webhook-timestamp': time } }, /no time in seconds/)
    }
    await refused({ headers: { ...signed(), 'webhook-id': 'msg_9' } }, /No signature fits/)
    await refused({ headers: { ...signed(), 'webhook-signature': 'v2,abc' } }, /no signature `v1,…`/)
    for (const bad of ['', 'whsec_', 'whsec_%%%']) await refused({ secret: bad }, /`whsec_` and base64/)
  })

  it('is refused if its payload is no JSON, although the signature fits', async () => {
    const now = new Date()
    const headers = {
      'webhook-id': 'msg_3',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('msg_3', now, 'hello'),
    }
    await refused({ payload: 'hello', headers }, /no JSON/)
  })
})
