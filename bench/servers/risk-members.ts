// Generates two million members of the risk reference, the same at every run: a document for each source in its own
// format, with members distributed like the real ones. Members are functions of a number, so that keys can name
// members and non-members without storing them.

export const COUNTS = { domains: 1_200_000, reviewed: 100_000, relay4: 500_000, relay6: 100_000, vpn: 130_000 }
/** How many of the reviewed domains are also in the larger list. */
const REVIEWED_BOTH = COUNTS.reviewed / 2
const OPERATOR_NETWORKS = 2_000
const PATTERNS = 600
const AGENTS = 100

/** Scatters consecutive numbers over 32 bits without collisions. */
const scattered = (number: number) => Math.imul(number + 1, 0x9e3779b1) >>> 0

const SYLLABLES = [...'bcdfghjklmnprstvwxyz'].flatMap(first => [...'aeiou'].map(second => first + second))
const ENDINGS = ['com', 'net', 'xyz', 'info', 'top', 'org', 'site', 'online', 'co.uk', 'ru', 'de', 'click']
const BEGINNINGS = ['', '', '', 'mail', 'temp', 'my', 'in-', 'e']

function syllables(number: number): string {
  let text = ''
  for (let left = scattered(number); left > 0; left = Math.floor(left / 100)) text += SYLLABLES[left % 100]
  return text
}

/** Domain `n` is a member when `n` is less than their count. */
export const domainAt = (n: number): string =>
  `${BEGINNINGS[n % BEGINNINGS.length]}${syllables(n)}.${ENDINGS[n % ENDINGS.length]}`

const quad = (value: number) => `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`
const hex = (value: number) => value.toString(16)

/** Half of the addresses of one /12 are members, as in the real feed. */
export const relayAddressAt = (n: number): string => quad(0xace00000 + (scattered(n) & 0xfffff))
export const relaySixAt = (n: number, rest = ''): string => {
  const value = scattered(n)
  return `2a02:26f7:${hex(value >>> 16)}:${hex(value & 0xffff)}::${rest}`
}
/** /24 networks anywhere. */
export const vpnAddressAt = (n: number, last: number): string => quad((((scattered(n) & 0xffffff) << 8) >>> 0) + last)

export const crawlerAt = (n: number): string => `${syllables(n)}bot`
export const agentAt = (n: number): string =>
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${100 + n}.0.0.0 Safari/537.36`

/** All 16-bit numbers are assigned, and these 32-bit ones. */
const SYSTEMS_32 = [
  ['131072-153913', 'APNIC'],
  ['196608-216475', 'RIPE NCC'],
  ['262144-274844', 'LACNIC'],
  ['327680-329727', 'AFRINIC'],
  ['393216-402332', 'ARIN'],
] as const

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))
const lines = (rows: readonly string[]) => `${rows.join('\n')}\n`

/** The document of each source, by its name. */
export const documents: Record<string, () => string> = {
  'disposable-mit': () => lines(times(COUNTS.domains, domainAt)),
  disposable: () => lines(times(COUNTS.reviewed, n => domainAt(COUNTS.domains - REVIEWED_BOTH + n))),
  relay: () =>
    lines([
      ...times(COUNTS.relay4, n => `${relayAddressAt(n)}/32,${n % 3 ? 'US' : 'DE'},US-CA,Los Angeles,`),
      ...times(COUNTS.relay6, n => `${relaySixAt(n)}/64,${n % 3 ? 'US' : 'DE'},US-NY,New York,`),
    ]),
  'x4bnet-vpn': () => lines(times(COUNTS.vpn, n => `${vpnAddressAt(n, 0)}/24`)),
  'x4bnet-vpn6': () => lines(times(200, n => `2a03:${hex(n)}::/32`)),
  aws: () =>
    JSON.stringify({
      prefixes: times(OPERATOR_NETWORKS * 4, n => ({ ip_prefix: operatorNetwork(0, n), region: `us-east-${n % 9}` })),
      ipv6_prefixes: times(OPERATOR_NETWORKS, n => ({ ipv6_prefix: `2600:1f00:${hex(n)}::/48`, region: 'us-east-1' })),
    }),
  gcp: () =>
    JSON.stringify({ prefixes: times(1_000, n => ({ ipv4Prefix: operatorNetwork(1, n), scope: 'us-west1' })) }),
  oracle: () =>
    JSON.stringify({
      regions: times(40, region => ({
        region: `region-${region}`,
        cidrs: times(20, n => ({ cidr: operatorNetwork(2, region * 20 + n) })),
      })),
    }),
  digitalocean: () => lines(times(OPERATOR_NETWORKS, n => `${operatorNetwork(3, n)},NL,NL-NH,Amsterdam,1105AT`)),
  linode: () => lines(times(OPERATOR_NETWORKS, n => `${operatorNetwork(4, n)},US,US-TX,Richardson,`)),
  vultr: () => lines(times(OPERATOR_NETWORKS, n => `${operatorNetwork(5, n)},US,US-NJ,Piscataway,`)),
  fastly: () => JSON.stringify({ addresses: ['151.101.0.0/16'], ipv6_addresses: ['2a04:4e40::/32'] }),
  cloudflare4: () => lines(['104.16.0.0/13', '172.64.0.0/13']),
  cloudflare6: () => lines(['2606:4700::/32']),
  tor: () => lines(times(1_500, n => quad(0xb9dc0000 + n))),
  reserved4: () => lines(['Address Block,Name,RFC', '10.0.0.0/8,Private-Use,[RFC1918]']),
  reserved6: () => lines(['Address Block,Name,RFC', 'fc00::/7,Unique-Local,[RFC4193]']),
  patterns: () =>
    JSON.stringify(times(PATTERNS, n => ({ pattern: `${crawlerAt(n)}\\/`, url: `https://bots.test/${n}` }))),
  'top-agents': () => JSON.stringify(times(AGENTS, agentAt)),
  iana: () => lines(['Number,Description', ...times(64, n => `${n * 1024}-${n * 1024 + 1023},Assigned by ARIN`)]),
  iana32: () =>
    lines(['Number,Description', ...SYSTEMS_32.map(([range, registry]) => `${range},Assigned by ${registry}`)]),
  'x4bnet-hosting': () => lines(times(500, n => `AS${1_000 + n * 37} # Hosting company ${n}`)),
}

/** Each network operator has its own /8. */
const operatorNetwork = (operator: number, n: number) => `${quad(((60 + operator) << 24) + (n << 10))}/22`
