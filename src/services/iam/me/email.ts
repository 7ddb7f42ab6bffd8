// Operations under /v1/iam/me/email.
import { Type } from 'typebox'
import { type Engines, EngineUnavailable, type Sql } from '../../../engines/engines.ts'
import { clientNetwork } from '../../../fair/address.ts'
import { isCustomer } from '../../../kit/caller.ts'
import { invalidField } from '../../../kit/check.ts'
import { Fault } from '../../../kit/fault.ts'
import type { CustomerMails } from '../../../kit/host/sign-in.ts'
import { Email } from '../fields.ts'
import { isCustomerId } from '../people/accounts.ts'
import { confirmMail, forgetChange, requestChange, takenMail } from '../people/address-change.ts'
import * as people from '../people/store.ts'
import { operation } from '../state.ts'
import { countCustomerMail } from '../users/mail-limits.ts'
import * as customers from '../users/store.ts'
import type { OwnWrite, Person } from './own-write.ts'
import { Current } from './password.ts'
import { holdProof, type Proof, prove, verifyingFor } from './proof.ts'

export const changeEmail = operation({
  route: 'POST /v1/iam/me/email',
  summary: "Mails a link to a new address for the caller's account, to confirm the change",
  access: 'person',
  admits: ['users'],
  issuesCredential: true,
  description:
    'The address changes when the link is opened, within an hour; until then the person signs in with the old one. The answer is the same if the new address already has an account. A customer without a password must ask within 15 minutes of signing in; later the request is rejected with `forbidden`.',
  input: { email: Email, current: Current },
  output: Type.Object({ email: { ...Email, description: 'The new address, in lower case' } }),
  status: 202,
  audit: 'email.request',
  faults: ['too_many_tries', 'mail_unreachable'],
  run: async (context, { email: given, current }) => {
    const { caller, request, state } = context
    const email = given.toLowerCase()
    const { signIn } = caller.credential
    const proof = await prove(verifyingFor(context), { user: caller.user, signIn }, current)
    const network = clientNetwork(request.ip)
    const by = { ...context, network, addressUrl: state.addressUrl, proof }
    const mails = isCustomer(caller) ? await state.customerMails(caller.org) : null
    if (email === caller.email) throw invalidField('email', 'is your address already')
    await requestMove({ ...by, ...(mails && { mails }) }, caller, email)
    return { email }
  },
})

type Moving = Pick<Engines, 'clock' | 'random' | 'mail'> & {
  db: Sql
  /** Counted by the client's address. */
  network: string
  addressUrl(token: string): string
  proof: Proof
  write<T>(work: (scope: OwnWrite) => Promise<T>): Promise<T>
  mails?: MoveMails
}

/** The mail to a new address. */
type MoveMails = Pick<CustomerMails, 'confirm' | 'taken'>
const PLAIN: MoveMails = { confirm: confirmMail, taken: takenMail }

/** Mails a link to the new address. The answer is the same if it has an account, so that it does not reveal who has one. */
export async function requestMove(by: Moving, { user, email: from }: Person, email: string): Promise<void> {
  const isTaken = await people.hasAccount(by.db, user, email)
  const token = await by.write(async ({ db, record }) => {
    const { clock, network } = by
    await holdProof({ db, clock }, by.proof)
    const org = await customers.selectOrgOf(db, user)
    const waitS = org === null ? 0 : await countCustomerMail({ db, clock }, { org, email, network, browser: null })
    if (waitS > 0) throw tooManyMails(waitS)
    const token = await requestChange({ db, clock: by.clock, random: by.random }, user, email)
    if (token === null) throw tooMany()
    // The trail outlives customers, so it contains nothing that names them.
    record(user, { email: isCustomerId(user) ? {} : { from, to: email } })
    return token
  })
  const { confirm, taken } = by.mails ?? PLAIN
  try {
    await by.mail.send(isTaken ? taken(email) : confirm(email, by.addressUrl(token)))
  } catch (error) {
    if (error instanceof EngineUnavailable) await by.write(({ db }) => forgetChange(db, token))
    throw error
  }
}

const tooManyMails = (retryAfterS: number) =>
  new Fault('too_many_tries', {
    message: 'Too many mails were sent to this address, or from your network. Try again later.',
    retryAfterS,
  })

/** Recipients may not want these mails. */
const tooMany = () =>
  new Fault('too_many_tries', {
    message: 'You asked for several changes of address within the last hour. Try again later.',
    retryAfterS: 60 * 60,
  })
