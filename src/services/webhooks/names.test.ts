// Names of endpoints, whose addresses change, are private, or that nobody answers for.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startNameServer } from '../../../test/name-server.ts'
import { arrived, ended, type Row, startWebhooks } from '../../../test/webhook-world.ts'

const PUBLIC = '93.184.215.14'
const NOT_PUBLIC = 'Its address is not public, and not in STOA_OUTBOUND_ALLOW.'
const server = await startNameServer()
after(server.close)
const { newEndpoint, host, receiver, answerWith } = await startWebhooks({ dns: [server.address] })
const create = (name: string) => host.call('POST /v1/webhooks', { body: { url: `https://${name}/` } })

describe('the name of an endpoint', () => {
  const refused = {
    'private.example.com': { A: ['10.0.0.1'] },
    'mixed.example.com': { A: [PUBLIC, '192.168.0.1'] },
    'mapped.example.com': { AAAA: ['::ffff:127.0.0.2'] },
    'nat64.example.com': { AAAA: ['64:ff9b::a00:1'] },
    '6to4.example.com': { AAAA: ['2002:a00:1::1'] },
    'both.example.com': { A: [PUBLIC], AAAA: ['fd00::1'] },
    'zero.example.com': { A: ['0.0.0.0'] },
    'metadata.example.com': { A: ['169.254.169.254'] },
  }
  for (const [name, records] of Object.entries(refused)) {
    it(`must not stand for ${Object.values(records).flat().join(', ')}`, async () => {
      server.names.set(name, records)
      const made = await create(name)
      assert.deepEqual([made.status, made.body.error?.param], [400, 'url'])
    })
  }

  it('may be one that has no address yet', async () => {
    assert.equal((await create('missing.example.com')).status, 201)
  })

  it('is looked up again for each connection, and its address is checked then', async () => {
    server.names.set('rebound.example.com', { A: [PUBLIC] })
    const { send, rows, call, path, key } = await newEndpoint({ url: 'https://rebound.example.com/' })
    server.names.set('rebound.example.com', { A: ['10.0.0.1'] })
    await send()
    assert.equal(((await ended(rows, 'retrying'))[0] as Row).error, NOT_PUBLIC)
    assert.deepEqual((await call('/test')).body.error, NOT_PUBLIC)
    const patched = await host.call(`PATCH ${path}`, { as: key, body: { url: 'https://rebound.example.com/other' } })
    assert.equal(patched.status, 400)
  })

  it('that does not exist, or whose servers fail, is a failure that says so', async () => {
    server.names.set('broken.example.com', 'SERVFAIL')
    for (const [name, says] of [
      ['missing.example.com', 'has no address'],
      ['broken.example.com', 'could not be looked up: ESERVFAIL'],
    ]) {
      const { send, rows } = await newEndpoint({ url: `https://${name}/` })
      await send()
      const [{ error }] = (await ended(rows, 'retrying')) as [Row]
      assert.equal(error, `It could not be reached: ${name} ${says}.`)
    }
  })

  it('that nobody answers for delays no other', async () => {
    answerWith(200)
    const silent = await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        server.names.set(`silent-${n}.example.com`, 'silence')
        return newEndpoint({ url: `https://silent-${n}.example.com/` })
      }),
    )
    const named = await newEndpoint({ url: `https://receiver.example.com:${receiver.port}/named` })
    server.names.set('receiver.example.com', { A: ['127.0.0.1'] })
    const other = await newEndpoint()
    for (const one of silent) await one.send()
    await Promise.all([named.send(), other.send()])
    await arrived(other.received, 1)
    // Its certificate is of another name, which is known only after its own name has been looked up.
    const [{ error }] = (await ended(named.rows, 'retrying')) as [Row]
    assert.match(error ?? '', /ERR_TLS_CERT_ALTNAME_INVALID/)
    const endMs = ({ created, durationMs }: Row) => Date.parse(created) + durationMs
    const [last] = (await ended(silent.at(-1)?.rows as typeof other.rows, 'retrying')) as [Row]
    assert.equal(last.error, 'It could not be reached: silent-19.example.com could not be looked up: ETIMEOUT.')
    assert.ok(endMs((await ended(other.rows, 'ok'))[0] as Row) < endMs(last))
  })
})
