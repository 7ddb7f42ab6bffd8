// The published package: its files, types, size and examples, as seen by a project that installs it.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Webhook } from 'standardwebhooks'
import { eventually } from '../eventually.ts'
import { startModelCalls } from '../model-calls.ts'
import { chatChunks, chatCompletion, json, stream } from '../model-server.ts'

const CLIENT = resolve(import.meta.dirname, '../../client')
const read = (file: string) => readFileSync(join(CLIENT, file), 'utf8')

/** Measured: 17.9 kB with comments, and 11.1 kB minified: 5.8 kB of it for `createEvents` alone, 7.8 kB for `createStoa`, which
 *  grows with the host by about 15 bytes for a method. */
const GZIP_BYTES_MAX = 20_000

const project = mkdtempSync(join(tmpdir(), 'stoa-project-'))
after(() => rmSync(project, { recursive: true }))
const packed = pack()

/** Installs the packed package into the project. */
function pack(): string[] {
  const { stdout } = spawnSync('npm', ['pack', '--json', '--pack-destination', project], {
    cwd: CLIENT,
    encoding: 'utf8',
  })
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }]
  assert.equal(spawnSync('tar', ['-xzf', filename], { cwd: project }).status, 0)
  mkdirSync(join(project, 'node_modules'))
  cpSync(join(project, 'package'), join(project, 'node_modules/stoa-client'), { recursive: true })
  writeFileSync(join(project, 'package.json'), '{"type":"module"}')
  return files.map(({ path }) => path).sort()
}

describe('the package', () => {
  it('has these files and no others', () => {
    assert.deepEqual(packed, ['LICENSE', 'README.md', 'package.json', 'stoa.d.ts', 'stoa.js'])
  })

  it('has no dependencies, and the version and license of Stoa', () => {
    const [own, product] = ['package.json', '../package.json'].map(file => JSON.parse(read(file)))
    assert.deepEqual([own.version, own.license], [product.version, product.license])
    assert.deepEqual(
      Object.keys(own).filter(name => /dependencies|scripts/i.test(name)),
      [],
    )
    assert.equal(own.sideEffects, false)
  })

  it('imports nothing', () => {
    assert.doesNotMatch(read('stoa.js'), /^import |^export .* from |\bimport\(|\brequire\(/m)
  })

  it(`is at most ${GZIP_BYTES_MAX} bytes with gzip`, () => {
    const { length } = gzipSync(read('stoa.js'), { level: 9 })
    assert.ok(length <= GZIP_BYTES_MAX, `${length} bytes`)
  })

  it('does nothing when it is imported, and needs nothing', () => {
    const names = [
      'fetch',
      'crypto',
      'setTimeout',
      'Headers',
      'Response',
      'AbortController',
      'TextDecoder',
      'Date',
      'atob',
    ]
    const script = `
      const before = Object.keys(globalThis).sort().join()
      for (const name of ${JSON.stringify(names)}) {
        Object.defineProperty(globalThis, name, { configurable: true, get() { throw new Error('uses ' + name) } })
      }
      const { createStoa } = await import('stoa-client')
      for (const name of ${JSON.stringify(names)}) delete globalThis[name]
      const added = Object.keys(globalThis).filter(name => !before.split(',').includes(name))
      process.stdout.write(typeof createStoa + added.join())`
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: project })
    assert.equal(String(stdout), 'function', String(stderr))
  })
})

const CONSUMER = `import {
  ConflictError, createEvents, createStoa, RateLimitError, StoaApiError, StoaConnectionError, StoaError, verifyWebhook,
  type Call, type ChatCompletion, type ChatCompletionChunk, type CreateProjectInput, type DroppedEvent, type Events, type FaultCode, type Page, type Project, type Stoa, type StoaOptions,
} from 'stoa-client'

const options: StoaOptions = { baseUrl: 'https://localhost:8443', key: 'sk-1', timeoutMs: 1000 }
export const stoa: Stoa = createStoa(options)

export async function use(signal: AbortSignal): Promise<void> {
  const input: CreateProjectInput = { slug: 'a', name: 'A' }
  const call: Call<Project> = stoa.createProject(input, { signal, idempotencyKey: 'one' })
  const { data, response, requestId } = await call.withResponse()
  const status: number = response.status
  const header: string | null = response.headers.get('x-request-id') ?? requestId
  const page: Page<Project> = await stoa.listProjects({ limit: 2 })
  for await (const { slug } of stoa.listProjectsAll()) slug satisfies string
  const nothing: void = await stoa.deleteProject({ slug: data.slug })
  try {
    await stoa.getProject({ slug: page.data[0]?.slug ?? '' }, { retries: 0 })
  } catch (error) {
    if (error instanceof ConflictError) error.fields satisfies { path: string; says: string }[]
    if (error instanceof RateLimitError) error.retryAfter satisfies number | null
    if (error instanceof StoaApiError) {
      error.code satisfies FaultCode
      if (error.code === 'key_expired') return
      // @ts-expect-error There is no such code.
      if (error.code === 'key_expird') return
    }
    if (error instanceof StoaConnectionError) error.status satisfies number | null
    if (error instanceof StoaError) throw error
  }
  const event = await verifyWebhook<{ type: string }>({ payload: '', headers: new Headers(), secret: '' })
  event.type satisfies string
  const events: Events = createEvents({
    baseUrl: 'https://localhost:8443',
    key: 'pk-1',
    onError: (error: StoaError, dropped: DroppedEvent[]) => void [error.message, dropped[0]?.reason],
  })
  events.capture({ event: 'a', properties: { n: 1 }, timestamp: new Date() }) satisfies void
  await events.flush({ timeoutMs: 1 })
  // @ts-expect-error The name is missing.
  events.capture({ distinctId: 'a' })
  const ask = { model: 'a', messages: [{ role: 'user' as const, content: 'a' }] }
  const whole: ChatCompletion = await stoa.createChatCompletion(ask, { idempotencyKey: 'one' })
  whole.choices[0]?.message.content satisfies string | null | undefined
  const { data: again } = await stoa.createChatCompletion({ ...ask, stream: false, seed: 1 }).withResponse()
  again satisfies ChatCompletion
  for await (const chunk of stoa.createChatCompletion({ ...ask, stream: true })) {
    chunk satisfies ChatCompletionChunk
    chunk.choices[0]?.delta.content satisfies string | null | undefined
  }
  for await (const part of stoa.createMessage({ ...ask, max_tokens: 1, stream: true })) part.type satisfies string
  const { data: vectors } = await stoa.createEmbedding({ model: 'a', input: ['a'] })
  vectors[0]?.embedding satisfies number[] | undefined
  // @ts-expect-error \`messages\` is missing.
  await stoa.createChatCompletion({ model: 'a' })
  // @ts-expect-error The argument is one object.
  await stoa.getProject('a')
  // @ts-expect-error \`slug\` is missing.
  await stoa.getProject({})
  // @ts-expect-error \`nme\` is no field.
  await stoa.updateProject({ slug: 'a', name: 'A', nme: 'A' })
  // @ts-expect-error Only operations that create accept a key.
  await stoa.updateProject({ slug: 'a', name: 'A' }, { idempotencyKey: 'one' })
  void [status, header, nothing]
}
`

