// Every set of the risk reference, in the order it is told: what it holds, how a key is tested, how old it may get, and
// whose data it is. A source whose terms are not known is not in here.
import type { Match } from './match/match.ts'
import { eu, listing, ofac, ofsi, un } from './sources/attested.ts'
import { aws } from './sources/aws.ts'
import { cloudflare4, cloudflare6 } from './sources/cloudflare.ts'
import { digitalocean } from './sources/digitalocean.ts'
import { disposable } from './sources/disposable.ts'
import { disposableMit } from './sources/disposable-mit.ts'
import { fastly } from './sources/fastly.ts'
import { fleet } from './sources/fleet.ts'
import { gcp } from './sources/gcp.ts'
import { iana, iana32 } from './sources/iana.ts'
import { linode } from './sources/linode.ts'
import { oracle } from './sources/oracle.ts'
import { patterns } from './sources/patterns.ts'
import { relay } from './sources/relay.ts'
import { reserved4, reserved6 } from './sources/reserved.ts'
import type { Source } from './sources/source.ts'
import { structure } from './sources/structure.ts'
import { topAgents } from './sources/top-agents.ts'
import { tor } from './sources/tor.ts'
import { vultr } from './sources/vultr.ts'
import { x4bnetHosting } from './sources/x4bnet-hosting.ts'
import { x4bnetVpn, x4bnetVpn6 } from './sources/x4bnet-vpn.ts'

/** Fetched from publishers, computed here, held by the component that screens, or declared and not held. */
export type SetKind = 'fetch' | 'local' | 'attest' | 'seam'

export type SetEntry = {
  set: string
  what: string
  kind: SetKind
  match: Match
  maxAgeHours: number
  sources: readonly Source[]
  /** Why a set is not held; only of a seam. */
  refusal?: string
}

// A publisher may miss a run or a weekend before its set counts as stale.
const DAILY = 36
const WEEKLY = 8 * 24
const MONTHLY = 40 * 24

export const CATALOGUE: readonly SetEntry[] = [
  {
    set: 'domain',
    what: 'Domains that hand out throwaway e-mail addresses.',
    kind: 'fetch',
    match: 'domain',
    maxAgeHours: WEEKLY,
    sources: [disposable, disposableMit],
  },
  {
    set: 'net',
    what: 'Networks of hosting companies, delivery networks, Tor, relays and VPNs, and blocks set aside.',
    kind: 'fetch',
    match: 'net',
    maxAgeHours: WEEKLY,
    sources: [
      // Of one network that several name, the first is believed: what somebody hides behind says more than whose it is.
      ...[tor, relay, x4bnetVpn, x4bnetVpn6, reserved4, reserved6],
      ...[aws, gcp, oracle, digitalocean, linode, vultr, fastly, cloudflare4, cloudflare6],
    ],
  },
  {
    set: 'crawler',
    what: 'Patterns by which crawlers are told from what they call themselves.',
    kind: 'fetch',
    match: 'pattern',
    maxAgeHours: MONTHLY,
    sources: [patterns],
  },
  {
    set: 'browser',
    what: 'What the most common browsers call themselves.',
    kind: 'fetch',
    match: 'exact',
    maxAgeHours: MONTHLY,
    sources: [topAgents],
  },
  {
    set: 'asn',
    what: 'Autonomous system numbers: the registry each range was given to, and those of hosting companies.',
    kind: 'fetch',
    match: 'range',
    maxAgeHours: MONTHLY,
    sources: [iana, iana32, x4bnetHosting],
  },
  {
    set: 'bin',
    what: 'Prefixes of card numbers: the scheme, and how long its numbers are.',
    kind: 'local',
    match: 'digits',
    maxAgeHours: MONTHLY,
    sources: [structure],
  },
  {
    set: 'device',
    what: 'Digests of devices that many organisations have seen.',
    kind: 'local',
    match: 'exact',
    maxAgeHours: DAILY,
    sources: [fleet],
  },
  {
    set: 'sanction',
    what: 'Persons and organisations designated by sanctions authorities.',
    kind: 'attest',
    match: 'exact',
    maxAgeHours: DAILY,
    sources: [ofac, un, eu, ofsi],
  },
  {
    set: 'jurisdiction',
    what: 'Jurisdictions that are restricted or listed as of higher risk.',
    kind: 'attest',
    match: 'exact',
    maxAgeHours: MONTHLY,
    sources: [listing],
  },
  {
    set: 'pep',
    what: 'Politically exposed persons.',
    kind: 'seam',
    match: 'exact',
    maxAgeHours: WEEKLY,
    sources: [],
    refusal:
      'Complete lists are sold under contract and the open one is for non-commercial use, and no licence is held.',
  },
  {
    set: 'issuer',
    what: 'Which bank issued a card, where and of what kind.',
    kind: 'seam',
    match: 'digits',
    maxAgeHours: MONTHLY,
    sources: [],
    refusal:
      'The tables belong to the card schemes and are shared under contract, and free copies tell no clean origin.',
  },
  {
    set: 'reputation',
    what: 'Addresses known for abuse.',
    kind: 'seam',
    match: 'net',
    maxAgeHours: DAILY,
    sources: [],
    refusal: 'Feeds of address reputation are sold under contract or restrict their use, and no licence is held.',
  },
]
