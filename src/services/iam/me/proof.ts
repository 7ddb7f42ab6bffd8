// The proof that a change of a password or address, or the deletion of an account, comes from its owner: the current
// password, or for a customer without one a recent sign-in.
import type { Engines, PasswordUser, Sql, Tx } from '../../../engines/engines.ts'
import { invalidField } from '../../../kit/check.ts'
import { Fault } from '../../../kit/fault.ts'
import type { Context } from '../../../kit/operation.ts'
import { isCustomerId } from '../people/accounts.ts'
import * as people from '../people/store.ts'
import { selectSignedIn } from '../sessions/store.ts'

/** Limits the attempts, so that a stolen key or token cannot be used to guess the password. */
export const TRIES_MAX = 10
const WINDOW_MS = 15 * 60_000

/** After a longer time, somebody else may be using the device. */
const RECENT_MS = 15 * 60_000

/** `signIn` is the digest, in hex, of the sign-in or of the browser session; null if there is none. */
export type SignedIn = { user: string; signIn: string | null }

/** `verified` is the stored hash of the password that was checked; null for one who has no password and signed in recently. */
export type Proof = SignedIn & { verified: string | null }

/** `queue` names the queue in which the hashing waits. */
export type Verifying = Pick<Engines, 'clock' | 'passwords'> & {
  db: Sql
  queue: PasswordUser
  signal: AbortSignal
  countTry(count: (db: Tx) => Promise<number>): Promise<number>
}

type Requesting = Pick<Context<'bearer'>, 'db' | 'caller' | 'clock' | 'passwords' | 'request'> & {
  write<T>(work: (scope: { db: Tx }) => Promise<T>): Promise<T>
}

export const verifyingFor = ({ db, caller, clock, passwords, request, write }: Requesting): Verifying => ({
  db,
  clock,
  passwords,
  queue: caller.org,
  signal: request.signal,
  countTry: count => write(scope => count(scope.db)),
})

/** `current` is the password that was given, if one was. */
export async function prove(by: Verifying, { user, signIn }: SignedIn, current: string | undefined): Promise<Proof> {
  if (current !== undefined) return { user, signIn, verified: await verifyCurrent(by, user, current) }
  const mayLackPassword = isCustomerId(user) && (await people.selectPassword(by.db, user)) === null
  if (!mayLackPassword) throw invalidField('current', 'is required')
  if (!(await isRecent(by, { user, signIn }))) throw tooLongAgo()
  return { user, signIn, verified: null }
}

/** Locks the account until the transaction ends, and requires that the proof is still valid: no change may follow a
 *  concurrent reset or the end of the sign-in. */
export async function holdProof(by: { db: Tx; clock: Engines['clock'] }, proof: Proof): Promise<void> {
  if (!(await people.lockPassword(by.db, proof.user, proof.verified))) throw wrongPassword()
  if (proof.verified === null && !(await isRecent(by, proof))) throw tooLongAgo()
}

/** Whether the person has signed in a moment ago, in the browser that this sign-in is of. */
export async function isRecent(
  { db, clock }: { db: Sql; clock: Engines['clock'] },
  { user, signIn }: SignedIn,
): Promise<boolean> {
  const at = signIn === null ? null : await selectSignedIn(db, user, signIn)
  return at !== null && clock.now().getTime() - Date.parse(at) <= RECENT_MS
}

const tooLongAgo = () =>
  new Fault('forbidden', {
    message: 'Your account has no password, and you signed in more than 15 minutes ago. Sign in again first.',
  })

/** Requires the current password of the person; returns its stored hash. */
async function verifyCurrent(by: Verifying, user: string, current: string): Promise<string> {
  const now = by.clock.now().getTime()
  const since = new Date(now - WINDOW_MS).toISOString()
  // Counted in a separate transaction, so that the attempt counts even if the rest fails.
  const tries = await by.countTry(db => people.countTry(db, user, new Date(now).toISOString(), since))
  if (tries > TRIES_MAX) {
    const message = 'Too many wrong passwords. Wait 15 minutes, then try again.'
    throw new Fault('too_many_tries', { message, retryAfterS: WINDOW_MS / 1000 })
  }
  const verified = await people.selectPassword(by.db, user)
  if (!verified || !(await by.passwords.verify(by.queue, verified, current, by.signal))) throw wrongPassword()
  return verified
}

const wrongPassword = () => invalidField('current', 'is not your current password')
