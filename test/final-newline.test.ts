// JSON answers end with a newline, also those that are not written by the host itself.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startHost } from './host.ts'
import { startIdentity } from './identity.ts'

const host = await startHost()
const identity = await startIdentity(host)

const message = (method: string) => ({ jsonrpc: '2.0', id: 1, method })
const CALLS: [route: string, body?: unknown][] = [
  ['GET /v1'],
  ['GET /v1/openapi.json'],
  ['GET /v1/nothing'],
  ['POST /v1/mcp', message('tools/list')],
  ['POST /v1/mcp', message('nothing')],
  ['POST /v1/mcp', [message('ping'), message('ping')]],
  ['POST /v1/embeddings', { model: 'local-embed-en', input: 'a text' }],
  ['POST /v1/event', { event: 'x' }],
  ['POST /v1/event/posthog/flags/?v=2', { distinct_id: 'u' }],
]
for (const [route, body] of CALLS) {
  const sent = body === undefined ? '' : ` ${JSON.stringify(body)}`
  it(`${route}${sent}`, async () => {
    const { text } = await host.call(route as 'GET /v1', { body })
    assertEndsWithNewline(text)
  })
}

for (const path of [
  '/.well-known/openid-configuration',
  '/v1/iam/.well-known/jwks',
  '/v1/iam/oauth/userinfo',
  '/v1/iam/oauth/token',
]) {
  it(path, async () => {
    const response = await identity.fetch(identity.issuer + path, path.endsWith('token') ? { method: 'POST' } : {})
    assert.match(response.headers.get('content-type') ?? '', /json/)
    assertEndsWithNewline(await response.text())
  })
}

function assertEndsWithNewline(text: string): void {
  assert.match(text, /[}\]]\n$/)
  JSON.parse(text)
}
