// Cookies of this host: how they are read and written.

/** The value of a cookie, null where it is not sent. Sent twice it is nobody's: browsers never do that with a name that
 *  begins with `__Host-`. */
export function cookieIn(header: string, name: string): string | null {
  const found = header
    .split(';')
    .map(pair => pair.replace(/^[ \t]+|[ \t]+$/g, '')) // And nothing else: a browser would let a neighbour set the rest.
    .filter(pair => pair.startsWith(`${name}=`))
  if (found.length === 0) return null
  return found.length === 1 ? (found[0] as string).slice(name.length + 1) : ''
}

/** A cookie that a browser keeps so long, sends to this host alone, and shows to no script. */
export const hostCookie = (name: string, value: string, maxAgeS: number): string =>
  `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${maxAgeS}`
