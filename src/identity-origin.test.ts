import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { BlockList } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { CA, startHost } from '../test/host.ts'
import { logInto } from './host/log.ts'
import { openIdentityOrigin } from './identity-origin.ts'

const host = await startHost({ now: new Date().toISOString() })
const pem = readFileSync(join(process.env.STOA_TEST_TLS as string, 'server.pem'), 'utf8')
const trusted = new BlockList()
trusted.addAddress('127.0.0.1')
const origin = await openIdentityOrigin({
  ...{ engines: host.engines, trusted, tls: { key: pem, cert: pem }, audience: 'https://stoa.example' },
  log: logInto('error', host.clock, { write: () => {} }),
  address: { host: '127.0.0.1', port: 0 },
  issuersAt: port => new Map([['default', `https://localhost:${port}`]]),
  isVerified: async () => false,
})
await origin.register()
host.acceptSignIns(origin)
after(() => origin.drain(0))
const port = Number(new URL(origin.url).port)

type Asked = { method?: string; path?: string; headers?: Record<string, string>; body?: string; plain?: boolean }

function ask({ method = 'GET', path = '/', headers = {}, body = '', plain = false }: Asked) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, headers: { host: `localhost:${port}`, ...headers } }
    const sent = plain ? overHttp(options) : overHttps({ ...options, servername: 'localhost', ca: CA() })
    sent.on('error', reject).on('response', response => {
      let text = ''
      response.on('data', part => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.end(body)
  })
}

describe('the identity origin behind a proxy', () => {
  it('is told where somebody is by the proxy it trusts', async () => {
    const body = { email: 'bea@example.com', role: 'member' }
    assert.equal((await host.call('POST /v1/iam/invites', { body })).status, 201)
    const path = new URL(host.mails.at(-1)?.text.match(/https:\S+/)?.[0] ?? '').pathname
    const headers = { 'x-forwarded-for': '203.0.113.7', 'content-type': 'application/x-www-form-urlencoded' }
    const joined = await ask({ method: 'POST', path, headers, body: 'password=walnut-desk-twelve' })
    assert.match(joined.text, /Welcome/)
    const [latest] = (await host.call('GET /v1/iam/audit')).body.data
    assert.deepEqual([latest.what, latest.ip], ['invite.accept', '203.0.113.7'])
  })

  it('refuses what came to the proxy in plain', async () => {
    const path = '/.well-known/openid-configuration'
    for (const [headers, status] of [
      [{ 'x-forwarded-proto': 'http' }, 403],
      [{}, 403],
      [{ 'x-forwarded-proto': 'https' }, 200],
    ] as const) {
      assert.equal((await ask({ path, headers, plain: true })).status, status)
    }
  })

  it('takes a whole URL as a target, and no request without a host', async () => {
    const path = `https://localhost:${port}/.well-known/openid-configuration`
    assert.match((await ask({ path })).text, /"issuer"/)
    assert.equal((await ask({ headers: { host: 'a b' } })).status, 400)
  })
})
