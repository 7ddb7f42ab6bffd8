// Who is calling. An operation's access rule yields this, and every store function takes its `org`.
import type { Limits } from './limits.ts'

declare const brand: unique symbol
/** An organisation's slug, which never changes. Branded so that no other string is passed where the tenant belongs. */
export type OrgId = string & { readonly [brand]: 'OrgId' }

export type Role = 'owner' | 'admin' | 'member'

/** In cents; 0 is no cap. */
export type Budget = { month: number; total: number }

/** What opened the door: kept in the audit trail and in the log, by id and never by text. */
export type Credential = {
  kind: 'secret' | 'publishable' | 'session' | 'token' | 'workspace'
  id: string
  /** SHA-256 of its text, in hex. */
  digest: string
  /** The digest of the sign-in it comes of, in hex; null for what comes of none. */
  signIn: string | null
  limits: Limits | null
  budget: Budget | null
  /** Requests a minute. */
  rate: number | null
}

/** Whoever holds a credential: a person, or a publishable key or the token of a workspace, which stand for the organisation
 *  and for nobody in it. */
export type Principal = {
  org: OrgId
  /** The project this request acts in; null for the whole organisation. */
  project: string | null
  /** Of a workspace's token: which one it is of. */
  workspace: string | null
  user: string | null
  email: string | null
  role: Role | null
  credential: Credential
}

export type Caller = Principal & { user: string; email: string; role: Role }

/** The organisation whose members run the platform itself. */
export const PLATFORM_ORG = 'admin' as OrgId

export const administers = (caller: Principal): boolean => caller.role === 'owner' || caller.role === 'admin'
export const isSuperadmin = (caller: Principal): boolean => caller.org === PLATFORM_ORG && caller.user !== null
/** A key that was given any bound at all may not make or change keys, or it could shed the bound. */
export const isLimited = ({ limits, budget, rate }: Credential): boolean => !!(limits || budget || rate)
