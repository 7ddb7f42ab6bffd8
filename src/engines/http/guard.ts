// The addresses that outgoing calls may connect to: public ones, and those that the settings allow.
import { BlockList, isIP } from 'node:net'

/** IPv4 blocks that are not on the public internet (IANA special-purpose registry, and multicast). */
const PRIVATE_V4 = [
  '0.0.0.0/8',
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
]
/** Global unicast is 2000::/3; these blocks of it are for tunnels or documentation. Everything outside 2000::/3 is
 *  refused: mapped, translated (64:ff9b::), unique-local, link-local and multicast addresses. */
const PUBLIC_V6 = '2000::/3'
const PRIVATE_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

export type AddressGuard = (address: string) => boolean

export function addressGuard(allow: readonly string[]): AddressGuard {
  const allowed = cidrList(allow)
  const private4 = cidrList(PRIVATE_V4)
  const public6 = cidrList([PUBLIC_V6])
  const private6 = cidrList(PRIVATE_V6)
  return address => {
    const family = isIP(address)
    if (family === 0) return false
    if (allowed.check(address, family === 4 ? 'ipv4' : 'ipv6')) return true
    if (family === 4) return !private4.check(address, 'ipv4')
    return public6.check(address, 'ipv6') && !private6.check(address, 'ipv6')
  }
}

/** Parses addresses and CIDRs; throws on the first that is neither. */
export function cidrList(texts: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of texts) {
    const [address = '', bits, ...rest] = text.split('/')
    const family = isIP(address)
    const width = family === 4 ? 32 : 128
    const prefix = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
    if (family === 0 || rest.length > 0 || prefix < 0 || prefix > width) {
      throw new Error(`${JSON.stringify(text)} is not an address or a CIDR such as 10.0.0.0/8`)
    }
    list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

/** Names that stand for this machine wherever they are looked up (RFC 6761). */
export const isLocalhost = (name: string): boolean => /^(?:[a-z0-9-]+\.)*localhost\.?$/.test(name)
