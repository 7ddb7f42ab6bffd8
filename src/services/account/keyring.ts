// Resolves keys, sessions and access tokens to principals, and caches them. A changed credential is dropped immediately in
// every process on the same database; unknown credentials are never cached.
import { clientNetwork } from '../../fair/address.ts'
import { openAttempts } from '../../fair/attempts.ts'
import { openCache } from '../../kit/cache.ts'
import type { Caller, Principal } from '../../kit/caller.ts'
import { Fault } from '../../kit/fault.ts'
import type { Credentials } from '../../kit/host/credentials.ts'
import { type LastUsed, openLastUsed } from './last-used.ts'
import {
  aliasOf,
  type CachedCredential,
  ended,
  type Finder,
  findersOf,
  type LookUpOptions,
  refused,
  requireWellFormed,
} from './look-ups.ts'

const KNOWN_MAX = 100_000
/** How often the last use of a key is updated. */
const USE_INTERVAL_MS = 60_000

export type Keyring = Credentials & Pick<LastUsed, 'flush'>
export type KeyringOptions = LookUpOptions & {
  warn: (error: unknown) => void
  /** How many unknown credentials one client address may present per minute. */
  refusedPerMinute: number
}

/** The cache alias for the notifications of each channel. */
const CHANNELS = {
  keys: aliasOf.credential,
  sign_ins: aliasOf.signIn,
  members: aliasOf.member,
  workspaces: aliasOf.workspace,
  apps: aliasOf.app,
  orgs: aliasOf.org,
}

export async function openKeyring(options: KeyringOptions): Promise<Keyring> {
  const { db, clock, warn } = options
  // The cache is keyed by the credential's text, because hashing it would cost a tenth of a small request. The text was
  // in memory with the request anyway, and expired entries are removed at the next look-up.
  const cache = openCache<CachedCredential>(db.isListening)
  for (const [channel, alias] of Object.entries(CHANNELS)) {
    await db.listen(channel, name => cache.drop(alias(name)), cache.clear)
  }
  const { note, flush } = openLastUsed(db, warn)
  const refusals = openAttempts(60_000, clock.elapsedMs)
  const find = findersOf({ ...options, db: db.for('credentials') })

  const UNKNOWN = new Map([
    [find.key, 'This key is unknown. Was it copied completely?'],
    [find.token, 'This is not an access token of this service, or it is no longer valid.'],
    [find.workspace, 'This is not a token of a workspace, or it is no longer valid.'],
  ])

  /** Keys that were found before are looked up even if others at the same address present unknown ones. */
  const known = new Set<string>()
  function remember(name: string): void {
    known.delete(name)
    known.add(name)
    if (known.size > KNOWN_MAX) known.delete(known.values().next().value as string)
  }

  function admitted(cached: CachedCredential, nowMs: number): Principal {
    if (cached.revoked) throw ended('key_revoked', 'This key was revoked; create another one.')
    if (cached.expiresMs <= nowMs) throw expired(cached)
    if (nowMs - cached.useNotedMs >= USE_INTERVAL_MS) {
      cached.useNotedMs = nowMs
      note(cached.principal.credential.id, nowMs)
    }
    return cached.principal
  }

  function resolve(name: string, text: string, address: string, finder: Finder): Principal | Promise<Principal> {
    const nowMs = clock.now().getTime()
    const cached = cache.get(name, nowMs, () => finder(text))
    return cached ? admitted(cached, nowMs) : lookUp(name, text, nowMs, clientNetwork(address), finder)
  }

  async function lookUp(name: string, text: string, nowMs: number, client: string, finder: Finder): Promise<Principal> {
    if (finder === find.key) requireWellFormed(text)
    const waitMs = refusals.waitMs(client, options.refusedPerMinute)
    if (waitMs > 0 && !known.has(name)) throw tooManyRefused(waitMs)
    const cached = await cache.load(name, nowMs, client, () => finder(text))
    if (cached) {
      if (finder === find.key) remember(name)
      return admitted(cached, clock.now().getTime())
    }
    refusals.count(client)
    throw refused(UNKNOWN.get(finder) ?? SIGNED_OUT)
  }

  return {
    // The digest covers the prefix, so the type of the key found is the type its text names.
    secretKey: (text, address) => resolve(text, text, address, find.key) as Caller | Promise<Caller>,
    publishableKey: (text, address) => resolve(text, text, address, find.key),
    accessToken: (text, address) => resolve(text, text, address, find.token) as Caller | Promise<Caller>,
    workspaceToken: (text, address) => resolve(text, text, address, find.workspace),
    session: (text, address) => resolve(`session ${text}`, text, address, find.session) as Caller | Promise<Caller>,
    flush,
  }
}

const tooManyRefused = (waitMs: number) =>
  new Fault('too_many_tries', {
    message: 'Too many unknown keys or tokens were sent from your address. Check the key, then try again later.',
    retryAfterS: Math.ceil(waitMs / 1000),
  })

const SIGNED_OUT = 'This session has ended; sign in again.'

function expired({ principal, expiresMs, isReplaced }: CachedCredential) {
  const { kind } = principal.credential
  if (kind === 'session') return refused(SIGNED_OUT)
  if (kind === 'token') return refused('This access token has expired; refresh it.')
  if (kind === 'workspace') return refused('This token has expired; create another one.')
  if (isReplaced) return ended('key_replaced', 'This key was replaced by a new one in a rotation; use that.')
  return ended('key_expired', `This key expired at ${new Date(expiresMs).toISOString()}; create another one.`)
}
