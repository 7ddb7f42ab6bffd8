// Operations under /v1/iam/me/password.
import type { Engines, Sql, Tx } from '../../../engines/engines.ts'
import { nothing } from '../../../kit/answer.ts'
import { invalidField } from '../../../kit/check.ts'
import { Fault } from '../../../kit/fault.ts'
import { string } from '../../../kit/fields.ts'
import type { Context } from '../../../kit/operation.ts'
import { addNotice } from '../notices.ts'
import { endAccessOf } from '../people/end-access.ts'
import { Password, requireUncommon } from '../people/password-rules.ts'
import { changedMail } from '../people/reset.ts'
import * as people from '../people/store.ts'
import { operation } from '../state.ts'
import type { OwnWrite, Person } from './own-write.ts'

/** Limits the attempts, so that a stolen key or token cannot be used to guess the password. */
const TRIES_MAX = 10
const WINDOW_MS = 15 * 60_000

export const changePassword = operation({
  route: 'POST /v1/iam/me/password',
  summary: "Changes the caller's password and ends all their other sign-ins",
  access: 'bearer',
  admits: ['users'],
  issuesCredential: true,
  description: `The sign-in it is called with stays; keys stay too. After ${TRIES_MAX} wrong passwords it is refused for 15 minutes. The person is told by mail.`,
  input: {
    current: string("The person's present password", 'the old password', { maxLength: 256 }),
    password: Password,
  },
  output: nothing,
  audit: 'password.change',
  faults: ['too_many_tries'],
  run: async (context, { current, password }) => {
    const { caller, clock, passwords, random, request, write } = context
    await requireUncommon('password', password)
    const verified = await verifyCurrent(verifyingFor(context), caller, current)
    const digest = await passwords.hash(caller.org, password, request.signal)
    await write(scope => {
      const kept = caller.credential.signIn
      return replacePassword({ clock, random }, scope, caller, {
        verified,
        digest,
        kept,
        at: clock.now().toISOString(),
      })
    })
  },
})

type Replacing = { verified: string; digest: string; kept: string | null; at: string }

/** Ends everything that was got with the old password, except the sign-in or browser session with the digest `kept`. */
export async function replacePassword(
  by: Pick<Engines, 'clock' | 'random'>,
  { db, record }: OwnWrite,
  { user, email }: Person,
  change: Replacing,
): Promise<void> {
  // Fails if the password was changed in the meantime, by an invitation link or a parallel call.
  if (!(await people.updatePassword(db, user, change.verified, change.digest))) throw wrongPassword()
  await endAccessOf(db, user, change.kept, change.at)
  await addNotice({ ...by, db }, '', changedMail(email))
  record('password')
}

/** `queue` is whose turn it is to hash: an organisation, or a client address. */
export type Verifying = Pick<Engines, 'clock' | 'passwords'> & {
  db: Sql
  queue: string
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

/** Requires the present password of the person; returns its stored hash. */
export async function verifyCurrent(by: Verifying, { user }: Pick<Person, 'user'>, current: string): Promise<string> {
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

export const wrongPassword = () => invalidField('current', 'is not your current password')
