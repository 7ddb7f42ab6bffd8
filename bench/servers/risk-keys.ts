// The keys that the bench looks up: all kinds alternating, about a third of them members, and different keys in every
// request, so that look-ups read memory that is not in the CPU cache.
import { agentAt, COUNTS, crawlerAt, domainAt, relayAddressAt, relaySixAt, vpnAddressAt } from './risk-members.ts'

export const RESOLVE_PATH = '/v1/risk/reference/resolve'
export const KEYS_PER_REQUEST = 100
/** The number of overrides of the calling organisation, by set. */
export const OVERRIDES = { domain: 1_000, net: 200 }

/** A deterministic, evenly distributed sequence: xorshift by Marsaglia, 2003. */
export function openNumbers(seed: number): (below: number) => number {
  let state = seed | 1
  return below => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

type Numbers = ReturnType<typeof openNumbers>
type Make = (any: Numbers, isMember: boolean) => string

/** Numbers from here on are not members. */
const NON_MEMBERS = 2_000_000
const member = (any: Numbers, isMember: boolean, count: number) =>
  isMember ? any(count) : NON_MEMBERS + any(NON_MEMBERS)

const domain: Make = (any, isMember) => {
  const name = domainAt(member(any, isMember, COUNTS.domains))
  return any(4) === 0 ? `mx.${name}` : name
}

export const KINDS: Record<string, Make> = {
  'e-mail': (any, isMember) => `someone.${any(1_000)}@${domain(any, isMember)}`,
  domain,
  IPv4: (any, isMember) => {
    if (!isMember) return `${190 + any(20)}.${any(256)}.${any(256)}.${any(256)}`
    return any(3) === 0 ? vpnAddressAt(any(COUNTS.vpn), any(256)) : relayAddressAt(any(COUNTS.relay4))
  },
  IPv6: (any, isMember) => relaySixAt(member(any, isMember, COUNTS.relay6), `${1 + any(9)}:${1 + any(9)}`),
  'card prefix': (any, isMember) => `${isMember ? 4 : 8}${String(any(10_000_000)).padStart(7, '0')}`,
  agent: (any, isMember) => {
    if (!isMember) return agentAt(200 + any(700))
    return any(2) === 0
      ? agentAt(any(100))
      : `Mozilla/5.0 (compatible; ${crawlerAt(any(600))}/2.1; +https://bots.test/)`
  },
  ASN: (any, isMember) => `AS${isMember ? any(65_536) : 500_000 + any(100_000)}`,
  digest: any => Array.from({ length: 8 }, () => (0x10000000 + any(0x60000000)).toString(16)).join(''),
}

/** Members per ten keys, 4 by default. There are no digests in the sets. */
const MEMBERS_IN_TEN: Record<string, number> = { 'card prefix': 5, agent: 4, ASN: 4, digest: 0 }

/** How many of a hundred keys are members; it varies because random networks may be members. */
export const HITS = { min: 22, max: 48 }

export function keysOf(seed: number, kinds = Object.keys(KINDS), count = KEYS_PER_REQUEST): string[] {
  const any = openNumbers(Math.imul(seed + 1, 0x85ebca6b))
  for (let n = 0; n < 8; n++) any(2) // Mixes the seed.
  return Array.from({ length: count }, (_, at) => {
    const kind = kinds[at % kinds.length] as string
    return (KINDS[kind] as Make)(any, any(10) < (MEMBERS_IN_TEN[kind] ?? 4))
  })
}

export const bodyOf = (seed: number): string => JSON.stringify({ keys: keysOf(seed) })

/** Half of them are on members; one or two keys of each request match one. */
export function overridesOf(set: keyof typeof OVERRIDES): { key: string; verdict: 'allow' | 'deny'; note?: string }[] {
  return Array.from({ length: OVERRIDES[set] }, (_, n) => {
    const number = n % 2 === 0 ? n : NON_MEMBERS + n
    const key = set === 'domain' ? domainAt(number) : n < 4 ? `${196 + n}.0.0.0/8` : vpnAddressAt(number, 0)
    return { key, verdict: n % 3 === 0 ? 'allow' : 'deny', ...(n % 5 === 0 && { note: 'Seen in a review' }) }
  })
}
