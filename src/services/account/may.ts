// Describes what a key may do, for the person who creates it.
import { type Caller, type CallerRole, isLimited } from '../../kit/caller.ts'
import { type Limits, parseLimits, permitsService } from '../../kit/host/limits.ts'
import { capsOf } from './bounds.ts'
import type { KeyType } from './key-text.ts'
import type { Bounds } from './store.ts'

/** The service that publishable keys write to. */
const EVENTS = 'event'
const ROLES: Record<CallerRole, string> = {
  owner: 'an owner',
  admin: 'an admin',
  member: 'a member',
  user: 'a customer',
}
const list = new Intl.ListFormat('en-GB')

export function mayOf(
  { type, limits: entries, budget, rate, expires }: Bounds & { type: KeyType },
  { email, role, org }: Pick<Caller, 'email' | 'role' | 'org'>,
  currency: string,
): string[] {
  const limits = parseLimits(entries)
  const caps = capsOf(budget)
  const isSecret = type === 'secret'
  return [
    ...(isSecret ? [`Acts as ${email}, ${ROLES[role]} of ${org}.`, ...servicesIn(limits)] : [eventsIn(limits)]),
    ...(limits?.project ? [`Only in the ${named('project', limits.project)}.`] : []),
    ...(isSecret && limits?.model ? [`Calls only the ${named('model', limits.model)}.`] : []),
    ...(isSecret && caps ? [`Spends at most ${amountsOf(caps, currency)} on model calls.`] : []),
    ...(rate === null ? [] : [`At most ${rate} ${rate === 1 ? 'request' : 'requests'} a minute.`]),
    ...(isSecret && isLimited({ limits, budget: caps, rate })
      ? ['Creates and changes no keys or other credentials, but may revoke them.']
      : []),
    expires === null ? `Works until it is revoked, or ${email} leaves ${org}.` : `Ends at ${expires}.`,
  ]
}

/** The services that a secret key may use. */
function servicesIn(limits: Limits | null): string[] {
  const product = limits?.product ?? new Set<string>()
  const read = new Set([...(limits?.read ?? [])].filter(name => !product.has(name)))
  if ((product.size === 0 && read.size === 0) || product.has('*')) return ['Reads and writes whatever this person may.']
  const writes = product.size > 0 ? [`Reads and writes the ${named('service', product)}.`] : []
  if (read.has('*'))
    return [...writes, writes.length > 0 ? 'Only reads all others.' : 'Reads every service and writes nothing.']
  const reads = read.size > 0 ? [`Only reads the ${named('service', read)}.`] : []
  return [...writes, ...reads, 'Reaches no other service.']
}

/** What a publishable key may do. */
const eventsIn = (limits: Limits | null): string =>
  limits === null || permitsService(limits, EVENTS, false)
    ? 'Writes events and reads nothing.'
    : `Does nothing: a publishable key writes events, and its limit does not include the service ${EVENTS}.`

const named = (what: string, names: ReadonlySet<string>) => `${what}${names.size > 1 ? 's' : ''} ${list.format(names)}`

function amountsOf({ month, total }: Bounds['budget'], currency: string): string {
  const amount = (cents: number) => `${(cents / 100).toFixed(2)} ${currency}`
  return list.format([
    ...(month > 0 ? [`${amount(month)} a month`] : []),
    ...(total > 0 ? [`${amount(total)} in total`] : []),
  ])
}
