/** The value of a cookie; null if absent, empty if sent twice, which browsers never do with a `__Host-` name. */
export function cookieIn(header: string, name: string): string | null {
  const found = header
    .split(';')
    .map(pair => pair.replace(/^[ \t]+|[ \t]+$/g, '')) // trim() would accept names that a sibling host can set.
    .filter(pair => pair.startsWith(`${name}=`))
  if (found.length === 0) return null
  return found.length === 1 ? (found[0] as string).slice(name.length + 1) : ''
}

/** A cookie that the browser sends to this host only and hides from scripts. */
export const hostCookie = (name: string, value: string, maxAgeS: number): string =>
  `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${maxAgeS}`
