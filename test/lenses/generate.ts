// Events of a shop over some days as they arrive: by several visitors, out of order, late, twice, and with joins. The same seed makes
// the same events.
import type { EventRow } from '../../src/engines/engines.ts'

const DAY_MS = 86_400_000
const PATHS = ['/', '/shop', '/shop/desk', '/cart', '/paid', '/blog', '/blog/walnut', '/about']
const SOURCES = ['(direct)', 'search.example', 'news.example', 'letter']
const NAMES = [
  '$pageview',
  '$pageview',
  '$pageview',
  '$pageview',
  'Product viewed',
  'Order paid',
  '$click',
  '$exception',
]

export type Generated = { org: string; seed: number; count: number; startMs: number; days: number; visitors: number }

/** mulberry32 */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** In the order of their arrival; some come twice. */
export function* generate({ org, seed, count, startMs, days, visitors }: Generated): Generator<EventRow> {
  const random = randomFrom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const pick = <T>(all: readonly T[]) => all[below(all.length)] as T
  const pending: EventRow[] = []
  const stepMs = (days * DAY_MS) / count
  for (let n = 0; n < count; n++) {
    const nowMs = startMs + n * stepMs
    const who = Math.floor(random() ** 2 * visitors)
    // Most events arrive at once, some seconds later, a few after hours.
    const lateMs = random() < 0.9 ? below(2_000) : random() < 0.8 ? below(90 * 60_000) : below(30 * 3_600_000)
    const timestamp = new Date(Math.floor(Math.max(startMs, nowMs - lateMs))).toISOString()
    const received = new Date(Math.floor(nowMs)).toISOString()
    const isKnown = who % 3 === 0 && random() < 0.5
    const [distinctId, anonymousId] = [isKnown ? `user-${who}` : null, `device-${who}`]
    const name = isKnown && random() < 0.02 ? '$identify' : pick(NAMES)
    const project = who % 5 === 0 ? 'shop' : null
    const paid = name === 'Order paid'
    const row: EventRow = {
      ...{
        org,
        project,
        workspace: who % 7 === 0 ? 'wsp_1' : null,
        id: `evt_${seed}_${n}`,
        wire: 'native',
        event: name,
      },
      ...{ received, timestamp, isClamped: false, distinctId, anonymousId },
      sessionId: who % 2 === 0 ? `s-${who}-${Math.floor(nowMs / 3_600_000)}` : null,
      ...{ revenue: paid ? below(100_00) / 100 : null, currency: paid ? pick(['EUR', 'USD']) : null },
      visitor: distinctId ?? anonymousId,
      join: name === '$identify' ? { id: anonymousId, to: `user-${who}` } : null,
      fingerprint: name === '$exception' ? `f${below(5)}` : null,
      properties: JSON.stringify({ plan: pick(['free', 'pro']), n: below(10) }),
      ...{ path: pick(PATHS), source: pick(SOURCES), campaign: random() < 0.1 ? 'spring' : null },
      ...{
        country: pick(['AT', 'DE', 'IN', 'NP']),
        device: pick(['desktop', 'mobile']),
        browser: pick(['Chrome', 'Firefox']),
      },
      ...{ system: pick(['Linux', 'iOS', 'Windows']), release: pick(['1.0', '1.1', null]) },
    }
    pending.push(row)
    // Of a few events that arrive together, any may be the first.
    if (pending.length > 20) yield pending.splice(below(pending.length), 1)[0] as EventRow
    if (random() < 0.01) yield row
  }
  yield* pending
}
