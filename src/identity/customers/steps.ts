// The steps in which customers sign in, register, request a code or choose a new password. They belong to a sign-in started by
// an app, and work without JavaScript.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { EngineUnavailable } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { Fault } from '../../kit/fault.ts'
import type { CustomerMails } from '../../kit/host/sign-in.ts'
import type {
  App,
  CodeMail,
  CodeOutcome,
  EnteredCode,
  PendingCode,
  Purpose,
  SignedInCustomer,
} from '../../services/iam/public.ts'
import { ensureBrowserId, isSameBrowser } from '../browser-id.ts'
import { readForm, show } from '../forms.ts'
import { contentPolicy } from '../pages.ts'
import { ADDRESS, addressIn, knownBrowser, knownCookie, type PasswordOptions, tryPassword } from '../passwords.ts'
import { ENDED } from '../problems.ts'
import type { Look } from './look.ts'
import { accountMails, type CustomerMail, codeMail } from './mails.ts'
import { askAddressPage, customerSignInPage, enterPage, type Page, registerPage } from './pages.ts'
import { english, type Texts } from './texts.ts'

/** The account found by signing in with a password. */
export type CheckedCustomer = SignedInCustomer & { proof: string; isVerified: boolean; isBlocked: boolean }

export type CodeRequested = {
  /** The id of the sign-in. */
  uid: string
  org: OrgId
  email: string
  purpose: Purpose
  browser: string
  mayRegister: boolean
  name: string
  password: string | null
  generation: number | null
}

export type CustomerOptions = PasswordOptions & {
  customers: {
    look(app: App & { org: OrgId }): Promise<Look>
    /** The organisation's mails to its customers when no app is known. */
    mails(org: OrgId): Promise<CustomerMails>
    /** Null if the password is wrong. Takes equally long if there is no such account. */
    check(org: OrgId, email: string, password: string): Promise<CheckedCustomer | null>
    proofOf(org: OrgId, email: string): Promise<string | null>
    /** The seconds to wait if too many mails were sent to the address, for the organisation, or for this client. `browser` is
     *  the id of a browser that has signed in with the address before. */
    countMail(org: OrgId, email: string, browser: string | null): Promise<number>
    /** The seconds to wait if this client has entered too many codes. */
    countCode(): Promise<number>
    requestCode(request: CodeRequested): Promise<CodeMail>
    pending(uid: string): Promise<PendingCode | null>
    enterCode(uid: string, given: EnteredCode): Promise<CodeOutcome>
    signIn(org: OrgId, customer: SignedInCustomer): Promise<SignedInCustomer | null>
    hash(org: OrgId, password: string): Promise<string>
    /** Whether the address belongs to a disposable mail provider. */
    isDisposable(org: OrgId, email: string): Promise<boolean>
    send(mail: CustomerMail, org: string): Promise<void>
    isName(text: string): boolean
    /** Whether an account may have this address. */
    isAddress(text: string): boolean
  }
  passwordProblem: (password: string) => Promise<string | null>
}

/** One request of a step. */
type Step = CustomerOptions & {
  uid: string
  path: string
  /** The origin of the app, to which the form finally redirects. */
  callback: string
  app: App & { org: OrgId }
  look: Look
  texts: Texts
  request: IncomingMessage
  response: ServerResponse
  finish: (customer: SignedInCustomer, browser: string) => Promise<void>
}

export type StepRequest = Pick<Step, 'uid' | 'path' | 'callback' | 'app' | 'request' | 'response' | 'finish'> & {
  /** The rest of the path. */
  name: string
}

type Run = (step: Step) => Promise<void>

const STEPS: Record<string, { get: Run; post: Run }> = {
  '': { get: step => signInForm(step, 200, null), post: signIn },
  register: { get: step => registerForm(step, 200, null), post: register },
  code: { get: step => addressForm(step, 'code', 200, null), post: step => askByAddress(step, 'code') },
  reset: { get: step => addressForm(step, 'reset', 200, null), post: step => askByAddress(step, 'reset') },
  enter: { get: step => enterForm(step, 200, null), post: enter },
  again: { get: step => enterForm(step, 200, null), post: sendAgain },
}

/** The paths below that of a sign-in. */
export const CUSTOMER_STEPS = Object.keys(STEPS).filter(name => name !== '')

export async function customerStep(options: CustomerOptions, { name, ...given }: StepRequest): Promise<void> {
  const { request, response, app } = given
  const run = STEPS[name]
  if (!run || (name === 'register' && app.signUp === 'closed')) return show(response, 400, ENDED)
  const step = { ...options, ...given, look: await options.customers.look(app), texts: english }
  await (request.method === 'POST' ? run.post(step) : run.get(step))
}

const pageOf = ({ look, texts, path }: Step, problem: string | null): Page => ({ look, texts, path, problem })

async function answer({ response, callback, look }: Step, status: number, page: string): Promise<void> {
  show(response, status, page, callback, look.styleHash)
}

