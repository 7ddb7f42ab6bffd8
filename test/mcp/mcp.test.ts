// The MCP endpoint with common clients: both versions of the official SDK, the Inspector's command line, and the scenarios
// of the conformance suite.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Agent, fetch as undiciFetch } from 'undici'
import { CA, startHost, type TestHost } from '../host.ts'
import { addPerson, startIdentity } from '../identity.ts'
import { installPackages } from '../packages.ts'

const { directory, skip } = installPackages(new URL('./', import.meta.url))
const within = (path: string) => join(directory, 'node_modules/@modelcontextprotocol', path)
// biome-ignore lint/suspicious/noExplicitAny: these packages are not dependencies, so there are no types of them here
const load = (path: string): Promise<any> => import(pathToFileURL(within(path)).href)

const agent = new Agent({ connect: { ca: CA() } })
after(() => agent.destroy())
const fetch = (url: string | URL, init: object = {}) => undiciFetch(url, { ...init, dispatcher: agent } as never)

describe('clients of the tool door', { skip }, async () => {
  if (skip) return
  const host = await startHost({ now: 'real' })
  const url = new URL(`${host.baseUrl}/v1/mcp`)
  await host.call('POST /v1/projects', { body: { slug: 'shop', name: 'Shop' } })
  const requestInit = { headers: { authorization: `Bearer ${host.home.key}` } }

  /** Lists the tools, calls one that succeeds and one that does not. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  async function listAndCall(client: any): Promise<void> {
    const { tools } = await client.listTools()
    assert.ok(tools.length > 30)
    const found = await client.callTool({ name: 'get_v1_projects', arguments: { limit: 1 } })
    assert.deepEqual(found.structuredContent.data[0].slug, 'shop')
    const refused = await client.callTool({ name: 'post_v1_projects', arguments: { slug: 'shop', name: 'Shop' } })
    assert.equal(refused.isError, true)
    assert.match(refused.content[0].text, /^conflict: /)
    await client.close()
  }

  it('of version 1 of the SDK list and call', async () => {
    const { Client } = await load('sdk/dist/esm/client/index.js')
    const { StreamableHTTPClientTransport } = await load('sdk/dist/esm/client/streamableHttp.js')
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(url, { fetch, requestInit }))
    await listAndCall(client)
  })

  for (const [what, options] of [
    ['with a handshake', {}],
    ['without one', { versionNegotiation: { mode: 'auto' } }],
  ] as const) {
    it(`of version 2 of the SDK list and call, ${what}`, async () => {
      const { Client, StreamableHTTPClientTransport } = await load('client/dist/index.mjs')
      const client = new Client({ name: 'test', version: '1' }, options)
      await client.connect(new StreamableHTTPClientTransport(url, { fetch, requestInit }))
      await listAndCall(client)
    })
  }

  it('sign a person in through our provider, with an app that an admin registered', async () => {
    const identity = await startIdentity(host, { audience: host.baseUrl })
    const person = await addPerson(host, 'ada@home.test')
    const redirectUrl = 'http://localhost:33418/callback'
    const app = { app: 'desk', type: 'public', people: 'team', redirectUris: [redirectUrl] }
    const { id } = (await host.call('POST /v1/iam/apps', { body: app })).body
    const { auth } = await load('sdk/dist/esm/client/auth.js')
    const provider = signInWith(id, redirectUrl)
    assert.equal(await auth(provider, { serverUrl: url, fetchFn: fetch }), 'REDIRECT')
    const browser = identity.browser()
    const back = await browser.submit(await browser.go(provider.sentTo?.href ?? ''), person)
    const code = new URL(back.url).searchParams.get('code')
    assert.ok(back.url.startsWith(redirectUrl) && code, back.text)
    assert.equal(await auth(provider, { serverUrl: url, authorizationCode: code, fetchFn: fetch }), 'AUTHORIZED')

    const { Client } = await load('sdk/dist/esm/client/index.js')
    const { StreamableHTTPClientTransport } = await load('sdk/dist/esm/client/streamableHttp.js')
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(url, { fetch, authProvider: provider }))
    const { structuredContent } = await client.callTool({ name: 'get_v1_iam_me', arguments: {} })
    assert.deepEqual([structuredContent.email, structuredContent.role], ['ada@home.test', 'member'])
    await client.close()
  })

  it('on the command line of the Inspector list and call', async () => {
    const cli = async (...given: string[]) => {
      const header = ['--header', `Authorization: Bearer ${host.home.key}`]
      const inspector = within('inspector/clients/launcher/build/index.js')
      const { code, text, output } = await run(inspector, [
        '--cli',
        url.href,
        '--transport',
        'http',
        ...header,
        ...given,
      ])
      assert.equal(code, 0, text)
      return JSON.parse(output)
    }
    const { tools } = await cli('--method', 'tools/list')
    assert.ok(tools.length > 30)
    const called = await cli('--method', 'tools/call', '--tool-name', 'get_v1_projects', '--tool-arg', 'limit=1')
    assert.equal(called.structuredContent.data[0].slug, 'shop')
  })
})

/** What the SDK keeps while a person signs in. */
function signInWith(clientId: string, redirectUrl: string) {
  const kept: { tokens?: object; verifier?: string } = {}
  return {
    sentTo: null as URL | null,
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
    clientInformation: () => ({ client_id: clientId }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: object) => {
      kept.tokens = tokens
    },
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier
    },
    redirectToAuthorization(to: URL) {
      this.sentTo = to
    },
  }
}

/** Checks that need tools made for the suite, which no product has. */
const NEED_TEST_TOOLS = [
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
]

const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'server-stateless',
  'caching',
  'http-header-validation',
  'dns-rebinding-protection',
]

