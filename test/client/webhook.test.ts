// Webhooks: against the reference implementation of the Standard Webhooks specification, both ways; and with the header
// `X-Webhook-Signature`.
import assert from 'node:assert/strict'
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
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
    const { buffer } = new TextEncoder().encode(payload)
    assert.deepEqual(await verifyWebhook({ payload: buffer, headers, secret }), expected)
    const within = Buffer.from(`..${payload}..`).subarray(2, -2)
    assert.deepEqual(await verifyWebhook({ payload: within, headers, secret }), expected)
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
    await refused({ headers: signed(-305) }, /in the future/)
    await verifyWebhook({ payload, headers: signed(305), secret, toleranceS: 600 })
    await refused({ headers: signed(20), toleranceS: 10 }, /older than 10 seconds/)
  })

  it('is refused with words that say why', async () => {
    await refused({ payload: payload.replace('Zoë', 'Zoe') }, /No signature matches/)
    await refused({ headers: signed(0, `whsec_${randomBytes(32).toString('base64')}`) }, /No signature matches/)
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      await refused({ headers: { ...signed(), [name]: undefined } }, new RegExp(`\`${name}\` is missing`))
      await refused({ headers: { ...signed(), [name]: ['a', 'b'] } }, new RegExp(`\`${name}\` is missing`))
    }
    for (const time of ['yesterday', '1e3', '-5', '1.5', '9'.repeat(40)]) {
      await refused({ headers: { ...signed(), 'webhook-timestamp': time } }, /no time in seconds/)
    }
    await refused({ headers: { ...signed(), 'webhook-id': 'msg_9' } }, /No signature matches/)
    for (const none of [undefined, null]) {
      await assert.rejects(verifyWebhook({ payload, headers: none as never, secret }), /^TypeError: `headers` must be/)
    }
    await refused({ headers: { ...signed(), 'webhook-signature': 'v2,abc' } }, /no signature `v1,…`/)
    for (const bad of ['whsec_', 'whsec_%%%']) await refused({ secret: bad }, /`whsec_` and base64/)
  })

  it('is refused if its payload is not JSON, although the signature matches', async () => {
    const now = new Date()
    const headers = {
      'webhook-id': 'msg_3',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('msg_3', now, 'hello'),
    }
    await refused({ payload: 'hello', headers }, /not JSON/)
  })
})

describe('a webhook with the header X-Webhook-Signature', () => {
  /** As stripe signs: the whole text of the secret is the key, the time and the body are signed. */
  const sign = (seconds: number | string, key = secret) =>
    createHmac('sha256', key).update(`${seconds}.${payload}`).digest('hex')
  const header = (value: string) => ({ 'x-webhook-signature': value, 'x-webhook-delivery': randomUUID() })
  const headersAt = (seconds: number) => header(`t=${seconds},v1=${sign(seconds)}`)

  it('is accepted, also with a signature of another secret', async () => {
    const [now, wrong] = [nowS(), sign(nowS(), 'whsec_other')]
    for (const headers of [
      headersAt(now),
      new Headers(headersAt(now)),
      header(`t=${now},v1=${wrong},v1=${sign(now)}`),
      header(`t=${now},v1=${sign(now)},v1=${wrong}`),
      header(`t=${now},v0=abc,v1=xyz,v1=${sign(now)}`),
    ]) {
      assert.deepEqual(await verifyWebhook({ payload, headers, secret }), JSON.parse(payload))
    }
  })

  it('is refused with words that say why', async () => {
    const now = nowS()
    for (const one of [sign(now, 'whsec_other'), sign(now + 1), sign(now).slice(2), '', 'xyz']) {
      await refused({ headers: header(`t=${now},v1=${one}`) }, /No signature matches/)
    }
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const decoded = createHmac('sha256', key).update(`${now}.${payload}`).digest('hex')
    await refused({ headers: header(`t=${now},v1=${decoded}`) }, /No signature matches/)
    await refused({ headers: headersAt(now), payload: `${payload} ` }, /No signature matches/)
    await refused({ headers: header(`t=${now},v0=${sign(now)}`) }, /no signature `v1=…`/)
    for (const times of ['', 't=,', 't=1e3,', `t=${now},t=${now},`]) {
      await refused({ headers: header(`${times}v1=${sign(now)}`) }, /no time in seconds/)
    }
    await refused({ headers: headersAt(now - 305) }, /older than 300 seconds/)
    await refused({ headers: headersAt(now + 305) }, /in the future/)
    await verifyWebhook({ payload, headers: headersAt(now - 305), secret, toleranceS: 600 })
  })

  it('is verified by the Standard Webhooks headers if it has both', async () => {
    const both = { ...headersAt(nowS()), ...signed() }
    await verifyWebhook({ payload, headers: { ...both, 'x-webhook-signature': 'wrong' }, secret })
    await refused({ headers: { ...both, 'webhook-signature': `v1,${btoa('wrong')}` } }, /No signature matches/)
    await refused({ headers: { ...both, 'webhook-signature': '' } }, /`webhook-signature` is missing/)
  })
})

describe('the arguments of verifyWebhook', () => {
  it('are checked before the webhook', async () => {
    const wrong = (webhook: object, message: RegExp) =>
      assert.rejects(verifyWebhook({ payload, headers: signed(1e6), secret, ...webhook }), error => {
        assert.ok(error instanceof TypeError)
        assert.match(error.message, message)
        return true
      })
    for (const toleranceS of [Number.NaN, Number.POSITIVE_INFINITY, -1, '300', null]) {
      await wrong({ toleranceS }, /`toleranceS` must be a number/)
    }
    for (const one of [undefined, null, { type: 'a' }, 1, [1]])
      await wrong({ payload: one }, /`payload` must be the body/)
    for (const one of [undefined, null, '', 1, Buffer.from(secret)])
      await wrong({ secret: one }, /`secret` must be a string/)
  })
})
