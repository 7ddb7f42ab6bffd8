// Cases that cannot be tested within a runtime: processes that end, and refused connections.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import * as client from '../../client/stoa.ts'
import { FAULT_CODES, Fault, statusOf } from '../../src/kit/fault.ts'
import { startUnreliable } from './unreliable-server.ts'

const { createStoa, StoaApiError, StoaConnectionError } = client
const unreliable = await startUnreliable()

describe('the class of a fault', () => {
  const classes: Record<number, keyof typeof client> = {
    400: 'InvalidInputError',
    401: 'AuthenticationError',
    402: 'StoaApiError',
    403: 'PermissionError',
    404: 'NotFoundError',
    405: 'InvalidInputError',
    408: 'InvalidInputError',
    409: 'ConflictError',
    413: 'InvalidInputError',
    415: 'InvalidInputError',
    417: 'InvalidInputError',
    429: 'RateLimitError',
    431: 'InvalidInputError',
  }
  for (const code of FAULT_CODES) {
    it(code, async () => {
      const status = statusOf(code)
      const body = JSON.stringify(new Fault(code, { message: 'What to do.' }).body('req_1'))
      const fetch = async () => new Response(body, { status })
      const error = await createStoa({ baseUrl: 'https://stoa.test', fetch, retries: 0 })
        .getHealth()
        .catch(one => one)
      assert.equal(error.name, status >= 500 ? 'ServerError' : classes[status])
      assert.ok(error instanceof StoaApiError)
      const known: client.FaultCode = error.code
      assert.deepEqual([known, error.status, error.message, error.requestId], [code, status, 'What to do.', 'req_1'])
    })
  }
})

describe('a refused connection', () => {
  it('is tried again, whatever the method: the host cannot have received the request', async () => {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    await new Promise(resolve => server.close(resolve))
    let attempts = 0
    const counted: client.StoaOptions['fetch'] = (url, init) => {
      attempts++
      return fetch(url, init)
    }
    const stoa = createStoa({ baseUrl: `http://127.0.0.1:${port}`, fetch: counted })
    for (const call of [
      () => stoa.getProject({ slug: 'a' }),
      () => stoa.updateProject({ slug: 'a', name: 'A' }),
      () => stoa.resolveReference({ keys: ['a'] }),
    ]) {
      attempts = 0
      await assert.rejects(call(), error => {
        assert.ok(error instanceof StoaConnectionError)
        assert.equal(error.status, null)
        assert.match(error.message, /there was no answer: http:\/\/127\.0\.0\.1:\d+, ECONNREFUSED/)
        return true
      })
      assert.equal(attempts, 3)
    }
  })
})

describe('a process', () => {
  /** Runs a script with the client; returns what it wrote, and its exit code. */
  async function run(script: string) {
    const url = pathToFileURL(join(import.meta.dirname, '../../client/stoa.js')).href
    const source = `import * as client from ${JSON.stringify(url)}\n${script}`
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'pipe'] })
    const exit = new Promise(resolve => child.on('exit', resolve))
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { out, errors, code: await exit }
  }
  const at = (scenario: string) => {
    const prefix = `${unreliable}/${crypto.randomUUID()}/${scenario}`
    return `baseUrl: '${unreliable}', fetch: (url, init) => fetch(url.replace('${unreliable}', '${prefix}'), init)`
  }

  it('ends after its last call, long before the time-out', async () => {
    const started = performance.now()
    const { out, code } = await run(`
      const stoa = client.createStoa({ ${at('ok')}, timeoutMs: 300_000 })
      const { signal } = new AbortController()
      console.log((await stoa.getProject({ slug: 'a' }, { signal })).slug)`)
    assert.deepEqual([out, code], ['web-shop\n', 0])
    assert.ok(performance.now() - started < 200_000)
  })

  it('does not end while a call waits for its next attempt', async () => {
    const { out, code } = await run(`
      const stoa = client.createStoa({ ${at('wait-1')} })
      console.log((await stoa.getProject({ slug: 'a' })).slug)`)
    assert.deepEqual([out, code], ['web-shop\n', 0])
  })

  it('hears of an error that nobody handles, and not of one that withResponse handles', async () => {
    const stoa = `client.createStoa({ ${at('conflict')} })`
    const handled = await run(`await ${stoa}.getHealth().withResponse().catch(error => console.log(error.code))`)
    assert.deepEqual([handled.out, handled.code], ['conflict\n', 0])
    const unhandled = await run(`${stoa}.getHealth()`)
    assert.equal(unhandled.code, 1)
    assert.match(unhandled.errors, /ConflictError: conflict\./)
  })
})
