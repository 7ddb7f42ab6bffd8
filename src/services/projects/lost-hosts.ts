// What happens when a host is no longer verified: the entry in the audit trail of its organisation, the event, and the mail
// to the owners.
import type { Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { emitting, type Publishing } from '../../kit/events.ts'
import { addNotice, ownersOf, recordInTrail } from '../iam/public.ts'
import { domainLost } from './events.ts'
import { recordName } from './host-name.ts'
import { schedule } from './state.ts'
import * as store from './store.ts'

/** Why a host is no longer verified. `domain.lapse`: its record was missing in several daily checks. `domain.lose`: it
 *  was missing while another project proved that it owns the host. */
type Loss = 'domain.lapse' | 'domain.lose'

/** What the trail records for changes that nobody in the organisation made. It does not name who proved the host. */
const STOA = { user: null, email: null, credential: { id: 'stoa' } }

/** `requestId` is that of the request that proved the host, or empty. `tellOwners` notifies the owners later. */
export async function loseHost(
  { db, ...by }: Publishing & { db: Tx },
  { org, project, host }: store.Domain,
  { what, at, requestId }: { what: Loss; at: string; requestId: string },
): Promise<void> {
  if (!(await store.updateLost(db, { org, project, host }, at))) return
  const changes = { status: { from: 'live', to: 'pending' } }
  await recordInTrail(db, { org, caller: STOA, what, on: `${project}/${host}`, changes, at, ip: '', requestId })
  const reason = what === 'domain.lapse' ? 'record_missing' : 'verified_elsewhere'
  // Not with `emit` of the operation: the project that loses the host is not that of the caller.
  await emitting(by, db, domainLost, emit => emit('project.domain.lost', { slug: project, host, reason }, org, project))
}

/** Hosts per run; further ones follow in the next. */
const HOSTS_MAX = 1_000
/** Enough that at least one owner reads the mail. */
const OWNERS_MAX = 20
const HOSTS_PER_MAIL = 50

/** At most one mail per run and organisation, so that a host that changes hands over and over does not flood anyone. */
export const tellOwners = schedule({
  name: 'lost domains',
  everyMs: 10 * 60_000,
  deadlineMs: 30 * 60_000,
  run: async ({ db: reads, clock, random, signal, write }) => {
    const lost = await store.selectLost(reads, HOSTS_MAX)
    for (const [org, hosts] of Map.groupBy(lost, ({ org }) => org)) {
      if (signal.aborted) return
      const owners = await ownersOf(reads, org, OWNERS_MAX)
      await write(async db => {
        for (const to of owners) await addNotice({ db, clock, random }, org, { to, ...lossMail(org, hosts) })
        for (const one of hosts) await store.updateTold(db, one)
      })
    }
  },
})

function lossMail(org: OrgId, hosts: readonly store.LostHost[]): { subject: string; text: string } {
  const named = hosts.slice(0, HOSTS_PER_MAIL).map(({ host, project, isElsewhere }) => {
    const holder = isElsewhere ? '; it is verified elsewhere now' : ''
    return `- ${host} (project ${project}): there is no correct TXT record at ${recordName(host)}${holder}`
  })
  const more = hosts.length > named.length ? [`- and ${hosts.length - named.length} more`] : []
  return {
    subject: `Domains of ${org} are no longer verified`,
    text: `These domains of the organisation ${org} are no longer verified:

${[...named, ...more].join('\n')}

Pages on them can call this service from a browser only while they are verified. If a domain is yours, set its TXT
record again and verify it. If it is not, detach it from its project.
`,
  }
}
