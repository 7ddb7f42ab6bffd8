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
const host = await startHost({ runsBackground: true, riskMirror })
const HOUR_MS = 60 * 60_000

const list = async () => (await host.call('GET /v1/risk/reference')).body
const setOf = async (name: string): Promise<Answer['body']> =>
  (await list()).sets.find(({ set }: { set: string }) => set === name)
const sourceOf = async (set: string, source: string) =>
  (await setOf(set)).sources.find((one: { source: string }) => one.source === source)
const WITHOUT_MEMBERS = ['sanction', 'jurisdiction', 'pep', 'issuer', 'reputation']

const hasRun = async () => {
  const now = host.clock.now().toISOString()
  const rows = await host.db`select from leases where name = 'schedule risk reference'
    and until <= clock_timestamp() and due > ${now}`
  return rows.length > 0
}

/** Waits until every set with sources is loaded. An import that takes longer than its lease, which only this clock would
 *  renew, is tried again by the next run. */
const allLoaded = () =>
  eventually(
    async () => {
      const refused: string[] = (await list()).refused
      const isLoaded = refused.every(set => WITHOUT_MEMBERS.includes(set))
      if (!isLoaded && (await hasRun())) host.clock.advance(HOUR_MS / 6)
      return isLoaded
    },
    isLoaded => isLoaded,
  )

/** Advances the clock by one interval and waits for the run that is then due. */
async function runOnce(): Promise<void> {
  host.clock.advance(6 * HOUR_MS)
  await eventually(hasRun, isDone => isDone)
}

/** Runs the schedule until the source `fastly` meets the condition. */
async function runUntil(condition: (source: Answer['body']) => boolean): Promise<Answer['body']> {
  for (let runs = 0; runs < 60; runs++) {
    await runOnce()
    const source = await sourceOf('net', 'fastly')
    if (condition(source)) return source
  }
  assert.fail('the condition was never met')
}

describe('the schedule', () => {
  it('loads every set at the start, from the mirror if there is one, and returns its origin', async () => {
    await allLoaded()
    const { origin, version, keys } = await sourceOf('net', 'aws')
    assert.equal(origin, `${riskMirror}/aws`)
    const events = host.emitted.filter(({ data }) => (data as { source?: string }).source === 'aws')
    assert.deepEqual(
      events.map(({ type, tenant, data }) => [type, tenant, data]),
      [['risk.reference.refreshed', 'admin', { set: 'net', source: 'aws', version, keys }]],
    )
    const { answers } = (await host.call('POST /v1/risk/reference/resolve', { body: { keys: ['AS64496'] } })).body
    assert.ok(answers.some(({ set }: { set: string }) => set === 'asn'))
  })

  it('imports a set again at half of its maximum age', async () => {
    await allLoaded()
    const first = (await sourceOf('domain', 'disposable')).asOf
    for (let hours = 0; hours < 90; hours += 6) await runOnce()
    assert.equal((await sourceOf('domain', 'disposable')).asOf, first, 'not before')
    for (let hours = 0; hours < 12; hours += 6) await runOnce()
    await eventually(
      () => sourceOf('domain', 'disposable'),
      ({ asOf }) => asOf !== first,
    )
  })

  it('keeps the data of a failing source and retries it', async () => {
    await allLoaded()
    const before = await sourceOf('net', 'fastly')
    rmSync(join(mirror, 'fastly'))
    const failed = await runUntil(({ refusal }) => refusal !== undefined)
    assert.match(failed.refusal, /cannot be read/)
    assert.deepEqual([failed.version, failed.keys], [before.version, before.keys])
    const metrics = await (await request(`http://127.0.0.1:${host.metricsPort}/metrics`)).body.text()
    assert.match(metrics, /^stoa_risk_source_refused\{set="net",source="fastly"\} 1$/m)
    assert.match(metrics, /^stoa_risk_source_refused\{set="net",source="aws"\} 0$/m)
    assert.match(metrics, /^stoa_risk_set_refuses\{set="pep"\} 1$/m)
    assert.match(metrics, /^stoa_risk_set_age_seconds\{set="net"\} \d+$/m)
    writeFileSync(join(mirror, 'fastly'), small.fastly as string)
    await runUntil(({ refusal }) => refusal === undefined)
  })
})
