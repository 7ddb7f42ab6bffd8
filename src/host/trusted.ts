// The proxies whose headers count.
import { type BlockList, isIPv6 } from 'node:net'

/** `trusted` is null when there are none. */
export function isTrusted(trusted: BlockList | null, address: string | undefined): boolean {
  return trusted !== null && address !== undefined && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
