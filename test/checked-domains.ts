// A host whose schedules check domains and mail the owners of lost ones.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { eventually } from './eventually.ts'
import { type Answer, startHost, type TestHost } from './host.ts'

export const MINUTE_MS = 60_000
export const DAY_MS = 24 * 60 * MINUTE_MS
/** The period of the mails to owners. */
export const MAIL_MS = 10 * MINUTE_MS

/** A host that runs schedules, with a project `shop` in two organisations. */
export async function startChecked(t: TestContext) {
  const host = await startHost({ services: [], runsBackground: true }, t)
  const { home, other } = host
  for (const { key } of [home, other]) {
    await host.call('POST /v1/projects', { as: key, body: { slug: 'shop', name: 'Shop' } })
  }
  await ran(host)
  return { ...host, ...domainCalls(host) }
}

function domainCalls(host: TestHost) {
  const { home } = host
  const attach = (name: string, as = home.key) =>
    host.call('POST /v1/projects/shop/domains', { body: { host: name }, as })
  const verify = (name: string, as = home.key) => host.call(`POST /v1/projects/shop/domains/${name}/verify`, { as })
  const publish = (name: string, ...answers: Answer[]) =>
    host.txt.set(
      `_stoa-verify.${name}`,
      answers.map(({ body }) => body.records[0].value),
    )
  const remove = (name: string) => host.txt.delete(`_stoa-verify.${name}`)
  const silence = (name: string) => host.txt.set(`_stoa-verify.${name}`, null)
  const makeLive = async (name: string, as = home.key) => {
    const attached = await attach(name, as)
    publish(name, attached)
    assert.equal((await verify(name, as)).body.status, 'live')
    return attached
  }
  const domainOf = async (name: string, as = home.key) => {
    const { body } = await host.call('GET /v1/projects/shop/domains?limit=200', { as })
    return body.data.find((domain: { host: string }) => domain.host === name)
  }
  const stateOf = async (name: string, as = home.key) => {
    const { status, verified, missedChecks = 0 } = await domainOf(name, as)
    assert.equal(verified, status === 'live')
    return `${status} ${missedChecks}`
  }
  const trail = async (what: string, as = home.key) =>
    (await host.call(`GET /v1/iam/audit?what=${what}`, { as })).body.data as Answer['body'][]
  /** Advances the clock and waits for the runs that are then due. */
  const pass = async (ms: number) => {
    host.clock.advance(ms)
    await ran(host)
  }
  return { attach, verify, publish, remove, silence, makeLive, domainOf, stateOf, trail, pass }
}

/** Waits until both schedules have run and sleep until their next time, and until their jobs are done. */
async function ran(host: TestHost): Promise<void> {
  const now = () => host.clock.now().toISOString()
  // A process that looked just before the clock was advanced sleeps until it advances again.
  let looks = 0
  const goOn = () => {
    if (++looks % 100 === 0) host.clock.advance(1_000)
  }
  await eventually(
    () => {
      goOn()
      return host.db`select from leases where name in ('schedule domain checks', 'schedule lost domains')
        and until <= clock_timestamp() and due > ${now()}`
    },
    rows => rows.length === 2,
  )
  await eventually(
    () => {
      goOn()
      return host.db`select from queue_jobs where due <= ${now()} and (expires is null or expires > ${now()})`
    },
    rows => rows.length === 0,
  )
}
