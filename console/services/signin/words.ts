// What the choices of an app are called.
import type { App } from '../../../client/stoa.js'

export const PEOPLE: Record<App['people'], string> = { users: 'Customers', team: 'Team' }
export const TYPES: Record<App['type'], string> = { confidential: 'Server', public: 'Page or device' }
export const SIGN_UP: Record<App['signUp'], string> = { open: 'Everybody', invited: 'Invited people', closed: 'Nobody' }

export const PEOPLE_CHOICES = {
  users: 'Customers: with accounts of their own',
  team: 'Team: the members of the organisation',
}
export const TYPE_CHOICES = {
  confidential: 'Server: keeps a secret',
  public: 'Page or device: has no secret',
}
export const SIGN_UP_CHOICES = {
  open: 'Everybody may register',
  invited: 'Only people whose account you created',
  closed: 'Nobody: only existing accounts sign in',
}
