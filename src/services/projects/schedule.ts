// The daily check of verified hosts: whether their TXT record is still there.
import type { ScheduleContext } from '../../kit/background.ts'
import { lock } from '../../kit/lock/store.ts'
import { hostLock, recordName, recordValue } from './host-name.ts'
import { loseHost } from './lost-hosts.ts'
import { type Projects, schedule } from './state.ts'
import * as store from './store.ts'

const PERIOD_MS = 24 * 60 * 60_000
/** A host is taken away at this daily check in a row without its record: the mistake of one day costs nobody. */
export const MISSED_MAX = 3
/** Hosts per run. After a pause many are due at once; in these portions they are spread over the day from then on. */
const BATCH = 100
/** Look-ups at the same time, so that slow name servers of some do not delay others much. */
const CONCURRENT = 8

export const checkHosts = schedule({
  name: 'domain checks',
  everyMs: 10 * 60_000,
  deadlineMs: 10 * 60_000,
  run: async context => {
    const { db, clock, signal } = context
    const before = new Date(clock.now().getTime() - PERIOD_MS).toISOString()
    const due = await store.selectUnchecked(db, before, BATCH)
    const queue = due.values()
    const failures: unknown[] = []
    const work = async () => {
      for (const domain of queue) {
        if (signal.aborted) return
        await check(context, domain).catch(error => failures.push(error)) // The others are still checked.
      }
    }
    await Promise.all(Array.from({ length: CONCURRENT }, work))
    if (failures.length > 0) throw failures[0]
    return due.length === BATCH ? { againInMs: 30_000 } : undefined
  },
})

async function check(context: ScheduleContext<Projects>, { org, project, host, checked }: store.Domain) {
  const { dns, clock, write, state } = context
  const found = await dns.txt(recordName(host))
  await write(async db => {
    await lock(db, hostLock(host))
    const domain = await store.selectDomain(db, org, project, host)
    // Detached or verified again during the look-up.
    if (!domain?.verified || domain.checked !== checked) return
    const at = clock.now().toISOString()
    const missed = missedAfter(domain, found)
    if (missed < MISSED_MAX) await store.updateChecked(db, domain, at, missed)
    else await loseHost({ ...context, source: state.source, db }, domain, { what: 'domain.lapse', at, requestId: '' })
  })
}

/** Name servers that do not answer say nothing about the record. */
function missedAfter(domain: store.Domain, found: string[] | null): number {
  if (found === null) return domain.missed
  return found.includes(recordValue(domain)) ? 0 : domain.missed + 1
}
