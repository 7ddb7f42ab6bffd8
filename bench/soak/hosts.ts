// Starts the hosts of the soak as separate processes, each with one ordinary and two hostile organisations.
import assert from 'node:assert/strict'
import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { client, firstRunOf, killTree, start } from '../../test/process.ts'

const START_MS = 60_000
const STOP_MS = 45_000

export type Tenant = { org: string; email: string; password: string; key: string }

/** What a load needs to know about a host. */
export type Target = { baseUrl: string; iamUrl: string; ca: string; ordinary: Tenant; hostile: Tenant[] }

export type SoakHost = {
  target: Target
  /** The directory of its database's socket. */
  database: string
  metrics(): Promise<Metrics>
  /** The lines of its log. */
  log(): string[]
  [Symbol.asyncDispose](): Promise<void>
}

/** The values of /metrics by name and labels. */
export type Metrics = Map<string, number>

export async function startSoakHost(): Promise<SoakHost> {
  const directory = mkdtempSync(join(tmpdir(), 'stoa-soak-'))
  chmodSync(directory, 0o711) // Under root, the database user must be able to pass.
  const data = join(directory, 'data')
  const logFile = join(directory, 'log')
  const sink = openSync(logFile, 'a')
  const started = start({ STOA_DATA: data }, process.cwd(), sink)
  closeSync(sink)
  const dispose = async () => {
    started.child.kill('SIGTERM')
    const isEnded = await Promise.race([started.ended.then(() => true), wait(STOP_MS, false, { ref: false })])
    if (!isEnded) await killTree(started, data)
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const metricsUrl = await metricsUrlIn(logFile, started.ended)
    const { baseUrl, iamUrl, superadmin } = firstRunOf(data)
    const ca = readFileSync(join(data, 'tls/ca.pem'), 'utf8')
    const clientOf = (key: string) => client(data, baseUrl, key)
    const [ordinary, ...hostile] = await createTenants(clientOf, superadmin.key)
    return {
      target: { baseUrl, iamUrl, ca, ordinary: ordinary as Tenant, hostile },
      database: join(data, 'postgres'),
      metrics: () => readMetrics(metricsUrl),
      log: () => readFileSync(logFile, 'utf8').split('\n'),
      [Symbol.asyncDispose]: dispose,
    }
  } catch (error) {
    await dispose()
    throw error
  }
}

/** Each of them gets the project `target`. */
async function createTenants(clientOf: (key: string) => ReturnType<typeof client>, key: string): Promise<Tenant[]> {
  async function create(by: string, route: string, body: object) {
    const { call, close } = clientOf(by)
    const answer = await call(route, body).finally(close)
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body
  }
  const tenants: Tenant[] = []
  for (const slug of ['ordinary', 'hostile-one', 'hostile-two']) {
    const owner = { email: `owner@${slug}.test`, password: 'correct horse battery staple' }
    const org = await create(key, 'POST /v1/iam/orgs', { slug, name: slug, owner })
    await create(org.key, 'POST /v1/projects', { slug: 'target', name: 'Target' })
    tenants.push({ org: slug, ...owner, key: org.key })
  }
  return tenants
}

/** Waits for the banner, which is written into the log file too. */
async function metricsUrlIn(logFile: string, ended: Promise<number>): Promise<string> {
  const end = AbortSignal.timeout(START_MS)
  let isEnded = false
  void ended.then(() => {
    isEnded = true
  })
  for (;;) {
    const text = readFileSync(logFile, 'utf8')
    const url = text.match(/^ *Metrics +(http:\S+)$/m)?.[1]
    if (url) return url
    if (isEnded || end.aborted) throw new Error(`the host did not start:\n${text}`)
    await wait(50)
  }
}

async function readMetrics(url: string): Promise<Metrics> {
  // A kept connection may be closed by a busy host just when the next request is sent.
  const answer = await request(url, { reset: true })
  const text = await answer.body.text()
  return new Map([...text.matchAll(/^([a-z]\S*) (\S+)$/gm)].map(([, name, value]) => [name as string, Number(value)]))
}
