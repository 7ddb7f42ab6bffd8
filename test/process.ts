// Starts Stoa as a separate process, like `npm start` after the installation.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Agent, request } from 'undici'
import type { FirstRun } from '../src/start/first-run.ts'

export type Started = {
  child: ChildProcess
  output(): string
  errors(): string
  /** Resolves with the exit code; 137 after kill -9. */
  ended: Promise<number>
}

/** All started processes and their data directories. They are killed before the directory is removed. */
const processes: { started: Started; data: string }[] = []

/** Starts with free ports and a fresh environment, without the variables of the test run. Its output is collected, stays
 *  unread in its pipes, or goes to a file descriptor. `root` has the source. */
export function start(
  settings: Record<string, string>,
  cwd = process.cwd(),
  sink: 'collected' | 'unread' | number = 'collected',
  root = process.cwd(),
): Started {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const noDownloads = { STOA_RISK_MIRROR: 'file:///does-not-exist', STOA_CONSOLE: 'off' }
  const ports = { STOA_PORT: '0', STOA_IAM_PORT: '0', STOA_METRICS_PORT: '0' }
  const patience = { STOA_DB_WAIT_S: '120' } // The machine may be busy.
  const env = { PATH, NODE_COMPILE_CACHE, ...ports, ...patience, ...noDownloads, ...settings }
  const child = spawn(process.execPath, [join(root, 'src/main.ts')], {
    env,
    cwd,
    stdio: typeof sink === 'number' ? ['ignore', sink, sink] : ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  if (sink === 'collected') {
    child.stdout?.on('data', chunk => {
      output += chunk
    })
    child.stderr?.on('data', chunk => {
      errors += chunk
    })
  }
  const event = sink === 'collected' ? 'close' : 'exit'
  const ended = new Promise<number>(resolve => child.once(event, code => resolve(code ?? 137)))
  const started = { child, output: () => output, errors: () => errors, ended }
  processes.push({ started, data: settings.STOA_DATA ?? '' })
  return started
}

/** The parsed lines of the log. */
export const eventsOf = ({ errors }: Started): { level: number; msg: string; version?: string; baseUrl?: string }[] =>
  errors()
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))

/** Waits for the banner; fails with the error output if the process exits first. */
export async function up(started: Started): Promise<string> {
  let isEnded = false
  void started.ended.then(() => {
    isEnded = true
  })
  while (!/Metrics .*\n(.*\n)*$/.test(started.output())) {
    if (isEnded) throw new Error(`ended before it was up: ${started.errors()}`)
    await new Promise(done => setTimeout(done, 10))
  }
  return started.output().match(/https:\/\/localhost:\d+/)?.[0] as string
}

/** A data directory that the database user can access under root. After the test its processes are killed and it is
 *  removed. */
export function freshDirectory(t: Pick<TestContext, 'after'>): string {
  const directory = mkdtempSync(join(tmpdir(), 'stoa-data-'))
  chmodSync(directory, 0o711)
  t.after(async () => {
    const inDirectory = processes.filter(({ data }) => data.startsWith(directory))
    for (const { started, data } of inDirectory) await killTree(started, data)
    rmSync(directory, { recursive: true, force: true })
  })
  return join(directory, 'data')
}

export const firstRunOf = (data: string): FirstRun => JSON.parse(readFileSync(join(data, 'first-run.json'), 'utf8'))

/** A client that trusts the certificate authority of that data directory. */
export function client(data: string, baseUrl: string, key?: string) {
  const agent = new Agent({ connect: { ca: readFileSync(join(data, 'tls/ca.pem'), 'utf8') } })
  const call = async (route: string, body?: unknown, headers: Record<string, string> = {}) => {
    const [method, path] = route.split(' ') as ['GET', string]
    const response = await request(baseUrl + path, {
      dispatcher: agent,
      method,
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await response.body.text()
    return { status: response.statusCode, headers: response.headers, body: text ? JSON.parse(text) : null }
  }
  return { call, close: () => agent.destroy() }
}

/** A port that stays the same across restarts. */
export async function freePort(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await once(probe.close(), 'close')
  return `${port}`
}

/** Every process of the database of a data directory. */
export function databasePids(data: string): number[] {
  const postmaster = Number(readFileSync(join(data, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
  const parentOf = (pid: string) => {
    try {
      return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1])
    } catch {
      return 0 // It has ended.
    }
  }
  const children = readdirSync('/proc').filter(name => /^\d+$/.test(name) && parentOf(name) === postmaster)
  return [postmaster, ...children.map(Number)]
}

/** Kills a process and its database, whatever state they are in. */
export async function killTree({ child, ended }: Started, data: string): Promise<void> {
  const pidFile = join(data, 'postgres/postmaster.pid')
  const postmaster = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8').split('\n')[0]) : 0
  child.kill('SIGKILL')
  if (postmaster > 0) {
    try {
      process.kill(-postmaster, 'SIGKILL') // Its process group: this reaches the backends too.
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  await ended
}

/** Asserts that a start with these settings exits non-zero, prints no banner, and prints the reason as one line besides
 *  the log. */
export async function refused(settings: Record<string, string>, reason: RegExp): Promise<void> {
  const started = start(settings)
  assert.notEqual(await started.ended, 0)
  const lines = started
    .errors()
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('{'))
  assert.equal(lines.length, 1, started.errors())
  assert.match(lines[0] as string, reason)
  assert.equal(started.output(), '')
}

export async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition() && tries < 200; tries++) await new Promise(done => setTimeout(done, 20))
  assert.ok(condition())
}
