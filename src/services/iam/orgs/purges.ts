// Deletes the rows of deleted organisations. An organisation's own row goes when a whole pass has found nothing.
import { ADMIN_ORG, type OrgId } from '../../../kit/caller.ts'
import { purge } from '../../../kit/tables/purge.ts'
import { queue, schedule } from '../state.ts'
import * as store from './store.ts'

/** What had begun before access ended is written by then. */
const SETTLED_MS = 60_000
/** Of one attempt: a process that stops waits for it. */
const SLICE_MS = 10_000
const DAY_MS = 86_400_000
const AGAIN_MS = 60 * 60_000
const RETRY_MS = 60_000
const RETRIES = 1_440

/** Each key is the slug of one. */
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
    if (!isEmpty) return undefined // It goes on soon.
    const isSettled = engines.clock.now().getTime() >= Date.parse(deleted) + SETTLED_MS
    if (isSettled) await write(tx => store.deleteOrg(tx, org))
    return { isOk: true }
  },
})

/** At once, after what had begun before, and once more: a process that stood still may have written something since. */
export const purgesOf = (org: OrgId, now: Date) =>
  [0, SETTLED_MS, DAY_MS].map(ms => ({
    key: org,
    org: ADMIN_ORG,
    payload: {},
    due: new Date(now.getTime() + ms),
  }))

/** Of those whose jobs were given up, or whose purge a version before began, which added one job alone. */
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