const signInForm = (step: Step, status: number, problem: string | null, email = '') =>
  answer(step, status, customerSignInPage(pageOf(step, problem), email, step.app.signUp !== 'closed'))

const registerForm = (step: Step, status: number, problem: string | null, filled = { email: '', name: '' }) =>
  answer(step, status, registerPage(pageOf(step, problem), filled))

const addressForm = (step: Step, way: 'code' | 'reset', status: number, problem: string | null, email = '') =>
  answer(step, status, askAddressPage(pageOf(step, problem), way, email))

/** An address that may be repeated in a form. */
const shownAddress = (email: string) => (ADDRESS.test(email) ? email : '')

async function signIn(step: Step): Promise<void> {
  const { request, response, app, texts, customers } = step
  const fields = await readForm(request, response)
  if (!fields) return signInForm(step, 400, texts.problem.unreadable)
  const email = addressIn(fields)
  const { org } = app
  let checked: CheckedCustomer | null = null
  const options: PasswordOptions = {
    ...step,
    checkPassword: async (_account, password) => {
      checked = await customers.check(org, email, password)
      return checked
    },
    proofOf: () => customers.proofOf(org, email),
  }
  const account = accountName(org, email)
  const outcome = await tryPassword(options, request, account, fields.get('password') ?? '')
  const problem = (status: number, says: string) => signInForm(step, status, says, shownAddress(email))
  if ('says' in outcome) {
    if (outcome.waitS === undefined) return problem(401, texts.problem.wrongPassword)
    response.setHeader('retry-after', outcome.waitS)
    return problem(429, texts.problem.tooManyPasswords(Math.ceil(outcome.waitS / 60)))
  }
  const customer = checked as unknown as CheckedCustomer
  if (customer.isBlocked) return problem(403, texts.problem.blocked)
  if (!customer.isVerified) {
    const about = { email, name: '', password: null, generation: customer.generation }
    return mailCode(step, 'verify', about, says => problem(says.status, says.problem))
  }
  const signedIn = await customers.signIn(org, customer)
  if (!signedIn) return problem(409, texts.problem.changed)
  await done(step, signedIn, email, outcome.proof)
}

/** Cannot equal a team member's account: addresses in forms contain no NUL. */
const accountName = (org: OrgId, email: string) => `${org}\0${email}`

/** `proof` is that of the account. */
async function done(step: Step, customer: SignedInCustomer, email: string, proof: string | null): Promise<void> {
  const { request, response, callback, newBrowserId, look, app } = step
  if (proof !== null)
    response.appendHeader('set-cookie', knownCookie(step, request, accountName(app.org, email), proof))
  const browser = ensureBrowserId(request, response, newBrowserId)
  response.setHeader('content-security-policy', contentPolicy(callback, look.styleHash))
  await step.finish(customer, browser)
}

async function register(step: Step): Promise<void> {
  const { request, response, texts, customers } = step
  const fields = await readForm(request, response)
  const filled = { email: addressIn(fields), name: (fields?.get('name') ?? '').trim() }
  const refuse = (status: number, says: string) =>
    registerForm(step, status, says, {
      email: shownAddress(filled.email),
      name: customers.isName(filled.name) ? filled.name : '',
    })
  if (!fields) return refuse(400, texts.problem.unreadable)
  const { email, name } = filled
  if (!customers.isAddress(email)) return refuse(400, texts.problem.address)
  const password = fields.get('password') ?? ''
  const wrong = password === '' ? null : await step.passwordProblem(password)
  if (wrong !== null) return refuse(400, wrong)
  const forbidden = await domainProblem(step, email)
  if (forbidden !== null) return refuse(400, forbidden)
  const about = { email, name: customers.isName(name) ? name : '', password: null, generation: null }
  const hash = password === '' ? null : () => customers.hash(step.app.org, password)
  await mailCode(step, 'register', about, says => refuse(says.status, says.problem), hash)
}

/** Whether a code creates an account for an address that has none. */
const mayBeRegistered = async (step: Step, email: string) =>
  step.app.signUp === 'open' && (await domainProblem(step, email)) === null

/** Why an address cannot register because of its domain. The answer does not depend on existing accounts. */
async function domainProblem({ app, texts, customers }: Step, email: string): Promise<string | null> {
  const { signUpDomains, refuseDisposable, org } = app
  if (signUpDomains.length > 0 && !signUpDomains.includes(email.slice(email.lastIndexOf('@') + 1))) {
    return texts.problem.domains(signUpDomains)
  }
  return refuseDisposable && (await customers.isDisposable(org, email)) ? texts.problem.disposable : null
}

async function askByAddress(step: Step, way: 'code' | 'reset'): Promise<void> {
  const { request, response, texts, customers } = step
  const email = addressIn(await readForm(request, response))
  const refuse = (status: number, says: string) => addressForm(step, way, status, says, shownAddress(email))
  if (!customers.isAddress(email)) return refuse(400, texts.problem.address)
  const about = { email, name: '', password: null, generation: null }
  await mailCode(step, way === 'code' ? 'sign_in' : 'reset', about, says => refuse(says.status, says.problem))
}

