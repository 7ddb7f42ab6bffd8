// How each kind of credential is looked up, and which parts of it are cached.
import type { Clock, Database, Seal } from '../../engines/engines.ts'
import type { Found } from '../../kit/cache.ts'
import type { OrgId, Principal } from '../../kit/caller.ts'
import { Fault } from '../../kit/fault.ts'
import { parseLimits } from '../../kit/host/limits.ts'
import type { IdentityProvider, TokenClaims } from '../../kit/host/sign-in.ts'
import {
  findMember,
  findSignIn,
  findWorkspaceToken,
  type MemberAccess,
  type SignedIn,
  workspaceIn,
} from '../iam/public.ts'
import { capsOf } from './bounds.ts'
import { digestOf, isWellFormed } from './key-text.ts'
import * as store from './store.ts'

export type CachedCredential = {
  principal: Principal
  expiresMs: number
  /** Whether it expires because another text replaces it. */
  isReplaced: boolean
  revoked: boolean
  useNotedMs: number
}

export type LookUpOptions = {
  db: Database
  clock: Clock
  seal: Seal
  verifyToken: IdentityProvider['verifyToken']
}

/** Looks a credential up by its text. Returns what to cache, and the aliases by which notifications name it. */
export type Finder = (text: string) => Promise<Found<CachedCredential> | null>

/** The cache aliases of what notifications name. */
export const aliasOf = {
  credential: (digest: string) => `credential ${digest}`,
  signIn: (digest: string) => `sign-in ${digest}`,
  member: (orgAndUser: string) => `member ${orgAndUser}`,
  workspace: (id: string) => `workspace ${id}`,
  app: (brandAndId: string) => `app ${brandAndId}`,
  org: (slug: string) => `org ${slug}`,
}

export function findersOf(options: LookUpOptions): Record<'key' | 'session' | 'token' | 'workspace', Finder> {
  const { db, verifyToken } = options
  return {
    key: async text => {
      const digest = digestOf(text)
      const found = await store.findKey(db, digest)
      if (!found) return null
      const member = await findMember(db, found.org, found.user)
      return cachedFrom(found, member, digest)
    },
    session: async text => {
      const digest = digestOf(text)
      const found = await store.findSession(db, digest)
      const member = found && (await findMember(db, found.org, found.user))
      return member && cachedFrom(found, member, digest)
    },
    token: async text => {
      const claims = await verifyToken(text)
      if (!claims) return null
      const digest = digestOf(claims.signIn)
      const signedIn = await findSignIn(db, digest, claims)
      return signedIn && cachedToken(claims, signedIn, digest)
    },
    workspace: async text => {
      const workspace = workspaceIn(text)
      return workspace === null ? null : cachedWorkspace(options, workspace, text)
    },
  }
}

/** Rejects a malformed key without a look-up. */
export function requireWellFormed(text: string): void {
  if (!isWellFormed(text)) throw refused('This is not a key: its check digits are wrong. Was it copied completely?')
}

/** `member` is null when the key's owner is no longer a member. */
function cachedFrom(found: store.Found, member: MemberAccess | null, digest: string): Found<CachedCredential> {
  const { id, kind, org, user, rate, signIn } = found
  const limits = parseLimits(found.limits)
  const onlyProject = limits?.project?.size === 1 ? [...limits.project][0] : undefined
  const budget = capsOf({ month: found.budget_month, total: found.budget_total })
  const isPerson = kind !== 'publishable' && member !== null
  const person = isPerson ? { user, email: member.email, role: member.role } : NOBODY
  const isRestricted = isPerson && member.isPlanted
  const credential = { kind, id, digest, signIn, isRestricted, isReadOnly: false, limits, budget, rate }
  return {
    value: {
      principal: { org, project: onlyProject ?? null, workspace: null, ...person, credential },
      ...endOf(found),
      revoked: found.revoked || member === null,
      useNotedMs: usedMs(found),
    },
    aliases: [aliasOf.credential(found.digest), aliasOf.member(`${org} ${user}`), aliasOf.org(org)],
    bytes: found.limits.reduce((sum, entry) => sum + LIMIT_BYTES + entry.length, 0),
  }
}

/** An entry of a limit in memory, besides its text. */
const LIMIT_BYTES = 50
const NOBODY = { user: null, email: null, role: null }
/** Only keys are revoked and replaced, and record their last use. */
const NO_KEY = { isReplaced: false, revoked: false, useNotedMs: Number.POSITIVE_INFINITY }
const UNLIMITED = { isRestricted: false, isReadOnly: false, limits: null, budget: null, rate: null }

function cachedToken(
  { user, org, signIn, expiresMs }: TokenClaims,
  { email, role, isPlanted, app, isTrusted, mayWrite }: SignedIn,
  digest: string,
): Found<CachedCredential> {
  const restriction = {
    ...UNLIMITED,
    isRestricted: isPlanted || !(isTrusted || role === 'user'),
    isReadOnly: !isTrusted && !mayWrite,
  }
  const credential = { kind: 'token' as const, id: signIn, digest, signIn: digest, ...restriction }
  const person = { user, email, role: role === 'user' || isTrusted ? role : ('member' as const) }
  const principal = { org: org as OrgId, project: null, workspace: null, ...person, credential }
  return {
    value: { principal, expiresMs, ...NO_KEY },
    aliases: [aliasOf.signIn(digest), aliasOf.member(`${org} ${user}`), aliasOf.app(app), aliasOf.org(org)],
  }
}

async function cachedWorkspace(
  options: LookUpOptions,
  id: string,
  text: string,
): Promise<Found<CachedCredential> | null> {
  const found = await findWorkspaceToken(options, id, text)
  if (!found) return null
  const { org, expiresMs } = found
  const credential = { kind: 'workspace' as const, id, digest: digestOf(id), signIn: null, ...UNLIMITED }
  const principal = { org, project: null, workspace: id, ...NOBODY, credential }
  return {
    value: { principal, expiresMs, ...NO_KEY },
    aliases: [aliasOf.workspace(id), aliasOf.org(org)],
  }
}

/** When the presented text stops working: with the key, or earlier because it was replaced. */
function endOf({ expires, isFormer, formerUntil }: store.Found): Pick<CachedCredential, 'expiresMs' | 'isReplaced'> {
  const expiresMs = expires === null ? Number.POSITIVE_INFINITY : Date.parse(expires)
  const replacedMs = formerUntil === null ? Number.NEGATIVE_INFINITY : Date.parse(formerUntil)
  return isFormer && replacedMs <= expiresMs
    ? { expiresMs: replacedMs, isReplaced: true }
    : { expiresMs, isReplaced: false }
}

/** Only keys record their last use. */
function usedMs({ kind, last_used }: store.Found): number {
  if (kind === 'session') return Number.POSITIVE_INFINITY
  return last_used === null ? Number.NEGATIVE_INFINITY : Date.parse(last_used)
}

const CHALLENGE = { 'www-authenticate': 'Bearer error="invalid_token"' }

export const refused = (message: string) => new Fault('credential_refused', { message, headers: CHALLENGE })

export const ended = (code: 'key_expired' | 'key_replaced' | 'key_revoked', message: string) =>
  new Fault(code, { message, headers: CHALLENGE })
