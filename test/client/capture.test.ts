// Events of processes that end and of closed pages.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, it, mock } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createEvents } from '../../client/stoa.ts'
import { eventually } from '../eventually.ts'
import { startHost } from '../host.ts'
import { catchUp } from '../warehouse.ts'
import { NO_CHROMIUM, openChromium } from './chromium.ts'
import { node20 } from './node-20.ts'
import { startUnreliable } from './unreliable-server.ts'

const CLIENT = join(import.meta.dirname, '../../client/stoa.js')

// Its installation may take so long that a host would treat the database as unresponsive.
const older = node20()
const directory = mkdtempSync(join(tmpdir(), 'stoa-page-'))
after(() => rmSync(directory, { recursive: true }))
copyFileSync(CLIENT, join(directory, 'stoa.js'))
writeFileSync(join(directory, 'index.html'), '<!doctype html><title>Page</title>')
// Not routed by the browser's driver, which loses the requests of a closed page.
const host = await startHost({ files: [{ path: '/page', directory: pathToFileURL(`${directory}/`) }] })
const unreliable = await startUnreliable()
const made = await host.call('POST /v1/account/keys', { body: { name: 'Web', type: 'publishable' } })
const key = made.body.key as string

const stored = async (event: string) => {
  await catchUp(host)
  return host.db<{ n: string }>`select (properties::jsonb)->>'n' as n from events where event = ${event}`
}
const distinct = (rows: { n: string }[]) => new Set(rows.map(({ n }) => n)).size

/** Runs a script with `events`; returns what it wrote, its exit code and how long it took. */
async function run(options: string, script: string, node = process.execPath) {
  const source = `import { createEvents } from ${JSON.stringify(pathToFileURL(CLIENT).href)}
    const events = createEvents({ ${options} })
    ${script}`
  const started = performance.now()
  const ca = join(process.env.STOA_TEST_TLS as string, 'ca.pem')
  const child = spawn(node, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_EXTRA_CA_CERTS: ca },
  })
  const exit = new Promise(resolve => child.on('exit', resolve))
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { out, errors, code: await exit, ms: performance.now() - started }
}

const toHost = `baseUrl: '${host.baseUrl}', key: '${key}'`

describe('a process', () => {
  for (const [name, { path, skip }] of Object.entries({
    'Node 24': { path: process.execPath, skip: false },
    'Node 20': older,
  })) {
    it(`that captures 1,000 events and ends loses none, in ${name}`, { skip }, async () => {
      const event = `ends-${name}`
      const { out, errors, code } = await run(
        toHost,
        `for (let n = 0; n < 1000; n++) events.capture({ event: '${event}', properties: { n } })
         process.exitCode = 3`,
        path as string,
      )
      assert.deepEqual([out, errors, code], ['', '', 3])
      const rows = await stored(event)
      assert.deepEqual([rows.length, distinct(rows)], [1000, 1000])
    })
  }

  it('that captures again while it ends loses none either', async () => {
    const { code } = await run(
      toHost,
      `events.capture({ event: 'again', properties: { n: 1 } })
       process.once('beforeExit', () => setTimeout(() => events.capture({ event: 'again', properties: { n: 2 } }), 200))`,
    )
    assert.equal(code, 0)
    assert.equal(distinct(await stored('again')), 2)
  })

  it('whose events are sent, or that has none, ends immediately and leaves no listener', async () => {
    const { out, ms } = await run(
      `${toHost}, intervalMs: 3600000`,
      `console.log(process.listenerCount('beforeExit'))
       events.capture({ event: 'early', properties: { n: 1 } })
       console.log(process.listenerCount('beforeExit'))
       await events.flush()
       console.log(process.listenerCount('beforeExit'))`,
    )
    assert.equal(out, '0\n1\n0\n')
    assert.ok(ms < 8_000, `${ms} ms`)
  })

  it('with twenty senders has one listener, and sends the events of all of them', async () => {
    const { out, errors } = await run(
      toHost,
      `for (let n = 0; n < 20; n++) {
         createEvents({ ${toHost}, intervalMs: 3600000 }).capture({ event: 'twenty', properties: { n } })
       }
       console.log(process.listenerCount('beforeExit'))`,
    )
    assert.deepEqual([out, errors], ['1\n', ''])
    assert.equal(distinct(await stored('twenty')), 20)
  })

  it('ends after 10 seconds although no host answers, and is notified of lost events', async () => {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    await new Promise(resolve => server.close(resolve))
    const prefix = `${unreliable}/${crypto.randomUUID()}/never`
    const silent = `baseUrl: '${unreliable}', fetch: (url, init) => fetch(url.replace('${unreliable}', '${prefix}'), init)`
    const capture = "events.capture({ event: 'a' })"
    const heard =
      'onError: (error, dropped) => console.log(dropped.map(({ reason }) => reason).join() || error.message)'
    const [refused, unanswered] = await Promise.all([
      run(`baseUrl: 'http://127.0.0.1:${port}', key: 'pk-1'`, capture),
      run(`${silent}, key: 'pk-1', ${heard}`, capture),
    ])
    for (const { code, ms } of [refused, unanswered]) {
      assert.equal(code, 0)
      assert.ok(ms > 9_500 && ms < 25_000, `${ms} ms`)
    }
    assert.match(
      refused.errors,
      /stoa-client: .*ECONNREFUSED.*`npm start`.*\n.*was not sent within \d+ ms\. Events were dropped\./,
    )
    assert.match(unanswered.out, /not_confirmed/)
  })
})

