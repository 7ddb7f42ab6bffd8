// Who is calling. An operation's access rule yields this, and every store function takes its `org`.

declare const brand: unique symbol
/** An organisation's slug, which never changes. Branded so that no other string is passed where the tenant belongs. */
export type OrgId = string & { readonly [brand]: 'OrgId' }

export type Role = 'owner' | 'admin' | 'member'

export type Caller = {
  org: OrgId
  user: string
  email: string
  role: Role
  /** What opened the door: kept in the audit trail and in the log, by id and never by text. */
  credential: { kind: 'key'; id: string }
}

/** The organisation whose members run the platform itself. */
export const PLATFORM_ORG = 'admin' as OrgId

export const administers = (caller: Caller): boolean => caller.role === 'owner' || caller.role === 'admin'
export const isSuperadmin = (caller: Caller): boolean => caller.org === PLATFORM_ORG
