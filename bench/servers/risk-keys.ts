// What the risk reference is asked in the bench: keys of every kind in turn, about a third of which are members, and
// different ones in every request, so that a look-up meets memory that nothing has warmed for it.
import { agentAt, COUNTS, crawlerAt, domainAt, relayAddressAt, relaySixAt, vpnAddressAt } from './risk-members.ts'

export const RESOLVE_PATH = '/v1/risk/reference/resolve'
export const KEYS_PER_REQUEST = 100
/** What the organisation that asks says itself, by set: so many entries. */
export const OVERRIDES = { domain: 1_000, net: 200 }

/** Always the same numbers, evenly spread; xorshift by Marsaglia, 2003. */
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

/** Numbers of what is not a member start here. */
const BEYOND = 2_000_000
const member = (any: Numbers, isMember: boolean, count: number) => (isMember ? any(count) : BEYOND + any(BEYOND))

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

/** Of all kinds equally many, and every second or third a member; there are no digests to be one. */
const MEMBERS_IN_TEN: Record<string, number> = { 'card prefix': 5, agent: 4, ASN: 4, digest: 0 }

/** How many keys of a hundred are members: where the random network of a key lies, a few more or less. */
export const HITS = { min: 22, max: 48 }

export function keysOf(seed: number, kinds = Object.keys(KINDS), count = KEYS_PER_REQUEST): string[] {
  const any = openNumbers(Math.imul(seed + 1, 0x85ebca6b))
  for (let turn = 0; turn < 8; turn++) any(2)
  return Array.from({ length: count }, (_, at) => {
    const kind = kinds[at % kinds.length] as string
    return (KINDS[kind] as Make)(any, any(10) < (MEMBERS_IN_TEN[kind] ?? 4))
  })
}

export const bodyOf = (seed: number): string => JSON.stringify({ keys: keysOf(seed) })

/** Half of them about members; a key or two of each request meet one. */
export function overridesOf(set: keyof typeof OVERRIDES): { key: string; verdict: 'allow' | 'deny'; note?: string }[] {
  return Array.from({ length: OVERRIDES[set] }, (_, n) => {
    const place = n % 2 === 0 ? n : BEYOND + n
    const key = set === 'domain' ? domainAt(place) : n < 4 ? `${196 + n}.0.0.0/8` : vpnAddressAt(place, 0)
    return { key, verdict: n % 3 === 0 ? 'allow' : 'deny', ...(n % 5 === 0 && { note: 'Seen in a review' }) }
  })
}
