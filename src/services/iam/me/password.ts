// Operations under /v1/iam/me/password.
import { Type } from 'typebox'
import type { Engines } from '../../../engines/engines.ts'
import { nothing } from '../../../kit/answer.ts'
import { isCustomer } from '../../../kit/caller.ts'
import { Fault } from '../../../kit/fault.ts'
import { string } from '../../../kit/fields.ts'
import { addNotice, type Notice } from '../notices.ts'
import { endAccessOf } from '../people/end-access.ts'
import { countWithin } from '../people/limits.ts'
import { Password, requireUncommon } from '../people/password-rules.ts'
import { changedMail } from '../people/reset.ts'
import * as people from '../people/store.ts'
import { operation } from '../state.ts'
import type { OwnWrite, Person } from './own-write.ts'
import { holdProof, type Proof, prove, TRIES_MAX, verifyingFor } from './proof.ts'

/** The current password, as a proof. */
export const Current = Type.Optional(
  string("The person's current password. Only a customer without a password may omit it", 'the current password', {
    maxLength: 256,
  }),
)

export const changePassword = operation({
  route: 'POST /v1/iam/me/password',
  summary: "Changes the caller's password and ends all their other sessions",
  access: 'bearer',
  admits: ['users'],
  issuesCredential: true,
  description: `The current session and all keys stay valid. After ${TRIES_MAX} wrong passwords the operation is blocked for 15 minutes. The person is notified by mail. A customer without a password must choose one within 15 minutes of signing in; later the request is rejected with \`forbidden\`.`,
  input: { current: Current, password: Password },
  output: nothing,
  audit: 'password.change',
  faults: ['too_many_tries'],
  run: async (context, { current, password }) => {
    const { caller, clock, passwords, random, request, state, write } = context
    const { signIn } = caller.credential
    await requireUncommon('password', password)
    const proof = await prove(verifyingFor(context), { user: caller.user, signIn }, current)
    const digest = await passwords.hash(caller.org, password, request.signal)
    const mails = isCustomer(caller) ? await state.customerMails(caller.org) : null
    const replacing = { proof, digest, kept: signIn, ...(mails && { mail: mails.changed(caller.email) }) }
    await write(scope => replacePassword({ clock, random }, scope, caller, replacing))
  },
})

/** Each change sends a mail. */
const CHANGES = { max: 10, windowMs: 60 * 60_000 }

const tooManyChanges = (retryAfterS: number) =>
  new Fault('too_many_tries', {
    message: `You changed your password ${CHANGES.max} times within an hour. Try again later.`,
    retryAfterS,
  })

type Replacing = {
  proof: Proof
  digest: string
  kept: string | null
  /** The mail to the person. */
  mail?: Notice
}

/** Ends all access that was obtained with the old password, except the sign-in or browser session with the digest `kept`. */
export async function replacePassword(
  { clock, random }: Pick<Engines, 'clock' | 'random'>,
  { db, record }: OwnWrite,
  { user, email }: Person,
  { proof, digest, kept, mail = changedMail(email) }: Replacing,
): Promise<void> {
  await holdProof({ db, clock }, proof)
  const waitS = await countWithin({ db, clock }, `password changes of ${user}`, CHANGES)
  if (waitS > 0) throw tooManyChanges(waitS)
  await people.updatePassword(db, user, digest)
  await endAccessOf(db, user, kept, clock.now().toISOString())
  await addNotice({ db, clock, random }, '', mail)
  record('password')
}