describe('a host that requests a wait', () => {
  for (const wait of ['45', '999999999999', new Date(Date.now() + 1e12).toUTCString()]) {
    it(`of ${wait} is called again after at most a minute, and not before`, async () => {
      mock.timers.enable({ apis: ['setTimeout'] })
      const later = async (ms: number) => {
        for (let step = 0; step < ms; step += 100) {
          mock.timers.tick(100)
          for (let n = 0; n < 5; n++) await null
        }
        await new Promise(setImmediate)
      }
      try {
        let requests = 0
        const fetch = async () => {
          const headers = { 'retry-after': wait }
          const fault = { error: { code: 'ingest_rate', message: 'Wait.', type: 'rate_limit_error' } }
          return requests++ === 0
            ? Response.json(fault, { status: 429, headers })
            : Response.json({ accepted: 1, dropped: 0 })
        }
        const events = createEvents({ baseUrl: 'https://stoa.test', key: 'pk-1', fetch, onError: () => {} })
        events.capture({ event: 'a' })
        const early = assert.rejects(events.flush(), /was not sent within 30000 ms/)
        await later(500)
        await later(wait === '45' ? 40_000 : 55_000)
        await early
        assert.equal(requests, 1)
        const flushed = events.flush()
        await later(10_000)
        await flushed
        assert.equal(requests, 2)
      } finally {
        mock.timers.reset()
      }
    })
  }
})

describe('a page', { skip: NO_CHROMIUM }, async () => {
  if (NO_CHROMIUM) return
  const page = await openChromium()
  const capture = (event: string, count: number, more = '') =>
    page.evaluate(`(async () => {
      const { createEvents } = await import('/page/stoa.js')
      globalThis.events = createEvents({ baseUrl: location.origin, key: '${key}', intervalMs: 3600000 })
      for (let n = 0; n < ${count}; n++) events.capture({ event: '${event}', properties: { n } })
      ${more}
    })()`)

  it('that is left sends its events', async () => {
    await page.goto(`${host.baseUrl}/page/`)
    await capture('left', 49)
    await page.goto('about:blank')
    await eventually(
      () => stored('left'),
      rows => rows.length === 49,
    )
  })

  it('that is left while a request is under way sends all of them once', async () => {
    await page.goto(`${host.baseUrl}/page/`)
    await capture('under-way', 120)
    await page.goto('about:blank')
    const rows = await eventually(
      () => stored('under-way'),
      rows => rows.length === 120,
    )
    assert.equal(distinct(rows), 120)
  })

  it('that is hidden and then left sends its events in one request, and new ones in another', async () => {
    await page.goto(`${host.baseUrl}/page/`)
    const requests = await page.evaluate(`(async () => {
      const { createEvents } = await import('/page/stoa.js')
      const sent = []
      const events = createEvents({ baseUrl: location.origin, key: '${key}', intervalMs: 3600000,
        fetch: (url, init) => { sent.push(JSON.parse(init.body).batch.length); return fetch(url, init) } })
      const leave = () => {
        document.dispatchEvent(new Event('visibilitychange'))
        dispatchEvent(new Event('pagehide'))
      }
      Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
      for (let n = 0; n < 5; n++) events.capture({ event: 'twice', properties: { n } })
      leave()
      events.capture({ event: 'twice', properties: { n: 5 } })
      leave()
      return sent
    })()`)
    assert.deepEqual(requests, [5, 1])
    await eventually(
      () => stored('twice'),
      rows => rows.length === 6,
    )
  })

  it('that is hidden sends its events, and continues', async () => {
    await page.goto(`${host.baseUrl}/page/`)
    await capture(
      'hidden',
      5,
      `Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
       document.dispatchEvent(new Event('visibilitychange'))`,
    )
    await eventually(
      () => stored('hidden'),
      rows => rows.length === 5,
    )
    await page.evaluate(`events.capture({ event: 'hidden', properties: { n: 5 } }); events.flush()`)
    const rows = await stored('hidden')
    assert.deepEqual([rows.length, distinct(rows)], [6, 6])
  })
})
