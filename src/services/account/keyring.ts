// Resolves keys, sessions and access tokens to principals, and caches them. A changed credential is dropped at once in
// every process on the same database; unknown credentials are never cached.
import { openCache } from '../../kit/cache.ts'
import type { Caller, Principal } from '../../kit/caller.ts'
import type { Credentials } from '../../kit/credentials.ts'
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

/** How often the last use of a key is updated. */
const USE_INTERVAL_MS = 60_000

export type Keyring = Credentials & Pick<LastUsed, 'flush' | 'close'>
export type KeyringOptions = LookUpOptions & { warn: (error: unknown) => void }

/** The cache alias for the notifications of each channel. */
const CHANNELS = {
  keys: aliasOf.credential,
  sign_ins: aliasOf.signIn,
  members: aliasOf.member,
  workspaces: aliasOf.workspace,
}

export async function openKeyring(options: KeyringOptions): Promise<Keyring> {
  const { db, clock, warn } = options
  // The cache is keyed by the credential's text, because hashing it would cost a tenth of a small request. The text was
  // in memory with the request anyway, and expired entries are removed at the next look-up.
  const cache = openCache<CachedCredential>()
  for (const [channel, alias] of Object.entries(CHANNELS)) {
    await db.listen(channel, name => cache.drop(alias(name)), cache.clear)
  }
  const { note, flush, close } = openLastUsed(db, warn)
  const find = findersOf(options)

  const UNKNOWN = new Map([
    [find.key, 'This key is unknown. Was it copied completely?'],
    [find.workspace, 'This token belongs to no workspace here, or it has ended.'],
  ])

  function admitted(cached: CachedCredential, nowMs: number): Principal {
    if (cached.revoked) throw ended('key_revoked', 'This key was revoked')
    if (cached.expiresMs <= nowMs) throw expired(cached)
    if (nowMs - cached.useNotedMs >= USE_INTERVAL_MS) {
      cached.useNotedMs = nowMs
      note(cached.principal.credential.id, nowMs)
    }
    return cached.principal
  }

  function resolve(name: string, text: string, finder: Finder): Principal | Promise<Principal> {
    const nowMs = clock.now().getTime()
    const cached = cache.get(name, nowMs)
    return cached ? admitted(cached, nowMs) : lookUp(name, text, nowMs, finder)
  }

  async function lookUp(name: string, text: string, nowMs: number, finder: Finder): Promise<Principal> {
    if (finder === find.key) requireWellFormed(text)
    const cached = await cache.load(name, nowMs, () => finder(text))
    if (!cached) throw refused(UNKNOWN.get(finder) ?? SIGNED_OUT)
    return admitted(cached, clock.now().getTime())
  }

  return {
    // The digest covers the prefix, so the type of the key found is the type its text names.
    secretKey: text => resolve(text, text, find.key) as Caller | Promise<Caller>,
    publishableKey: text => resolve(text, text, find.key),
    accessToken: text => resolve(text, text, find.token) as Caller | Promise<Caller>,
    workspaceToken: text => resolve(text, text, find.workspace),
    session: text => resolve(`session ${text}`, text, find.session) as Caller | Promise<Caller>,
    flush,
    close,
  }
}

const SIGNED_OUT = 'This session has ended; sign in again.'

function expired({ principal, expiresMs }: CachedCredential) {
  const { kind } = principal.credential
  if (kind === 'session') return refused(SIGNED_OUT)
  if (kind === 'token') return refused('This access token has expired; refresh it.')
  if (kind === 'workspace') return refused('This token has expired; create another one.')
  return ended('key_expired', `This key expired at ${new Date(expiresMs).toISOString()}`)
}
