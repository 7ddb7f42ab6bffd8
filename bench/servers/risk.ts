// A host with all fetched sets of the risk reference loaded, two million members in total, imported from a mirror on
// disk; and an operation that echoes a body of the same size.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Agent, request } from 'undici'
import type { Engines } from '../../src/engines/engines.ts'
import { ADMIN_ORG, type OrgId } from '../../src/kit/caller.ts'
import { issueKey } from '../../src/services/account/public.ts'
import { createOrganisation } from '../../src/services/iam/public.ts'
import { withEngines } from './engines.ts'
import { openBenchHost } from './open-host.ts'
import { echoOf } from './operations.ts'
import { bodyOf, OVERRIDES, overridesOf, RESOLVE_PATH } from './risk-keys.ts'
import { documents } from './risk-members.ts'
import { type Serving, serve } from './serve.ts'

const SETS = ['domain', 'net', 'crawler', 'browser', 'asn']
const MEMBERS = 2_000_000

serve(pem =>
  withEngines(async engines => {
    const mirror = mkdtempSync(join(tmpdir(), 'stoa-bench-mirror-'))
    try {
      for (const [source, text] of Object.entries(documents)) writeFileSync(join(mirror, source), text())
      return await serveRisk(engines, pem, pathToFileURL(mirror).href)
    } finally {
      rmSync(mirror, { recursive: true })
    }
  }),
)

async function serveRisk(engines: Engines, pem: string, riskMirror: string): Promise<Serving> {
  let answer: object = {}
  const echo = echoOf(() => answer)
  const host = await openBenchHost({ engines, pem, operations: { echo }, riskMirror })
  const key = await newKey(engines, 'bench' as OrgId)
  const call = openCaller(host.port)
  await load(call, await newKey(engines, ADMIN_ORG), key)
  answer = await call(key, 'POST', RESOLVE_PATH, JSON.parse(bodyOf(0)))
  return { ...host, key }
}

async function newKey(engines: Engines, org: OrgId): Promise<string> {
  const owner = { email: `owner@${org}.test`, password: engines.random.token(20) }
  return engines.db.transaction(async tx => {
    const user = await createOrganisation({ ...engines, db: tx }, { org, name: org, owner })
    return issueKey({ ...engines, db: tx }, { org, user, name: 'Bench' })
  })
}

type Call = (key: string, method: 'GET' | 'POST' | 'PUT', path: string, input?: unknown) => Promise<object>

/** The peer is the host in this process, so its certificate is not verified. */
function openCaller(port: number): Call {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false }, headersTimeout: 0, bodyTimeout: 0 })
  return async (key, method, path, input) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = input === undefined ? null : JSON.stringify(input)
    const answer = await request(`https://127.0.0.1:${port}${path}`, { method, body, headers, dispatcher })
    const text = await answer.body.text()
    assert.equal(answer.statusCode, 200, text)
    return JSON.parse(text) as object
  }
}

async function load(call: Call, admin: string, key: string): Promise<void> {
  for (const set of SETS) {
    const { took } = (await call(admin, 'POST', '/v1/risk/reference/refresh', { set })) as {
      took: { refusal?: string }[]
    }
    const refusals = took.flatMap(({ refusal }) => refusal ?? [])
    assert.deepEqual(refusals, [], set)
  }
  for (const set of Object.keys(OVERRIDES) as (keyof typeof OVERRIDES)[]) {
    await call(key, 'PUT', `/v1/risk/reference/${set}`, { entries: overridesOf(set) })
  }
  const { sets } = (await call(key, 'GET', '/v1/risk/reference')) as { sets: { set: string; keys: number }[] }
  const members = sets.reduce((sum, { keys }) => sum + keys, 0)
  assert.ok(members >= MEMBERS, `there are only ${members} members`)
}
