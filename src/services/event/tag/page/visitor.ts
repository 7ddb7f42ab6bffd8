// Who the visitor is, in localStorage: no cookie. Without storage, for as long as the page is open. Read for each event, because
// other tabs change it too.
import { safe } from './settings.ts'

/** `out`: the visitor opted out, and nothing else is stored. `last`: when the last event happened. */
type Visitor = { anon: string; user?: string | undefined; session: string; last: number; out?: boolean }

const STORE = 'stoa'
const SILENCE_MS = 30 * 60_000

let current: Partial<Visitor> = {}

export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => (byte + 256).toString(16).slice(1)).join('')

export const readStore = safe((name: string): unknown => JSON.parse(localStorage.getItem(name) ?? 'null'))
/** Whether it was stored. */
export const writeStore = safe((name: string, value: unknown): boolean => {
  localStorage.setItem(name, JSON.stringify(value))
  return true
})

function read(): Partial<Visitor> {
  const stored = readStore(STORE)
  if (stored && typeof stored === 'object') current = stored
  return current
}

function write(visitor: Partial<Visitor>): void {
  current = visitor
  writeStore(STORE, visitor)
}

/** The visitor at an event of that time. */
export function visitorAt(ms: number): Visitor {
  const { anon, user, session, last = 0 } = read()
  const visitor = {
    anon: anon || newId(),
    user,
    session: session && Math.abs(ms - last) < SILENCE_MS ? session : newId(),
    last: Math.max(ms, last),
  }
  write(visitor)
  return visitor
}

/** Returns whether this is another person than before. */
export function identifyAs(user: string): boolean {
  const before = read()
  if (before.user === user) return false
  // Otherwise two persons on one device would be joined.
  write(before.user ? { user } : { ...before, user })
  return true
}

export const forget = (): void => write({})
export const optedOut = (): boolean => read().out === true
export const optOut = (): void => write({ out: true })

/** Do Not Track or Global Privacy Control. */
export function wantsPrivacy(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as { doNotTrack?: unknown; globalPrivacyControl?: unknown }
  return doNotTrack === '1' || globalPrivacyControl === true
}
