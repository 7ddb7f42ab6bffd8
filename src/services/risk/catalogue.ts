// Every set of the risk reference, in the order of the listing: its content, how keys are matched, its maximum age and
// its sources. Sources with unknown terms are not included.

import type { Match } from './match/match.ts'
import { eu, listing, ofac, ofsi, un } from './sources/attested.ts'
import { fleet } from './sources/fleet.ts'
import { iana, iana32 } from './sources/iana.ts'
import {
  cloudflare4,
  cloudflare6,
  digitalocean,
  disposable,
  disposableMit,
  linode,
  relay,
  tor,
  vultr,
  x4bnetVpn,
  x4bnetVpn6,
} from './sources/lists.ts'
import { aws, fastly, gcp, oracle } from './sources/operators.ts'
import { patterns } from './sources/patterns.ts'
import { reserved4, reserved6 } from './sources/reserved.ts'
import type { Source } from './sources/source.ts'
import { structure } from './sources/structure.ts'
import { topAgents } from './sources/top-agents.ts'
import { x4bnetHosting } from './sources/x4bnet-hosting.ts'

/** Fetched from sources, computed here, stored by the component that screens against it, or declared without data. */
export type SetKind = 'fetch' | 'local' | 'attest' | 'seam'

export type SetEntry = {
  set: string
  what: string
  kind: SetKind
  match: Match
  maxAgeHours: number
  sources: readonly Source[]
  /** Why there is no data; only for kind `seam`. */
  refusal?: string
}

// A source may miss a run or a weekend before its set counts as stale.
const DAILY = 36
const WEEKLY = 8 * 24
const MONTHLY = 40 * 24

export const CATALOGUE: readonly SetEntry[] = [
  {
    set: 'domain',
    what: 'Domains of disposable e-mail addresses.',
    kind: 'fetch',
    match: 'domain',
    maxAgeHours: WEEKLY,
    sources: [disposable, disposableMit],
  },
  {
    set: 'net',
    what: 'Networks of hosting companies, content delivery networks, Tor, relays and VPNs, and reserved blocks.',
    kind: 'fetch',
    match: 'net',
    maxAgeHours: WEEKLY,
    sources: [
      // If several sources list a network, the first wins: an anonymiser matters more than the owner of the network.
      tor,
      relay,
      x4bnetVpn,
      x4bnetVpn6,
      reserved4,
      reserved6,
      aws,
      gcp,
      oracle,
      digitalocean,
      linode,
      vultr,
      fastly,
      cloudflare4,
      cloudflare6,
    ],
  },
  {
    set: 'crawler',
    what: 'Patterns that match the user agents of crawlers.',
    kind: 'fetch',
    match: 'pattern',
    maxAgeHours: MONTHLY,
    sources: [patterns],
  },
  {
    set: 'browser',
    what: 'User agents of the most common browsers.',
    kind: 'fetch',
    match: 'exact',
    maxAgeHours: MONTHLY,
    sources: [topAgents],
  },
  {
    set: 'asn',
    what: 'Autonomous system numbers: the registry each range is assigned to, and the systems of hosting companies.',
    kind: 'fetch',
    match: 'range',
    maxAgeHours: MONTHLY,
    sources: [iana, iana32, x4bnetHosting],
  },
  {
    set: 'bin',
    what: 'Card number prefixes: the scheme and the length of its card numbers.',
    kind: 'local',
    match: 'digits',
    maxAgeHours: MONTHLY,
    sources: [structure],
  },
  {
    set: 'device',
    what: 'Digests of devices seen by many organisations.',
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
    what: 'Jurisdictions that are restricted or listed as higher risk.',
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
    refusal: 'Complete lists are sold under contract, the open one is for non-commercial use, and Stoa has no licence.',
  },
  {
    set: 'issuer',
    what: 'The bank that issued a card, its country and the kind of card.',
    kind: 'seam',
    match: 'digits',
    maxAgeHours: MONTHLY,
    sources: [],
    refusal:
      'The tables belong to the card schemes and are shared under contract, and the origin of free copies is unclear.',
  },
  {
    set: 'reputation',
    what: 'IP addresses known for abuse.',
    kind: 'seam',
    match: 'net',
    maxAgeHours: DAILY,
    sources: [],
    refusal: 'Feeds of address reputation are sold under contract or restrict their use, and Stoa has no licence.',
  },
]
