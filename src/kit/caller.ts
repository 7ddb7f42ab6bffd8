// The caller of an operation, as identified by its access rule. Every store function takes the caller's `org`.
import type { Limits } from './host/limits.ts'

declare const brand: unique symbol
/** An organisation's slug, which never changes. A branded type, so that no other string can be passed as the tenant. */
export type OrgId = string & { readonly [brand]: 'OrgId' }

/** The roles of an organisation's team. */
export type Role = 'owner' | 'admin' | 'member'
/** `user` is the role of a customer: a person who uses the organisation's apps and may only access their own account. */
export type CallerRole = Role | 'user'

/** In cents; 0 means no cap. */
export type Budget = { month: number; total: number }

/** The credential of the request. The audit trail and the log record its id, never its text. */
export type Credential = {
  kind: 'secret' | 'publishable' | 'session' | 'token' | 'workspace'
  id: string
  /** SHA-256 of its text, in hex. */
  digest: string
  /** The digest, in hex, of the sign-in that issued it; null if none did. */
  signIn: string | null
  /** Whether somebody other than its person may be able to use it: an app that is not trusted, whose token always acts
   *  with the role `member`; or the admin who set the person's password. Such a credential cannot issue, reveal or end
   *  credentials. */
  isRestricted: boolean
  /** Whether it may only read and write events: the token of an app that is not trusted. */
  isReadOnly: boolean
  limits: Limits | null
  budget: Budget | null
  /** Requests per minute. */
  rate: number | null
}

/** The subject of a credential: a person, or for publishable keys and workspace tokens the organisation alone. */
export type Principal = {
  org: OrgId
  /** The project this request acts in; null for the whole organisation. */
  project: string | null
  /** The workspace, for a workspace token. */
  workspace: string | null
  user: string | null
  email: string | null
  role: CallerRole | null
  credential: Credential
}

export type Caller = Principal & { user: string; email: string; role: CallerRole }

/** The members of this organisation are superadmins. */
export const ADMIN_ORG = 'admin' as OrgId

export const administers = (caller: Principal): boolean => caller.role === 'owner' || caller.role === 'admin'
export const isCustomer = ({ role }: Principal): boolean => role === 'user'
export const isSuperadmin = ({ org, user, role, credential }: Principal): boolean =>
  org === ADMIN_ORG && user !== null && role !== 'user' && !credential.isRestricted
/** A key with any limit must not create or change keys, or it could remove its own limit. */
export const isLimited = ({ limits, budget, rate }: Pick<Credential, 'limits' | 'budget' | 'rate'>): boolean =>
  !!(limits || budget || rate)
