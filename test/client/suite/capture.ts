// Events: batches, limits, retries, and what is dropped.
import type * as Client from '../../../client/stoa.ts'
import { type Case, check, type Environment, eventually, rejection, runOf, same } from './case.ts'

/** The events that the suite stores at the host, and how many of each. */
export const CAPTURED = { burst: 1000, large: 40, lost: 300 }

const REQUEST_BYTES_MAX = 64 * 1024

type Heard = { message: string; code: string | undefined; dropped: Client.DroppedEvent[] }

/** Events for the unreliable server, with what `onError` heard. */
function capturing({ client, unreliable }: Environment, scenario: string, options: object = {}) {
  const { fetch, recorded } = runOf(unreliable, scenario)
  const heard: Heard[] = []
  const onError: Client.EventsOptions['onError'] = (error, dropped) =>
    heard.push({ message: error.message, code: (error as { code?: string }).code, dropped })
  const events = client.createEvents({ baseUrl: unreliable, key: 'pk-1', fetch, onError, ...options })
  const bodies = async () => (await recorded()).map(({ body }) => JSON.parse(body) as Sent)
  return { events, heard, recorded, bodies }
}

type Sent = { sentAt: string; batch: { event: string; messageId: string; timestamp: string; properties: object }[] }

const reasons = (heard: Heard[]) => heard.flatMap(({ dropped }) => dropped.map(({ reason }) => reason))