describe('its types', () => {
  writeFileSync(join(project, 'consumer.ts'), CONSUMER)
  mkdirSync(join(project, 'node_modules/@types'))
  for (const name of ['@types/node', 'undici-types']) {
    symlinkSync(resolve('node_modules', name), join(project, 'node_modules', name))
  }
  const strict = ['--ignoreConfig', '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022']
  const resolutions = {
    node16: ['--module', 'node16'],
    bundler: ['--module', 'esnext', '--moduleResolution', 'bundler'],
  }
  const platforms = {
    Node: ['--lib', 'es2022', '--types', 'node'],
    browsers: ['--lib', 'es2022,dom', '--types', ''],
    workers: ['--lib', 'es2022,webworker', '--types', ''],
  }
  for (const [resolution, module] of Object.entries(resolutions)) {
    for (const [platform, globals] of Object.entries(platforms)) {
      it(`are found by ${resolution} and fit ${platform}`, async () => {
        const args = [...strict, ...module, ...globals, 'consumer.ts']
        const tsc = spawn(resolve('node_modules/.bin/tsc'), args, {
          cwd: project,
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        assert.equal(await text(tsc.stdout), '')
      })
    }
  }
})

describe('its examples', async () => {
  const examples = [...read('README.md').matchAll(/^```js\n(.*?)^```$/gms)].map(match => match[1] as string)
  const { host, server } = await startModelCalls()
  server.state.answer = (response, received) =>
    (received.json.stream ? stream(chatChunks(['Hel', 'lo'])) : json(chatCompletion()))(response, received)
  const made = await host.call('POST /v1/account/keys', { body: { name: 'Web', type: 'publishable' } })
  const webhookSecret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`

  function start(example: string, port = 0): ChildProcess {
    const env = {
      ...process.env,
      STOA_URL: host.baseUrl,
      STOA_KEY: host.home.key,
      STOA_PUBLISHABLE_KEY: made.body.key as string,
      STOA_MODEL: 'large',
      NODE_EXTRA_CA_CERTS: join(process.env.STOA_TEST_TLS as string, 'ca.pem'),
      WEBHOOK_SECRET: webhookSecret,
      PORT: String(port),
    }
    const options = { cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit'] }
    return spawn(process.execPath, ['--input-type=module', '-e', example], options)
  }

  const outputs = [
    /^2026-11-15T.*\nweb-shop Web shop\n$/,
    /^slug .*choose another slug/,
    /^stored\n$/,
    /^Hello\nHello512\n$/,
    /^\d+ {2}200 req_\w+\n$/,
  ]
  for (const [at, example] of examples.slice(0, -1).entries()) {
    it(`run: ${/^(?:const|await) .*$/m.exec(example.slice(example.indexOf('\n\n')))?.[0] ?? at}`, async () => {
      const child = start(example)
      const exit = new Promise(resolve => child.on('exit', resolve))
      assert.match(await text(child.stdout as NonNullable<typeof child.stdout>), outputs[at] as RegExp)
      assert.equal(await exit, 0)
    })
  }

  it('run: the receiver of webhooks', async () => {
    const reserved = createServer()
    await new Promise<void>(resolve => reserved.listen(0, '127.0.0.1', resolve))
    const { port } = reserved.address() as { port: number }
    await new Promise(resolve => reserved.close(resolve))
    const child = start(examples.at(-1) as string, port)
    const now = new Date()
    const send = (body: string) =>
      fetch(`http://127.0.0.1:${port}`, {
        method: 'POST',
        body,
        headers: {
          'webhook-id': 'msg_1',
          'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
          'webhook-signature': new Webhook(webhookSecret).sign('msg_1', now, '{"a":1}'),
        },
      }).then(
        ({ status }) => status,
        () => null, // It does not listen yet.
      )
    try {
      await eventually(
        () => send('{"a":1}'),
        status => status === 204,
      )
      assert.equal(await send('{"a":2}'), 400)
    } finally {
      child.kill()
    }
  })
})
