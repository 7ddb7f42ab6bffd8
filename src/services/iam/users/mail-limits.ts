// How many mails are sent to customers: to an address, so that nobody's mailbox is flooded and codes cannot be guessed; from a
// network; and for an organisation, because all organisations share the mail server.
import type { Clock, Tx } from '../../../engines/engines.ts'
import { countWithin, type Limit } from '../people/limits.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

/** Who requests a mail to whom. `browser` is set if the address was signed in there before: such a browser has its own limits,
 *  so that requests of strangers cannot keep the owner of the address from getting mails. */
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
  // Anyone who knows the password can make new browsers known.
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