describe('the conformance suite', { skip }, async () => {
  if (skip) return
  const front = await plainFront()
  for (const scenario of SCENARIOS) {
    it(`finds no fault in ${scenario}`, async () => {
      const suite = within('conformance/dist/index.js')
      const { text } = await run(suite, ['server', '--url', `${front}/v1/mcp`, '--scenario', scenario])
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the suite colours its output
      const plain = text.replace(/\u001b\[\d+m/g, '')
      const checks = [...plain.matchAll(/\[([\w-]+) *\] (SUCCESS|FAILURE|WARNING)/g)]
      assert.ok(
        checks.some(([, , outcome]) => outcome === 'SUCCESS'),
        plain,
      )
      const failed = checks.filter(([, , outcome]) => outcome !== 'SUCCESS').map(([, name]) => name as string)
      const unexpected = failed.filter(name => !NEED_TEST_TOOLS.includes(name))
      assert.deepEqual(unexpected, [], plain)
    })
  }
})

/** The suite sends some requests over plain http, which the host refuses: a front that forwards them over https. */
async function plainFront(): Promise<string> {
  const started: { host?: TestHost } = {}
  const server = createServer((request, response) => {
    const { host } = started
    if (!host) return void response.destroy()
    const { method = '', url = '', headers } = request
    const authorization = `Bearer ${host.home.key}`
    const to = { method, path: url, headers: { ...headers, authorization }, ca: CA(), servername: 'localhost' }
    const forwarded = httpsRequest(`${host.baseUrl}${url}`, to, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    request.pipe(forwarded)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const front = `http://localhost:${(server.address() as AddressInfo).port}`
  started.host = await startHost({ now: 'real', ownOrigins: [front] })
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return front
}

async function run(program: string, args: string[]): Promise<{ code: number | null; text: string; output: string }> {
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(process.env.STOA_TEST_TLS as string, 'ca.pem') }
  const child = spawn(process.execPath, [program, ...args], { env, cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] })
  let [text, output] = ['', '']
  child.stdout.on('data', chunk => {
    output += chunk
    text += chunk
  })
  child.stderr.on('data', chunk => {
    text += chunk
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000)
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  clearTimeout(timer)
  return { code, text, output }
}
