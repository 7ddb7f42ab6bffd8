// The roles of the team. Only an owner adds, changes or removes owners.
import type { Role } from '../../../client/stoa.js'
import type { Me } from '../../api.ts'

export const ROLES: Record<Role, string> = { owner: 'Owner', admin: 'Admin', member: 'Member' }

/** In a sentence: `she is an admin`. */
export const NAMED: Record<Role, string> = { owner: 'an owner', admin: 'an admin', member: 'a member' }

const SAYS = {
  member: 'Member: uses every service',
  admin: 'Admin: also manages members, apps and settings',
  owner: 'Owner: also manages owners, and can delete the organisation',
}

/** The roles that this person may give. */
export function rolesOf({ role }: Me): Record<string, string> {
  const { owner, ...others } = SAYS
  return role === 'owner' ? { ...others, owner } : others
}

/** Whether this person may change someone with that role. */
export const mayChange = (me: Me, role: Role) => me.role === 'owner' || (me.role === 'admin' && role !== 'owner')
