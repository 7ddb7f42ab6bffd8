// Collects networks that an operator claims. No operator owns a whole address family or a special-purpose block.
import { memberFrom } from '../match/match.ts'
import { type Collector, openCollector } from './collector.ts'

/**
 * Blocks of IANA's special-purpose registries. Operators list some by mistake: with 2002::/16 in a hosting feed every
 * 6to4 address would be classified as hosting.
 */
const SPECIAL_PURPOSE = new Set([
  '0.0.0.0/8',
  '0.0.0.0/32',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '255.255.255.255/32',
  '::/128',
  '::1/128',
  '100::/64',
  '2001::/23',
  '2001::/32',
  '2001:2::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
])

export function openNetworkCollector(): Collector {
  const collector = openCollector('net')
  return {
    ...collector,
    add(text, value) {
      const key = typeof text === 'string' ? memberFrom('net', text) : null
      if (key === null) return collector.bad(text)
      if (SPECIAL_PURPOSE.has(key)) return collector.drop()
      if (lengthOf(key) < (key.includes(':') ? LENGTH_MIN_IPV6 : LENGTH_MIN_IPV4)) return collector.bad(text)
      collector.keep(key, value)
    },
  }
}

/** No operator has a larger block. A shorter prefix length is probably one with a missing digit. */
const LENGTH_MIN_IPV4 = 8
const LENGTH_MIN_IPV6 = 16

export const lengthOf = (key: string): number => Number(key.slice(key.lastIndexOf('/') + 1))
