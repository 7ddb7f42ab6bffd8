// Deletes the rows of deleted organisations. An organisation's own row goes when a whole pass has found nothing.
import { ADMIN_ORG, type OrgId } from '../../../kit/caller.ts'
import { purge } from '../../../kit/tables/purge.ts'
import { queue, schedule } from '../state.ts'
import * as store from './store.ts'

/** By then, requests that began before access ended have written their rows. */
const SETTLED_MS = 60_000
/** The duration of one attempt; a process that stops waits for it. */
const SLICE_MS = 10_000
const DAY_MS = 86_400_000
const AGAIN_MS = 60 * 60_000
const RETRY_MS = 60_000
const RETRIES = 1_440

/** The key of a job is the slug of the organisation. */
export const purges = queue<Record<never, never>>({
  id: 'iam.purges',
  atOnce: 8,
  pausesMs: [1_000, 10_000, 60_000, ...Array<number>(RETRIES).fill(RETRY_MS)],
  deadlineMs: 10 * SLICE_MS,
  run: async ({ db, state: { engines, tables } }, { key }) => {
    const org = key as OrgId
    const deleted = await store.selectDeletion(db, org)
    if (deleted === null) return { isOk: true }
    const write = engines.db.background.transaction
    const isEmpty = await purge({ ...engines, db, signal: AbortSignal.timeout(SLICE_MS), write }, tables, org)
    if (!isEmpty) return undefined // It continues with the next attempt.
    const isSettled = engines.clock.now().getTime() >= Date.parse(deleted) + SETTLED_MS
    if (isSettled) await write(tx => store.deleteOrg(tx, org))
    return { isOk: true }
  },
})

/** Immediately, again after running requests have ended, and once more later: a stalled process may have written since. */
export const purgesOf = (org: OrgId, now: Date) =>
  [0, SETTLED_MS, DAY_MS].map(ms => ({
    key: org,
    org: ADMIN_ORG,
    payload: {},
    due: new Date(now.getTime() + ms),
  }))

/** For organisations whose jobs were given up, or whose purge was begun by an earlier version, which added only one job. */
export const purgeAgain = schedule({
  name: 'purge of deleted organisations',
  everyMs: AGAIN_MS,
  deadlineMs: 60_000,
  run: async ({ db, queues, write }) => {
    const jobs = (await store.selectDeletedOrgs(db)).map(key => ({ key, org: ADMIN_ORG, payload: {} }))
    if (jobs.length > 0) await write(tx => queues.add(tx, purges, jobs))
    return undefined
  },
})
