// The daily check of verified hosts: whether their TXT record is still there.
import { lock } from '../../kit/lock.store.ts'
import { domainLost } from './events.ts'
import { hostLock, recordName, recordValue } from './host-name.ts'
import { loseHost } from './lost-hosts.ts'
import { queue, schedule } from './state.ts'
import * as store from './store.ts'

const PERIOD_MS = 24 * 60 * 60_000
/** So many daily checks in a row must miss the record before a host is no longer verified: a mistake of one day is harmless. */
export const MISSED_MAX = 3
/** Hosts per run. After a pause many are due at the same time; these portions spread them over the day from then on. */
const BATCH = 100

/** `checked` is the check before. */
type Check = { project: string; host: string; checked: string | null }

/** The key is the host of a project, of which one check waits at a time. */
export const domainChecks = queue<Check, undefined, string[] | null, typeof domainLost>({
  id: 'projects.domain-checks',
  // Limits the load on the name servers of this machine.
  atOnce: 8,
  backlog: () => ({ perKey: 1, perOrg: Number.POSITIVE_INFINITY, isRecorded: true }),
  pausesMs: [],
  deadlineMs: 60_000,
  emits: domainLost,
  run: async ({ dns }, { payload }) => ({ isOk: true, result: await dns.txt(recordName(payload.host)) }),
  end: async ({ clock, db, log, random, state }, ended) => {
    const at = clock.now().toISOString()
    const looked = ended.filter(({ status }) => status === 'ok')
    for (const { job, result } of looked.toSorted((a, b) => (a.job.payload.host < b.job.payload.host ? -1 : 1))) {
      const { project, host, checked } = job.payload
      await lock(db, hostLock(host))
      const domain = await store.selectDomain(db, job.org, project, host)
      // Detached or verified again during the look-up.
      if (!domain?.verified || domain.checked !== checked) continue
      const missed = missedAfter(domain, result)
      if (missed < MISSED_MAX) await store.updateChecked(db, domain, at, missed)
      else
        await loseHost({ clock, db, log, random, source: state.source }, domain, {
          what: 'domain.lapse',
          at,
          requestId: '',
        })
    }
  },
})

export const checkHosts = schedule({
  name: 'domain checks',
  everyMs: 10 * 60_000,
  deadlineMs: 10 * 60_000,
  run: async ({ db, clock, queues, write }) => {
    const before = new Date(clock.now().getTime() - PERIOD_MS).toISOString()
    const due = await store.selectUnchecked(db, before, BATCH)
    await write(tx =>
      queues.add(
        tx,
        domainChecks,
        due.map(({ org, project, host, checked }) => ({
          ...{ key: `${org}/${project}/${host}`, org, payload: { project, host, checked } },
        })),
      ),
    )
    return due.length === BATCH ? { againInMs: 30_000 } : undefined
  },
})

/** If the name servers do not answer, nothing is known about the record. */
function missedAfter(domain: store.Domain, found: string[] | null): number {
  if (found === null) return domain.missed
  return found.includes(recordValue(domain)) ? 0 : domain.missed + 1
}
