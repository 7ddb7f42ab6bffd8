// Runs the suite in Node 24, Node 20 and Chromium, against a real host and a server that fails.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { sectionsOf } from '../../src/host/host.ts'
import { services } from '../../src/services/index.ts'
import { compiled } from '../../tools/generate/compile.ts'
import { generatedFiles } from '../../tools/generate/files.ts'
import { startHost } from '../host.ts'
import { specimen } from '../specimen.ts'
import { catchUp } from '../warehouse.ts'
import { NO_CHROMIUM, openChromium } from './chromium.ts'
import { node20 } from './node-20.ts'
import { CAPTURED } from './suite/capture.ts'
import type { Environment } from './suite/case.ts'
import { cases } from './suite/cases.ts'
import { startUnreliable } from './unreliable-server.ts'

type Results = Record<string, string | null>

/** Runs all cases; returns the message of each failed one. */
const RUN = `import { cases } from './cases.js'
import * as specimen from './specimen.js'
import * as client from './stoa.js'

export async function run(environment) {
  const results = {}
  for (const [name, test] of Object.entries(cases)) {
    results[name] = await test({ ...environment, client, specimen }).then(() => null, error => String(error.stack))
  }
  return results
}
`

// Programs run synchronously here, so a host would treat the database as unresponsive.
const directory = writeSuite()
const older = node20()
const host = await startHost({ services: [...services, specimen] })
const unreliable = await startUnreliable()
after(() => rmSync(directory, { recursive: true }))

/** The suite, the client and one for the specimen service, as JavaScript files in one directory. */
function writeSuite(): string {
  const target = mkdtempSync(join(tmpdir(), 'stoa-suite-'))
  const source = join(import.meta.dirname, 'suite')
  const options =
    '--ignoreConfig --noCheck --noResolve --rewriteRelativeImportExtensions --target es2022 --module esnext'
  const files = readdirSync(source).map(file => join(source, file))
  const { stdout } = spawnSync('node_modules/.bin/tsc', [...options.split(' '), '--outDir', target, ...files])
  assert.equal(String(stdout), '')
  const client = readFileSync(join(import.meta.dirname, '../../client/stoa.js'))
  writeFileSync(join(target, 'stoa.js'), client)
  const withSpecimen = generatedFiles(sectionsOf([...services, specimen]))
  writeFileSync(join(target, 'specimen.js'), compiled(withSpecimen['client/stoa.ts']).js)
  writeFileSync(join(target, 'run.js'), RUN)
  writeFileSync(join(target, 'package.json'), '{"type":"module"}')
  return target
}

/** With an organisation of its own: the runtimes are tested at the same time. */
async function environment(prefix: string): Promise<Omit<Environment, 'client' | 'specimen'>> {
  const { key } = await host.organisation(prefix)
  const { body } = await host.call('POST /v1/account/keys', { as: key, body: { name: 'Web', type: 'publishable' } })
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const payload = '{"type":"event.signed_up","data":{"name":"Zoë"}}'
  const now = new Date()
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', now, payload),
  }
  return {
    baseUrl: host.baseUrl,
    key,
    publishable: body.key,
    prefix,
    unreliable,
    webhook: { payload, headers, secret },
  }
}

async function runInNode(node: string, prefix: string): Promise<Results> {
  const script = `
    const { run } = await import(${JSON.stringify(pathToFileURL(join(directory, 'run.js')).href)})
    const results = await run(${JSON.stringify(await environment(prefix))})
    process.stdout.write(JSON.stringify(results), () => process.exit())` // Also if a failed case left a request open.
  const ca = join(process.env.STOA_TEST_TLS as string, 'ca.pem')
  const child = spawn(node, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_EXTRA_CA_CERTS: ca },
  })
  return JSON.parse(await text(child.stdout))
}

async function runInChromium(): Promise<Results> {
  const page = await openChromium()
  await page.route(`${host.baseUrl}/suite/**`, route => {
    const name = new URL(route.request().url()).pathname.slice('/suite/'.length)
    if (name === '') return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Suite</title>' })
    return route.fulfill({ contentType: 'text/javascript', body: readFileSync(join(directory, name)) })
  })
  await page.goto(`${host.baseUrl}/suite/`)
  return page.evaluate(
    async settings => {
      const { run } = await import('/suite/run.js' as string)
      return run(settings)
    },
    await environment('chromium'),
  )
}

function reports(prefix: string, results: Promise<Results>): void {
  for (const name of Object.keys(cases)) {
    it(name, async () => assert.equal((await results)[name], null))
  }
  it('stored each event of the suite once', async () => {
    await results
    await catchUp(host)
    const rows = await host.db<{ event: string; all: number; distinct: number }>`
      select event, count(*)::int as all, count(distinct (properties::jsonb)->>'n')::int as distinct
      from events where org = ${prefix} group by event order by event`
    assert.deepEqual(
      rows.map(({ event, all, distinct }) => [event, all, distinct]),
      Object.entries(CAPTURED).map(([event, count]) => [event, count, count]),
    )
  })
}

describe('the client in Node 24', () => reports('node-24', runInNode(process.execPath, 'node-24')))

describe('the client in Node 20', { skip: older.skip }, () => {
  if (older.path) reports('node-20', runInNode(older.path, 'node-20'))
})

describe('the client in Chromium', { skip: NO_CHROMIUM }, () => {
  if (!NO_CHROMIUM) reports('chromium', runInChromium())
})
