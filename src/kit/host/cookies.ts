// Reads the Cookie header. Only spaces and tabs around a cookie are ignored: `trim()` would also remove other characters,
// and so accept names that a sibling host can set.

/** The value of a cookie; null if absent, empty if sent twice, which browsers never do with a `__Host-` name. */
export function cookieIn(header: string, name: string): string | null {
  let found: string | null = null
  for (let start = 0; start < header.length; start = endOf(header, start) + 1) {
    const at = afterBlanks(header, start)
    const valueAt = at + name.length + 1
    if (header[valueAt - 1] !== '=' || !header.startsWith(name, at)) continue
    if (found !== null) return ''
    found = header.slice(valueAt, beforeBlanks(header, endOf(header, at), valueAt))
  }
  return found
}

/** The names of the cookies, in the order in which they were sent. */
export function cookieNames(header: string): string[] {
  const names: string[] = []
  for (let start = 0; start < header.length; start = endOf(header, start) + 1) {
    const at = afterBlanks(header, start)
    const pair = header.slice(at, endOf(header, start))
    if (pair.includes('=')) names.push(pair.slice(0, pair.indexOf('=')))
  }
  return names
}

function endOf(header: string, start: number): number {
  const end = header.indexOf(';', start)
  return end < 0 ? header.length : end
}

function afterBlanks(header: string, start: number): number {
  let at = start
  while (isBlank(header.charCodeAt(at))) at++
  return at
}

function beforeBlanks(header: string, end: number, start: number): number {
  let at = end
  while (at > start && isBlank(header.charCodeAt(at - 1))) at--
  return at
}

const isBlank = (code: number) => code === 0x20 || code === 0x09

/** A cookie that the browser sends to this host only and hides from scripts. */
export const hostCookie = (name: string, value: string, maxAgeS: number): string =>
  `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${maxAgeS}`

/** Matches a `Set-Cookie` for one of Stoa's cookies, on any of its origins, because cookies ignore ports. Some browsers
 *  send a nameless cookie, `=__Host-stoa-…`, like one with that name. */
export const OWN_COOKIE = /^[\s=]*__(?:Host|Secure)-stoa-/i
