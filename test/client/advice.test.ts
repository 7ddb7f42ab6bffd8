// Errors in addresses, certificates and arguments: each message says what to do.
import assert from 'node:assert/strict'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { after, describe, it } from 'node:test'
import * as client from '../../client/stoa.ts'
import { startHost } from '../host.ts'

const { createEvents, createStoa } = client
const host = await startHost()

async function errorOf(baseUrl: string, more: Partial<client.StoaOptions> = {}): Promise<Error> {
  const error = await createStoa({ baseUrl, retries: 0, ...more })
    .getHealth()
    .catch(one => one)
  assert.ok(error instanceof client.StoaError, String(error))
  return error
}

/** The error of Node's `fetch` for this code. */
const failing = (code: string): client.StoaOptions['fetch'] => {
  return async () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
  }
}

/** A server of another product; returns its URL. */
async function serve(status: number, type: string, body: string): Promise<string> {
  const server = createHttpServer((_, response) => response.writeHead(status, { 'content-type': type }).end(body))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

describe('a certificate', () => {
  const advice = /NODE_EXTRA_CA_CERTS=data\/tls\/ca\.pem/

  it('of an unknown authority: the error names NODE_EXTRA_CA_CERTS', async () => {
    let attempts = 0
    const counted: client.StoaOptions['fetch'] = (url, init) => {
      attempts++
      return fetch(url, init)
    }
    const error = await errorOf(host.baseUrl, { fetch: counted, retries: 2 })
    assert.match(error.message, advice)
    assert.match(error.message, /Start Node with/)
    assert.ok(error.message.includes(host.baseUrl), error.message)
    assert.equal(attempts, 1, 'another attempt would fail in the same way')
    for (const code of [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
    ]) {
      assert.match((await errorOf('https://stoa.test', { fetch: failing(code) })).message, advice, code)
    }
  })

  it('of an unknown authority: events report it immediately, and are kept', async () => {
    const heard: string[] = []
    const events = createEvents({
      baseUrl: host.baseUrl,
      key: 'pk-1',
      intervalMs: 0,
      onError: ({ message }, dropped) => heard.push(`${message} ${dropped.map(({ reason }) => reason)}`),
    })
    events.capture({ event: 'a' })
    await assert.rejects(events.flush({ timeoutMs: 1000 }), /1 event was not sent/)
    assert.equal(heard.length, 1)
    assert.match(heard[0] as string, advice)
    await events.close({ timeoutMs: 0 })
    assert.match(heard[1] as string, /not_confirmed$/)
  })

  it('of another name, or an expired one: the error says so', async () => {
    for (const [code, words] of [
      ['ERR_TLS_CERT_ALTNAME_INVALID', /is for another name/],
      ['CERT_HAS_EXPIRED', /has expired/],
    ] as const) {
      assert.match((await errorOf('https://stoa.test', { fetch: failing(code) })).message, words)
    }
  })
})

describe('an address', () => {
  it('where nothing listens: the error names it, and npm start', async () => {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    await new Promise(resolve => server.close(resolve))
    const { message } = await errorOf(`http://127.0.0.1:${port}`)
    assert.match(
      message,
      new RegExp(`http://127\\.0\\.0\\.1:${port}, ECONNREFUSED\\. No server is listening there.*\`npm start\``),
    )
  })

  it('whose name does not exist: the error says so', async () => {
    const { message } = await errorOf('https://stoa.test', { fetch: failing('ENOTFOUND') })
    assert.match(message, /The host name does not exist: correct it in `baseUrl`/)
  })

  it('with http instead of https: the host says so', async () => {
    const error = await errorOf(host.baseUrl.replace('https:', 'http:'))
    assert.ok(error instanceof client.PermissionError)
    assert.match(error.message, /Use https\./)
  })

  it('with https instead of http: the error says to check the port', async () => {
    const url = (await serve(200, 'text/html', '')).replace('http:', 'https:')
    assert.match((await errorOf(url)).message, /does not use TLS: check the port in `baseUrl`/)
  })

  it('with a path is refused, and the error shows the right form', () => {
    for (const path of ['/v1', '/v1/', '/api', '/v1/projects']) {
      const make = () => createStoa({ baseUrl: `https://localhost:8443${path}` })
      assert.throws(make, { name: 'TypeError', message: /write `baseUrl: 'https:\/\/localhost:8443'`/ })
      assert.throws(() => createEvents({ baseUrl: `https://localhost:8443${path}`, key: 'pk-1' }), /write `baseUrl: /)
    }
    for (const baseUrl of ['https://localhost:8443', 'https://localhost:8443/']) createStoa({ baseUrl })
    assert.throws(() => createStoa('https://localhost:8443' as never), /one object with named options/)
    assert.throws(() => createStoa(undefined as never), /one object with named options/)
  })
})

describe('a foreign server', () => {
  const page = `<!doctype html>\n<title>Welcome to nginx!</title>${' '.repeat(200)}`
  const rows: [what: string, status: number, type: string, body: string, begin: string][] = [
    ['a page', 200, 'text/html', page, '<!doctype html> <title>Welcome to nginx!</title>'],
    ['a page for what is missing', 404, 'text/html; charset=utf-8', page, '<!doctype html> <title>'],
    ['a proxy without a server behind it', 502, 'text/html', '<html>Bad Gateway', '<html>Bad Gateway'],
    ['JSON of something else', 404, 'application/json', '{"message":"no Route matched"}', '{"message":"no Route'],
    ['a text', 401, 'text/plain', 'Unauthorized', 'Unauthorized'],
  ]
  for (const [what, status, type, body, begin] of rows) {
    it(`${what}: the error has the status and the start of the answer`, async () => {
      const url = await serve(status, type, body)
      const error = await errorOf(url)
      assert.ok(error instanceof client.StoaConnectionError)
      assert.equal(error.status, status)
      for (const part of [
        `(${status} `,
        type.split(';')[0] as string,
        url,
        `It starts with: ${begin}`,
        'a proxy in between',
      ]) {
        assert.ok(error.message.includes(part), `${part}: ${error.message}`)
      }
      assert.match(error.message, /`baseUrl` is not the address of one/)
      assert.ok(error.message.length < 400, error.message)
    })
  }
})

describe('an option that does not exist', () => {
  it('is refused with those that do', () => {
    const wrong = { baseUrl: 'https://stoa.test', apiKey: 'sk-1' } as never
    const message = /^TypeError: There is no option `apiKey`. There are: baseUrl, key, session,.*, onError\.$/
    assert.throws(() => createStoa(wrong), message)
    assert.throws(() => createEvents(wrong), message)
  })
})

describe('a field of the path', () => {
  it('that is missing is named', async () => {
    const stoa = createStoa({ baseUrl: 'https://stoa.test', key: 'sk-1' })
    await assert.rejects(async () => stoa.getProject({} as never), /^TypeError: `slug` is missing\.$/)
  })
})

describe('an argument that is not an object', () => {
  const stoa = createStoa({ baseUrl: 'https://stoa.test', fetch: () => assert.fail('nothing is sent') })
  const wrong = stoa as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>

  it('is refused with the form to write', async () => {
    for (const [name, args, shown] of [
      ['getProject', ['VERYSECRET'], "stoa.getProject({ slug: '…' })"],
      ['verifyDomain', ['VERYSECRET', 'example.com'], "stoa.verifyDomain({ slug: '…', host: '…' })"],
      ['createProject', ['VERYSECRET', 'Shop'], 'stoa.createProject({ … })'],
      ['listProjects', [10], 'stoa.listProjects({ … })'],
      ['getProject', [null], "stoa.getProject({ slug: '…' })"],
      ['getProject', [['VERYSECRET']], "stoa.getProject({ slug: '…' })"],
      ['createChatCompletion', ['VERYSECRET'], 'stoa.createChatCompletion({ … })'],
      ['getUsageSummaryCsv', ['VERYSECRET'], 'stoa.getUsageSummaryCsv({ … })'],
    ] as const) {
      await assert.rejects((wrong[name] as (...args: unknown[]) => Promise<unknown>)(...args), error => {
        assert.ok(error instanceof TypeError, String(error))
        assert.ok(error.message.includes(`\`${shown}\``), error.message)
        assert.ok(!error.message.includes('VERYSECRET'))
        return true
      })
    }
    await assert.rejects(async () => {
      for await (const _ of stoa.listProjectsAll('a' as never)) assert.fail()
    }, /stoa\.listProjectsAll\(\{ … \}\)/)
  })
})

describe('a publishable key', () => {
  it('is refused for calls, and the error says what the key is for', () => {
    assert.throws(
      () => createStoa({ baseUrl: 'https://stoa.test', key: 'pk-VERYSECRET' }),
      error => {
        assert.match(String(error), /can only send events: `createEvents\(\{ baseUrl, key \}\)`/)
        return !String(error).includes('VERYSECRET')
      },
    )
  })
})
