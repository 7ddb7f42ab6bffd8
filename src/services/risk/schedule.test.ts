import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { request } from 'undici'
import { eventually } from '../../../test/eventually.ts'
import { type Answer, startHost } from '../../../test/host.ts'
import { small } from '../../../test/publishers.ts'

const mirror = mkdtempSync(join(tmpdir(), 'stoa-mirror-'))
after(() => rmSync(mirror, { recursive: true }))
for (const [source, document] of Object.entries(small)) writeFileSync(join(mirror, source), document)
const riskMirror = pathToFileURL(mirror).href
const host = await startHost({ runsSchedules: true, riskMirror })
const HOUR_MS = 60 * 60_000

const list = async () => (await host.call('GET /v1/risk/reference')).body
const setOf = async (name: string): Promise<Answer['body']> =>
  (await list()).sets.find(({ set }: { set: string }) => set === name)
const sourceOf = async (set: string, source: string) =>
  (await setOf(set)).sources.find((one: { source: string }) => one.source === source)
const HELD_ELSEWHERE = ['sanction', 'jurisdiction', 'pep', 'issuer', 'reputation']

/** Every set is there that can be; that takes a while on a busy machine. */
async function loaded(): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const { refused } = await list()
    if (refused.every((set: string) => HELD_ELSEWHERE.includes(set))) return
    await new Promise(done => setTimeout(done, 50))
  }
  assert.fail('the sets were not loaded')
}

/** Lets one period go by, and the run that is due then. */
async function beat(): Promise<void> {
  host.clock.advance(6 * HOUR_MS)
  const now = host.clock.now().toISOString()
  await eventually(
    () => host.db`select from leases where name = 'schedule risk reference'
      and until <= clock_timestamp() and due > ${now}`,
    rows => rows.length > 0,
  )
}

/** Lets time go by until fastly is so. */
async function beatsUntil(isSo: (source: Answer['body']) => boolean): Promise<Answer['body']> {
  for (let beats = 0; beats < 60; beats++) {
    await beat()
    const source = await sourceOf('net', 'fastly')
    if (isSo(source)) return source
  }
  assert.fail('it never came to that')
}

describe('the background', () => {
  it('loads every set at the start, from the mirror where there is one, and says so', async () => {
    await loaded()
    assert.equal((await sourceOf('net', 'aws')).origin, `${riskMirror}/aws`)
    const { answers } = (await host.call('POST /v1/risk/reference/resolve', { body: { keys: ['AS64496'] } })).body
    assert.ok(answers.some(({ set }: { set: string }) => set === 'asn'))
  })

  it('takes a set again at half of the age it may reach', async () => {
    await loaded()
    const first = (await sourceOf('domain', 'disposable')).asOf
    for (let hours = 0; hours < 90; hours += 6) await beat()
    assert.equal((await sourceOf('domain', 'disposable')).asOf, first, 'not before')
    for (let hours = 0; hours < 12; hours += 6) await beat()
    await eventually(
      () => sourceOf('domain', 'disposable'),
      ({ asOf }) => asOf !== first,
    )
  })

  it('keeps what a publisher supplied that fails, and tries it again', async () => {
    await loaded()
    const before = await sourceOf('net', 'fastly')
    rmSync(join(mirror, 'fastly'))
    const failed = await beatsUntil(({ refusal }) => refusal !== undefined)
    assert.match(failed.refusal, /cannot be read/)
    assert.deepEqual([failed.version, failed.keys], [before.version, before.keys])
    const metrics = await (await request(`http://127.0.0.1:${host.metricsPort}/metrics`)).body.text()
    assert.match(metrics, /^stoa_risk_source_refused\{set="net",source="fastly"\} 1$/m)
    assert.match(metrics, /^stoa_risk_source_refused\{set="net",source="aws"\} 0$/m)
    assert.match(metrics, /^stoa_risk_set_refuses\{set="pep"\} 1$/m)
    assert.match(metrics, /^stoa_risk_set_age_seconds\{set="net"\} \d+$/m)
    writeFileSync(join(mirror, 'fastly'), small.fastly as string)
    await beatsUntil(({ refusal }) => refusal === undefined)
  })
})
