// Ten thousand endpoints in one process: all get their event, and none of them stays in memory.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { systemClock } from '../../src/engines/clock/clock.ts'
import { openHttp } from '../../src/engines/http/http.ts'
import { systemRandom as random } from '../../src/engines/random/random.ts'
import { makeAuthority, makeLeaf } from '../../src/engines/tls/authority.ts'
import { eventually } from '../eventually.ts'
import { startHost } from '../host.ts'
import { startReceiver } from '../webhook-receiver.ts'

const ORGS = 10
const ENDPOINTS = 1_000
const ORIGINS = 100
const MB = 1024 * 1024
/** The memory that one round may leave: ten thousand endpoints of a hundred bytes each would take less. */
const LEFT_MAX = 2 * MB

const authority = await makeAuthority({ clock: systemClock, random })
const addresses = Array.from({ length: ORIGINS }, (_, n) => `127.0.1.${n + 1}`)
const receiver = await startReceiver(await makeLeaf(authority, addresses, { clock: systemClock, random }), '0.0.0.0')
const http = openHttp({ allow: addresses, ca: authority.cert })
const host = await startHost({ http, runsBackground: true, now: 'real' })
const ticking = setInterval(() => host.clock.advance(0), 20)
after(async () => {
  clearInterval(ticking)
  await http.close()
  receiver.close()
})

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
function heapBytes(): number {
  collect()
  return process.memoryUsage().heapUsed
}

async function addEndpoints(slug: string): Promise<string> {
  const { org, key } = await host.organisation(slug)
  const { id, secret } = (await host.call('POST /v1/webhooks', { as: key, body: { url: 'https://127.0.1.1/' } })).body
  await host.call(`DELETE /v1/webhooks/${id}`, { as: key })
  const now = host.clock.now().toISOString()
  const made = Array.from({ length: ENDPOINTS }, (_, n) => ({
    id: `wh_${slug}${n}`,
    url: `https://${addresses[n % ORIGINS]}:${receiver.port}/${slug}/${n}`,
    secret: host.engines.seal.seal(org, `webhook wh_${slug}${n}`, secret),
  }))
  const column = <K extends keyof (typeof made)[0]>(name: K) => made.map(one => one[name])
  await host.db`insert into webhooks (id, org, url, events, description, status, secret, created, updated)
    select id, ${org}, url, '{shop.>}', '', 'active', decode(secret, 'hex'), ${now}::timestamptz, ${now}::timestamptz
    from unnest(${column('id')}::text[], ${column('url')}::text[],
      ${made.map(one => Buffer.from(one.secret).toString('hex'))}::text[]) as w (id, url, secret)`
  return key
}

const keys: string[] = []
for (let n = 0; n < ORGS; n++) keys.push(await addEndpoints(`many${n}`))
let expected = 0

/** An event of each organisation, which all its endpoints get. */
async function round(): Promise<void> {
  for (const as of keys) {
    const { status } = await host.call('POST /v1/event', { as, body: { event: 'order', subject: 'shop.order' } })
    assert.equal(status, 200)
  }
  expected += ORGS * ENDPOINTS
  // Not counted at the receiver: on a busy machine, an attempt may time out and be retried.
  const arrived = () => host.db<{ count: number }>`select count(*) from webhook_attempts where status = 'ok'`
  await eventually(arrived, ([row]) => row?.count === expected)
  const open = () => host.db<{ count: number }>`select count(*) from queue_keys where holder is not null`
  await eventually(open, ([row]) => row?.count === 0)
  await eventually(receiver.connections, count => count === 0)
  receiver.received.length = 0
}

describe('ten thousand endpoints', () => {
  it('get an event each, and leave nothing in memory', async () => {
    await round()
    await round()
    const before = heapBytes()
    await round()
    const left = heapBytes() - before
    assert.ok(left < LEFT_MAX, `${left} bytes are left`)
  })
})