type About = Pick<CodeRequested, 'email' | 'name' | 'password' | 'generation'>
type Says = { status: number; problem: string }

/** Stores a code, mails it and redirects to the page that asks for it. A mail is sent whether or not there is an account. `hash`
 *  is slow, so it is called after the rate limit. */
async function mailCode(
  step: Step,
  purpose: Purpose,
  about: About,
  refuse: (says: Says) => Promise<void>,
  hash: (() => Promise<string>) | null = null,
) {
  const { request, response, app, uid, path, look, texts, customers } = step
  const { org } = app
  const proofOf = () => customers.proofOf(org, about.email)
  const known = await knownBrowser({ ...step, proofOf }, request, accountName(org, about.email))
  const waitS = await customers.countMail(org, about.email, known)
  if (waitS > 0) {
    response.setHeader('retry-after', waitS)
    return refuse({ status: 429, problem: texts.problem.tooManyMails(Math.ceil(waitS / 60)) })
  }
  const mayRegister = await mayBeRegistered(step, about.email)
  const browser = ensureBrowserId(request, response, step.newBrowserId)
  const password = hash === null ? about.password : await hash()
  const mail = await customers.requestCode({ ...about, password, uid, org, purpose, browser, mayRegister })
  try {
    await customers.send(codeMail(about.email, purpose, mail, look, texts), look.name)
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error
    response.setHeader('retry-after', '60')
    return refuse({ status: 502, problem: texts.problem.mail })
  }
  response.writeHead(303, { location: `${path}/enter` }).end()
}

/** The page shown after a code that is no longer valid. */
const BEGIN: Record<Purpose, (step: Step, problem: string, email: string) => Promise<void>> = {
  register: (step, problem, email) => registerForm(step, 400, problem, { email, name: '' }),
  sign_in: (step, problem, email) => addressForm(step, 'code', 400, problem, email),
  reset: (step, problem, email) => addressForm(step, 'reset', 400, problem, email),
  verify: (step, problem, email) => signInForm(step, 400, problem, email),
}

/** Mails a new code for the same purpose. */
async function sendAgain(step: Step): Promise<void> {
  const { uid, request, texts, customers } = step
  const pending = await customers.pending(uid)
  if (!pending || !isSameBrowser(request, pending.browser)) return enterForm(step, 400, texts.problem.endedCode)
  await mailCode(step, pending.purpose, pending, says => enterForm(step, says.status, says.problem))
}

async function enterForm(step: Step, status: number, problem: string | null): Promise<void> {
  const { uid, request, texts, customers } = step
  const pending = await customers.pending(uid)
  if (!pending || !isSameBrowser(request, pending.browser)) {
    return signInForm(step, 400, problem ?? texts.problem.endedCode)
  }
  const { email, purpose } = pending
  const entering = { email, isReset: purpose === 'reset' }
  await answer(step, status, enterPage(pageOf(step, problem), entering))
}

async function enter(step: Step): Promise<void> {
  const { uid, request, response, texts, customers } = step
  const fields = await readForm(request, response)
  if (!fields) return enterForm(step, 400, texts.problem.unreadable)
  const pending = await customers.pending(uid)
  if (!pending || !isSameBrowser(request, pending.browser)) return enterForm(step, 400, texts.problem.endedCode)
  const { browser, email } = pending
  // Before any slow work.
  const waitS = await customers.countCode()
  if (waitS > 0) {
    response.setHeader('retry-after', waitS)
    return enterForm(step, 429, texts.problem.tooManyCodes(Math.ceil(waitS / 60)))
  }
  if (pending.isOver) return BEGIN[pending.purpose](step, texts.problem.endedCode, email)
  let password: string | null = null
  if (pending.purpose === 'reset') {
    const chosen = fields.get('password') ?? ''
    const wrong = await step.passwordProblem(chosen)
    if (wrong !== null) return enterForm(step, 400, wrong)
    password = await customers.hash(step.app.org, chosen)
  }
  const code = (fields.get('code') ?? '').replace(/\s/g, '').slice(0, 12)
  try {
    const mayRegister = await mayBeRegistered(step, email)
    const notice = password === null ? null : accountMails(step.look, texts).changed(email)
    const outcome = await customers.enterCode(uid, { code, browser, password, mayRegister, notice })
    if (outcome === 'wrong') return enterForm(step, 400, texts.problem.wrongCode)
    if (outcome === 'ended') return BEGIN[pending.purpose](step, texts.problem.endedCode, email)
    await done(step, outcome, email, await customers.proofOf(step.app.org, email))
  } catch (error) {
    // The organisation has reached its maximum number of customers.
    if (!(error instanceof Fault) || error.code !== 'conflict') throw error
    await signInForm(step, 409, texts.problem.full)
  }
}
