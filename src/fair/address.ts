/** The part of an address that identifies one client. For IPv6, it is the first 64 bits: the holder of one address
 *  usually has all others of that network. */
export function clientNetwork(address: string): string {
  if (!address.includes(':')) return address
  const mapped = address.toLowerCase().match(/^::ffff:(\d+\.\d+\.\d+\.\d+)$/)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = address.toLowerCase().split('%', 1)[0]!.split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : new Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0')
  return `${[...first, ...zeros, ...last]
    .slice(0, 4)
    .map(part => part.replace(/^0{1,3}(?=.)/, ''))
    .join(':')}::/64`
}
