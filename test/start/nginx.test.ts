// deploy/nginx.conf passes what Stoa accepts, and waits as long as Stoa may take. Times are a hundredth of those in the
// file.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { eventually } from '../eventually.ts'
import { freePort } from '../external.ts'
import { CA } from '../host.ts'
import { messages, startModelCalls } from '../model-calls.ts'
import { chatChunks, chatCompletion, json } from '../model-server.ts'

const NGINX = ['/usr/sbin/nginx', '/usr/local/sbin/nginx'].find(existsSync)
const MIB = 1024 * 1024

describe('behind nginx', {
  skip: NGINX ? false : 'nginx is not installed (Debian: apt-get install nginx)',
}, async () => {
  if (!NGINX) return
  const trusted = new BlockList()
  trusted.addAddress('127.0.0.1')
  const { host, server } = await startModelCalls({ trusted })
  const port = await startNginx(NGINX, host.port)
  const dispatcher = new Agent({ allowH2: false, connect: { ca: CA() } })
  after(() => dispatcher.destroy())

  const chat = (more: object = {}) =>
    request(`https://localhost:${port}/v1/chat/completions`, {
      method: 'POST',
      dispatcher,
      headers: { authorization: `Bearer ${host.home.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'large', messages, ...more }),
    })

  it('a body of almost 20 MiB arrives, and a larger one is refused', async () => {
    server.state.answer = json(chatCompletion())
    const content = 'x'.repeat(20 * MIB - 1_000)
    const large = await chat({ messages: [{ role: 'user', content }] })
    assert.equal(large.statusCode, 200, await large.body.text())
    assert.equal(server.received.at(-1)?.json.messages[0].content.length, content.length)
    const tooLarge = await chat({ messages: [{ role: 'user', content: content + 'x'.repeat(2_000) }] })
    assert.equal(tooLarge.statusCode, 413)
    await tooLarge.body.dump()
  })

  it('an answer that starts after 295 seconds arrives, and so does one with as long a pause between two parts', async () => {
    server.state.answer = async (response, received) => {
      await wait(2_950)
      await json(chatCompletion())(response, received)
    }
    const late = await chat()
    assert.equal(late.statusCode, 200, await late.body.text())
    server.state.answer = async response => {
      const [first = '', ...others] = chatChunks(['Hel', 'lo'])
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(first)
      await wait(2_950)
      response.end(others.join(''))
    }
    const streamed = await chat({ stream: true })
    assert.match(await streamed.body.text(), /Hel.*lo.*\[DONE\]/s)
  })

  it('Stoa knows that the client used TLS', async () => {
    const { statusCode, body } = await request(`https://localhost:${port}/v1`, { dispatcher })
    assert.equal(statusCode, 200, await body.text())
  })
})

/** Starts it with the file, but for names, certificates, ports and times; returns the port of the API. */
async function startNginx(nginx: string, apiPort: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'stoa-nginx-'))
  const tls = join(process.env.STOA_TEST_TLS as string, 'server.pem')
  const port = await freePort()
  const conf = readFileSync(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8')
    .replace(/listen \[::\]:443 ssl http2;\n/g, '\n')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${await freePort()} ssl`)
    .replace('127.0.0.1:8443', `127.0.0.1:${apiPort}`)
    .replace(/\/etc\/ssl\/stoa\/\w+\.pem/g, tls)
    .replace(
      /((?:proxy_read|proxy_send)_timeout +)(\d+)s;/g,
      (_all, name, seconds) => `${name}${Number(seconds) * 10}ms;`,
    )
  assert.doesNotMatch(conf, /443 ssl/)
  const file = join(directory, 'nginx.conf')
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${directory}/${name};`,
  )
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${directory}/pid; error_log stderr warn; events {}
    http { access_log off; ${paths.join(' ')} ${conf} }`,
  )
  const checked = spawnSync(nginx, ['-t', '-c', file, '-p', directory], { encoding: 'utf8' })
  assert.equal(checked.status, 0, checked.stderr)
  const child = spawn(nginx, ['-c', file, '-p', directory], { stdio: ['ignore', 'ignore', 'inherit'] })
  after(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
    rmSync(directory, { recursive: true, force: true })
  })
  await eventually(
    () =>
      fetch(`http://127.0.0.1:${port}`).then(
        () => true,
        () => child.exitCode !== null,
      ),
    Boolean,
  )
  return port
}
