// The pages for a forgotten password: one asks for the e-mail address, the other, opened by the mailed link, for a new password.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { readForm, show } from './forms.ts'
import { forgottenPage, problemPage, resetDonePage, resetPage, sentPage } from './pages.ts'
import { ADDRESS, addressIn } from './passwords.ts'
import { SIGN_IN_PATH } from './provider.ts'

export const FORGOTTEN_PATH = `${SIGN_IN_PATH}/forgotten`
const PATH = `${SIGN_IN_PATH}/resets`
/** Matches every token, so that a link that was not copied completely opens a page that says so. */
export const RESET = new RegExp(`^${PATH}/(.*)$`)
export const resetPath = (token: string): string => `${PATH}/${token}`

export type ResetOptions = {
  /** Counts a mail requested by this client; returns the seconds to wait if it has requested too many. */
  countMail: () => Promise<number>
  /** Mails a link if there is such an account. Returns immediately, so that the response time does not reveal whether there is one. */
  sendReset: (email: string) => void
  /** The e-mail address of the link's account; null if the link is not valid. */
  findReset: (token: string) => Promise<string | null>
  /** Sets the password; false if the link is no longer valid. */
  finishReset: (token: string, password: string, address: string) => Promise<boolean>
  /** What is wrong with a new password, or null. */
  passwordProblem: (password: string) => Promise<string | null>
  loginUrl: string
  /** The address of the client. */
  address: string
}

export async function forgotten(options: ResetOptions, request: IncomingMessage, response: ServerResponse) {
  const form = (status: number, problem: string | null) =>
    show(response, status, forgottenPage(FORGOTTEN_PATH, problem))
  if (request.method !== 'POST') return form(200, null)
  const fields = await readForm(request, response)
  const email = addressIn(fields)
  if (!ADDRESS.test(email)) return form(400, 'Please enter your e-mail address.')
  const waitS = await options.countMail()
  if (waitS > 0) {
    response.setHeader('retry-after', waitS)
    return form(429, 'Too many e-mails were requested from your network. Please try again later.')
  }
  options.sendReset(email)
  show(response, 200, sentPage())
}

export async function reset(options: ResetOptions, token: string, request: IncomingMessage, response: ServerResponse) {
  const email = /^\w{43}$/.test(token) ? await options.findReset(token) : null
  if (email === null) return show(response, 404, ENDED)
  const form = (status: number, problem: string | null) =>
    show(response, status, resetPage(email, resetPath(token), problem))
  if (request.method !== 'POST') return form(200, null)
  const fields = await readForm(request, response)
  if (!fields) return form(400, 'The form could not be read. Please try again.')
  const password = fields.get('password') ?? ''
  const problem = await options.passwordProblem(password)
  if (problem !== null) return form(400, problem)
  if (!(await options.finishReset(token, password, options.address))) return show(response, 404, ENDED)
  show(response, 200, resetDonePage(options.loginUrl))
}

const ENDED = problemPage(
  'This link is not valid',
  'It has already been used, has expired or was not copied completely. Request a new one on the sign-in page.',
)
