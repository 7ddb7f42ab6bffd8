/** The value of a cookie; null if absent, empty if sent twice, which browsers never do with a `__Host-` name. */
export function cookieIn(header: string, name: string): string | null {
  let found: string | null = null
  for (const pair of pairsIn(header)) {
    if (pair[name.length] !== '=' || !pair.startsWith(name)) continue
    if (found !== null) return ''
    found = pair.slice(name.length + 1)
  }
  return found
}

/** The names of the cookies, in the order in which they were sent. */
export const cookieNames = (header: string): string[] =>
  pairsIn(header).flatMap(pair => (pair.includes('=') ? [pair.slice(0, pair.indexOf('='))] : []))

const pairsIn = (header: string) => header.split(';').map(withoutBlanks)

/** `trim()` would remove further characters, and so accept names that a sibling host can set. A regular expression that
 *  removes blanks at the end takes quadratic time. */
function withoutBlanks(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

const isBlank = (code: number) => code === 0x20 || code === 0x09

/** A cookie that the browser sends to this host only and hides from scripts. */
export const hostCookie = (name: string, value: string, maxAgeS: number): string =>
  `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${maxAgeS}`
