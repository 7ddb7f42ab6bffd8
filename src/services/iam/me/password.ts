// Operations under /v1/iam/me/password.
import { Type } from 'typebox'
import type { Tx } from '../../../engines/engines.ts'
import { nothing } from '../../../kit/answer.ts'
import { invalidInput } from '../../../kit/check.ts'
import { Fault } from '../../../kit/fault.ts'
import type { Context } from '../../../kit/operation.ts'
import { endAccessOf } from '../end-access.ts'
import { Password, requireUncommon } from '../password-rules.ts'
import { operation } from '../state.ts'
import * as store from '../store.ts'

/** Limits the attempts, so that a stolen key or token cannot be used to guess the password. */
const TRIES_MAX = 10
const WINDOW_MS = 15 * 60_000

export const changePassword = operation({
  route: 'POST /v1/iam/me/password',
  summary: "Changes the caller's password and ends all their other sign-ins",
  access: 'bearer',
  issuesCredential: true,
  input: { current: Type.String({ maxLength: 256, examples: ['the old password'] }), password: Password },
  output: nothing,
  audit: 'password.change',
  faults: ['too_many_tries'],
  run: async (context, { current, password }) => {
    const { caller, clock, passwords, request, write } = context
    await requireUncommon('password', password)
    const verified = await verifyCurrent(context, current)
    const digest = await passwords.hash(caller.org, password, request.signal)
    await write(async ({ db, record }) => {
      // Fails if the password was changed in the meantime, by an invitation link or a parallel call.
      if (!(await store.updatePassword(db, caller.user, verified, digest))) throw wrongPassword()
      await endAccessOf(db, caller.user, caller.credential.signIn, clock.now().toISOString())
      record('password')
    })
  },
})

type Verifying = Pick<Context<'bearer'>, 'db' | 'caller' | 'clock' | 'passwords' | 'request'> & {
  write<T>(work: (scope: { db: Tx }) => Promise<T>): Promise<T>
}

/** Requires the present password of the caller; returns its stored hash. */
export async function verifyCurrent(context: Verifying, current: string): Promise<string> {
  const { db: reads, caller, clock, passwords, request, write } = context
  const now = clock.now().getTime()
  const since = new Date(now - WINDOW_MS).toISOString()
  // Counted in a separate transaction, so that the attempt counts even if the rest fails.
  const tries = await write(({ db }) => store.countTry(db, caller.user, new Date(now).toISOString(), since))
  if (tries > TRIES_MAX) {
    const message = 'Too many wrong passwords. Wait 15 minutes, then try again.'
    throw new Fault('too_many_tries', { message, retryAfterS: WINDOW_MS / 1000 })
  }
  const account = await store.selectAccount(reads, caller.email)
  const verified = account?.password
  if (!verified || !(await passwords.verify(caller.org, verified, current, request.signal))) throw wrongPassword()
  return verified
}

const wrongPassword = () => invalidInput([{ path: 'current', says: 'is not your current password' }])
