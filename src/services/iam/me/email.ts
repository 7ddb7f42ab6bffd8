// Operations under /v1/iam/me/email.
import { Type } from 'typebox'
import { Fault } from '../../../kit/fault.ts'
import { confirmMail, requestChange, takenMail } from '../addresses/change.ts'
import { Email } from '../fields.ts'
import { operation } from '../state.ts'
import * as store from '../store.ts'
import { verifyCurrent } from './password.ts'

export const changeEmail = operation({
  route: 'POST /v1/iam/me/email',
  summary: "Mails a link to a new address, with which the caller's account is moved to it",
  access: 'person',
  issuesCredential: true,
  input: { email: Email, current: Type.String({ maxLength: 256, examples: ['the present password'] }) },
  output: Type.Object({ email: Email }),
  status: 202,
  audit: 'email.request',
  faults: ['too_many_tries', 'mail_unreachable'],
  run: async (context, { email: given, current }) => {
    const { db: reads, caller, clock, mail, random, state, write } = context
    const email = given.toLowerCase()
    await verifyCurrent(context, current)
    // The answer is the same if the address has an account, so that nobody learns who has one.
    const isTaken = (await store.selectAccount(reads, email)) !== null
    const token = await write(async ({ db, record }) => {
      const token = await requestChange({ db, clock, random }, caller.user, email)
      if (token === null) throw tooMany()
      record(caller.user, { email: { from: caller.email, to: email } })
      return token
    })
    await mail.send(isTaken ? takenMail(email) : confirmMail(email, state.addressUrl(token)))
    return { email }
  },
})

/** Recipients may not want these mails. */
const tooMany = () =>
  new Fault('too_many_tries', {
    message: 'You asked for several changes of address within the last hour. Try again later.',
    retryAfterS: 60 * 60,
  })
