// How each kind of credential is looked up, and what is remembered of it.
import type { Clock, Database, Seal } from '../../engines/engines.ts'
import type { Writer } from '../../kit/caller.ts'
import { Fault } from '../../kit/fault.ts'
import { parseLimits } from '../../kit/limits.ts'
import { digestOf, isWellSpelled } from './key-text.ts'
import * as store from './store.ts'
import { verifyWorkspaceToken, workspaceIn } from './workspace-tokens.ts'

export type Held = { writer: Writer; expiresMs: number; revoked: boolean; useNotedMs: number }

/** What a valid access token says. */
export type TokenClaims = { user: string; org: string; signIn: string; expiresMs: number }

export type LookUpOptions = {
  db: Database
  clock: Clock
  seal: Seal
  /** Checks signature, issuer, audience, time and type of an access token; null when it is not one of ours. */
  verifyToken: (text: string) => Promise<TokenClaims | null>
}

/** The digest that changes call a credential by, and the look-up itself. */
export type Sought = { digest: string; look: () => Promise<Held | null> }
export type Finder = (text: string) => Sought | Promise<Sought>

export function findersOf(options: LookUpOptions): Record<'key' | 'session' | 'token' | 'workspace', Finder> {
  const { db, verifyToken } = options
  const seek = (digest: string, look: () => Promise<store.Found | null>): Sought => ({
    digest,
    look: async () => {
      const found = await look()
      return found && heldFrom(found, digest)
    },
  })
  return {
    key: text => {
      if (!isWellSpelled(text)) throw refused('This is not a key: its check digits are wrong. Was it copied whole?')
      const digest = digestOf(text)
      return seek(digest, () => store.findKey(db, digest))
    },
    session: text => {
      const digest = digestOf(text)
      return seek(digest, () => store.findSession(db, digest))
    },
    token: async text => {
      const claims = await verifyToken(text)
      if (!claims) throw refused('This is not an access token for this service, or it has expired.')
      const digest = digestOf(claims.signIn)
      return seek(digest, () => store.findSignIn(db, digest, claims))
    },
    workspace: text => {
      const workspace = workspaceIn(text)
      if (!workspace) throw refused('This is not the token of a workspace.')
      const digest = digestOf(workspace)
      return { digest, look: () => heldWorkspace(options, workspace, digest, text) }
    },
  }
}

function heldFrom(found: store.Found, digest: string): Held {
  const { id, kind, org, user, email, role, rate } = found
  const limits = parseLimits(found.limits)
  const only = limits?.project?.size === 1 ? [...limits.project][0] : undefined
  const capped = found.budget_month > 0 || found.budget_total > 0
  const budget = capped ? { month: found.budget_month, total: found.budget_total } : null
  const person = kind === 'publishable' ? { user: null, email: null, role: null } : { user, email, role }
  return {
    writer: { org, project: only ?? null, ...person, credential: { kind, id, digest, limits, budget, rate } },
    expiresMs: found.expires === null ? Number.POSITIVE_INFINITY : Date.parse(found.expires),
    revoked: found.revoked || role === null,
    useNotedMs: usedMs(found),
  }
}

async function heldWorkspace(options: LookUpOptions, id: string, digest: string, text: string): Promise<Held | null> {
  const workspace = await store.findWorkspace(options.db, id)
  const expiresMs = workspace && (await verifyWorkspaceToken(options, workspace, text))
  if (!workspace || expiresMs === null) return null
  const credential = { kind: 'workspace', id, digest, limits: null, budget: null, rate: null } as const
  const writer = { org: workspace.org, project: null, user: null, email: null, role: null, credential }
  return { writer, expiresMs, revoked: false, useNotedMs: Number.POSITIVE_INFINITY }
}

/** Only keys have a last use that is kept. */
function usedMs({ kind, last_used }: store.Found): number {
  if (kind === 'session' || kind === 'token') return Number.POSITIVE_INFINITY
  return last_used === null ? Number.NEGATIVE_INFINITY : Date.parse(last_used)
}

const CHALLENGE = { 'www-authenticate': 'Bearer error="invalid_token"' }

export const refused = (message: string) => new Fault('credential_refused', { message, headers: CHALLENGE })

export const ended = (code: 'key_expired' | 'key_revoked', message: string) =>
  new Fault(code, { message: `${message}; create another one.`, headers: CHALLENGE })