export const capture: Record<string, Case> = {
  'stores a burst of events with a publishable key, in as few requests as possible': async ({
    client,
    baseUrl,
    publishable: key,
  }) => {
    const sizes: number[] = []
    const counted: Client.StoaOptions['fetch'] = (url, init) => {
      sizes.push(new TextEncoder().encode(init.body ?? '').length)
      return fetch(url, init)
    }
    const events = client.createEvents({ baseUrl, key, fetch: counted })
    for (let n = 0; n < CAPTURED.burst; n++) events.capture({ event: 'burst', distinctId: 'user-1', properties: { n } })
    await events.flush()
    same(sizes.length, CAPTURED.burst / 50, 'requests')
    sizes.length = 0
    // Texts with three bytes per character: if the limit counted characters, there would be too many for one request.
    const text = '\u20ac'.repeat(5_000)
    for (let n = 0; n < CAPTURED.large; n++) events.capture({ event: 'large', properties: { n, text } })
    await events.close()
    same([sizes.length, sizes.every(size => size <= REQUEST_BYTES_MAX)], [CAPTURED.large / 4, true], 'large requests')
  },

  'stores each event once although answers are lost': async ({ client, baseUrl, publishable: key }) => {
    let requests = 0
    const losing: Client.StoaOptions['fetch'] = async (url, init) => {
      const answer = await fetch(url, init)
      if (++requests % 2 === 0) return answer
      await answer.arrayBuffer()
      throw new TypeError('the connection was reset')
    }
    let failures = 0
    const onError = () => failures++
    const events = client.createEvents({ baseUrl, key, fetch: losing, onError })
    for (let n = 0; n < CAPTURED.lost; n++) events.capture({ event: 'lost', properties: { n } })
    await events.flush()
    same([requests, failures], [12, 6], 'requests and failures')
  },

  'sends the same ids again until the host has answered': async environment => {
    const { events, heard, bodies, recorded } = capturing(environment, 'receipt-late')
    const properties = { plan: 'pro' }
    events.capture({ event: 'a', properties })
    properties.plan = 'changed later'
    events.capture({ event: 'b', messageId: 'chosen', timestamp: new Date(0) })
    await events.flush()
    const all = await bodies()
    same(all.length, 5, 'attempts')
    const [first] = all as [Sent]
    for (const { batch } of all) same(batch, first.batch, 'each attempt')
    const [a, b] = first.batch
    same([a?.event, a?.properties], ['a', { plan: 'pro' }])
    check(/^[0-9a-f-]{36}$/.test(a?.messageId ?? ''), `id ${a?.messageId}`)
    check(Math.abs(Date.parse(a?.timestamp ?? '') - Date.now()) < 60_000, `time ${a?.timestamp}`)
    same([b?.messageId, b?.timestamp], ['chosen', '1970-01-01T00:00:00.000Z'])
    same([heard.length, heard[0]?.dropped], [1, []], 'what was heard')
    same((await recorded())[0]?.headers.authorization, 'Bearer pk-1')
  },

  'waits as long as the host asks': async environment => {
    const { events, recorded } = capturing(environment, 'receipt-wait-1')
    events.capture({ event: 'a' })
    await events.flush()
    const [first, second] = await recorded()
    check(first && second && second.atMs - first.atMs >= 990, 'the wait')
  },

  'sends after the interval, and at once when a request is full': async environment => {
    const { events, recorded } = capturing(environment, 'receipt-late', { intervalMs: 100 })
    events.capture({ event: 'a' })
    await eventually(async () => (await recorded()).length > 0, 'the request after the interval')
    const full = capturing(environment, 'receipt-privacy', { intervalMs: 3_600_000 })
    for (let n = 0; n < 51; n++) full.events.capture({ event: 'a' })
    await eventually(async () => (await full.recorded()).length === 1, 'the full request')
    same((await full.bodies())[0]?.batch.length, 50)
    await full.events.flush()
    same([(await full.recorded()).length, full.heard.length], [2, 0], 'requests, and errors because of privacy')
    await events.close({ timeoutMs: 0 })
  },

  'reports what the host drops, and does not send it again': async environment => {
    for (const [scenario, reason, dropped, requests] of [
      ['receipt-partial', ['id_too_long'], ['b'], 1],
      ['unroutable-once', ['unroutable_events', 'unroutable_events'], ['a', 'b'], 2],
      ['events-forbidden-once', ['insufficient_capability', 'insufficient_capability'], ['a', 'b'], 2],
      ['page', ['no_receipt', 'no_receipt'], ['a', 'b'], 1],
      ['receipt-foreign', ['no_receipt', 'no_receipt'], ['a', 'b'], 1],
    ] as const) {
      const { events, heard, recorded } = capturing(environment, scenario)
      events.capture({ event: 'a' })
      events.capture({ event: 'b' })
      await events.flush()
      if (requests === 2) {
        events.capture({ event: 'c' })
        await events.flush()
      }
      same(reasons(heard), reason, scenario)
      same(
        heard.flatMap(one => one.dropped.map(({ event }) => event.event)),
        dropped,
      )
      same((await recorded()).length, requests, `requests of ${scenario}`)
    }
  },

  'stops when the key is refused, and says so': async environment => {
    for (const [scenario, code] of [
      ['key-unknown', 'ingest_key_unknown'],
      ['key-revoked', 'key_revoked'],
    ] as const) {
      const { events, heard, recorded } = capturing(environment, scenario)
      for (let n = 0; n < 60; n++) events.capture({ event: 'a' })
      await events.flush()
      events.capture({ event: 'b' })
      await events.flush()
      same((await recorded()).length, 1, 'requests')
      same([heard.map(one => one.code), reasons(heard).length], [[code, code], 61])
    }
  },

  'drops alone what cannot be sent': async environment => {
    const { events, heard, bodies } = capturing(environment, 'receipt-privacy')
    const circular: Record<string, unknown> = {}
    circular.self = circular
    events.capture({ event: 'good' })
    events.capture({ event: 'large', properties: { text: '\u20ac'.repeat(22_000) } })
    events.capture({ event: 'circular', properties: circular })
    events.capture({ event: 'good' })
    await events.close()
    events.capture({ event: 'late' })
    same(
      heard.map(({ dropped: [one] }) => [one?.event.event, one?.reason]),
      [
        ['large', 'too_large'],
        ['circular', 'not_json'],
        ['late', 'closed'],
      ],
    )
    same(
      (await bodies()).map(({ batch }) => batch.map(({ event }) => event)),
      [['good', 'good']],
    )
  },

  'keeps a bounded number of events, and refuses the newest': async environment => {
    const { events, heard } = capturing(environment, 'never')
    for (let n = 0; n < 10_002; n++) events.capture({ event: String(n) })
    same(
      heard.map(({ dropped: [one] }) => [one?.event.event, one?.reason]),
      [
        ['10000', 'queue_full'],
        ['10001', 'queue_full'],
      ],
    )
    check(/10000 events were not sent/.test((await rejection(events.flush({ timeoutMs: 50 }))).message), 'flush')
    await events.close({ timeoutMs: 50 })
    same(reasons(heard).filter(reason => reason === 'not_confirmed').length, 10_000)
    const large = capturing(environment, 'never')
    for (let n = 0; n < 300; n++) large.events.capture({ event: 'a', properties: { text: 'x'.repeat(60_000) } })
    check(reasons(large.heard).length >= 20, `${reasons(large.heard).length} refused for their bytes`)
    await large.events.close({ timeoutMs: 0 })
  },

  'goes on if the function of the caller throws, and takes only objects': async environment => {
    const { client, unreliable } = environment
    const { fetch } = runOf(unreliable, 'receipt-privacy')
    const { events, recorded } = capturing(environment, 'receipt-late')
    for (const event of ['signup', null, undefined]) {
      const refused = await rejection(Promise.resolve().then(() => events.capture(event as never)))
      check(refused instanceof TypeError && /events\.capture\(\{ event: /.test(refused.message), String(refused))
    }
    await events.flush()
    same((await recorded()).length, 0)
    const none = { baseUrl: unreliable, fetch } as never
    check((await rejection(Promise.resolve().then(() => client.createEvents(none)))) instanceof TypeError, 'no key')
  },
}
