// Subjects that clients choose themselves, such as `commerce.order.created`.
import type { Principal } from '../../kit/caller.ts'

/** Only the platform publishes subjects with these prefixes. */
export const OWN_FAMILIES = [
  ...['event', 'iam', 'account', 'project', 'risk', 'ai', 'billing', 'webhook', 'auto'],
  ...['task', 'kms', 'search', 'o11y', 'platform'],
]

export type SubjectReason = 'subject_invalid' | 'subject_reserved' | 'subject_not_allowed'

const SUBJECT = /^[A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64}){1,15}$/

/** The subject, if this caller may publish under it. A credential that a browser may hold publishes `event.` only. */
export function requireSubject(subject: string, { user }: Principal): string | { drop: SubjectReason } {
  if (!SUBJECT.test(subject)) return { drop: 'subject_invalid' }
  const family = subject.split('.', 1)[0]?.toLowerCase() as string
  if (OWN_FAMILIES.includes(family)) return { drop: 'subject_reserved' }
  return user === null ? { drop: 'subject_not_allowed' } : subject
}
