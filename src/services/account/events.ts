// The events about keys. None of them contains the text of a key, not even that of a publishable one.
import { Changed, event } from '../../kit/events.ts'
import { UserId } from '../iam/public.ts'
import { Key } from './record.ts'

const { id, name, type, expires, overlapUntil } = Key.properties
const key = { id, name, type, user: { ...UserId, description: 'The owner of the key, `usr_…`' } }

export const keyCreated = event('account.key.created', 'A person created a key', { ...key, expires })
export const keyUpdated = event('account.key.updated', 'The owner of a key changed its name or its bounds', {
  ...key,
  changed: Changed,
})
export const keyRotated = event('account.key.rotated', 'The owner of a key replaced its text', { ...key, overlapUntil })
export const keyRevoked = event('account.key.revoked', 'A key was revoked by its owner, or by an owner or admin', {
  ...key,
  revokedBy: { ...UserId, description: 'The person who revoked it, `usr_…`' },
})
