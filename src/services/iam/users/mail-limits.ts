// How many mails are sent to customers: to an address, so that nobody's mailbox is flooded and codes cannot be guessed; from a
// network; and for an organisation, because the mail server is that of all.
import type { Clock, Tx } from '../../../engines/engines.ts'
import { countWithin, type Limit } from '../people/limits.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

/** Who asks for a mail to whom. `browser` is that of somebody who was signed in with the address before: it has a count of its
 *  own, so that strangers who ask for mails cannot keep the owner of the address from getting theirs. */
export type AskedMail = { org: string; email: string; network: string; browser: string | null }

type Counted = Limit & { of(asked: AskedMail): string }

const ALL: readonly Counted[] = [{ windowMs: HOUR_MS, max: 10_000, of: ({ org }) => `for ${org}` }]
const TO_ADDRESS: readonly Counted[] = [
  { windowMs: HOUR_MS, max: 60, of: ({ network }) => `from ${network}` },
  { windowMs: HOUR_MS / 4, max: 3, of: ({ org, email }) => `now to ${org} ${email}` },
  { windowMs: DAY_MS, max: 12, of: ({ org, email }) => `today to ${org} ${email}` },
  { windowMs: DAY_MS, max: 40, of: ({ email }) => `today of all to ${email}` },
]
const KNOWN: readonly Counted[] = [
  { windowMs: HOUR_MS / 4, max: 3, of: ({ org, email, browser }) => `now to ${org} ${email} of ${browser}` },
  { windowMs: DAY_MS, max: 12, of: ({ org, email, browser }) => `today to ${org} ${email} of ${browser}` },
  // Whoever knows the password makes new browsers known.
  { windowMs: HOUR_MS / 4, max: 6, of: ({ org, email }) => `now to ${org} ${email} of known browsers` },
  { windowMs: DAY_MS, max: 24, of: ({ org, email }) => `today to ${org} ${email} of known browsers` },
]

/** Counts a mail; returns the seconds until the next one is allowed, 0 if this one is. */
export async function countCustomerMail(by: { db: Tx; clock: Clock }, asked: AskedMail): Promise<number> {
  for (const { of, ...limit } of [...ALL, ...(asked.browser === null ? TO_ADDRESS : KNOWN)]) {
    const waitS = await countWithin(by, `customer mails ${of(asked)}`, limit)
    if (waitS > 0) return waitS
  }
  return 0
}
