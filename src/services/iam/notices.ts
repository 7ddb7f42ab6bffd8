// Notification mails. A queue sends them after the change: a mail server that is down must neither
// delay the change nor make it fail. They contain no secrets; mails with links are sent by the requests that make them.
import type { Clock, OutgoingMail, Random, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { addJobs } from '../../kit/queues/add.ts'
import { queue } from './state.ts'

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000]

export type Notice = OutgoingMail

/** The key is the address, so that one that does not respond delays no other. */
export const notices = queue<Notice>({
  id: 'iam.notices',
  atOnce: 16,
  pausesMs: [10_000, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS],
  deadlineMs: MINUTE_MS,
  run: async ({ mail }, { payload }) => {
    await mail.send(payload)
    return { isOk: true }
  },
})

/** Runs in the transaction of the change. `org` is the organisation whose share of the queue it uses. The mail expires after
 *  a day. */
export const addNotice = (by: { db: Tx; clock: Clock; random: Random }, org: string, notice: Notice): Promise<void> =>
  addJobs(by, notices, [
    { key: notice.to, org: org as OrgId, payload: notice, expires: new Date(by.clock.now().getTime() + 24 * HOUR_MS) },
  ])
