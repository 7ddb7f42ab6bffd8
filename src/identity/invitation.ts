// The page that an invitation link opens: the person joins with their existing password or chooses one.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { readForm, show } from './forms.ts'
import { invitationPage, joinedPage, problemPage } from './pages.ts'
import { type PasswordOptions, type Refusal, tryPassword } from './passwords.ts'
import { SIGN_IN_PATH } from './provider.ts'

const PATH = `${SIGN_IN_PATH}/invitations`
/** Matches every token, so that a link that was not copied completely opens a page that says so. */
export const INVITATION = new RegExp(`^${PATH}/(.*)$`)
const isComplete = (token: string) => /^\w{43}$/.test(token)
export const invitationPath = (token: string): string => `${PATH}/${token}`

export type Invitation = { org: string; email: string; role: string; invitedBy: string; hasPassword: boolean }

export type InvitationOptions = PasswordOptions & {
  /** The link shown after joining. */
  loginUrl: string
  invitation: (token: string) => Promise<Invitation | null>
  /** Adds the member, with the password if one was chosen. `ended`: the link is no longer valid. `changed`: the account
   *  got or lost its password in the meantime. `full`: the organisation has reached its maximum number of members. */
  join: (token: string, password: string | null, address: string) => Promise<'joined' | 'ended' | 'changed' | 'full'>
  /** What is wrong with a new password, or null. */
  passwordProblem: (password: string) => Promise<string | null>
}

export async function invitation(
  options: InvitationOptions,
  token: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isComplete(token)) return show(response, 404, INCOMPLETE)
  const found = await options.invitation(token)
  if (!found) return ended(response)
  const form = (status: number, problem: string | null) =>
    show(response, status, invitationPage(found, invitationPath(token), problem))
  if (request.method !== 'POST') return form(200, null)

  const fields = await readForm(request, response)
  if (!fields) return form(400, 'The form could not be read. Please try again.')
  const password = fields.get('password') ?? ''
  const { hasPassword, email } = found
  const outcome = hasPassword ? await tryPassword(options, request, email, password) : await checkNew(options, password)
  if ('says' in outcome) {
    if (outcome.status === 401) return form(401, 'The password is wrong.')
    if (outcome.waitS) response.setHeader('retry-after', outcome.waitS)
    return form(outcome.status, outcome.says)
  }
  const joined = await options.join(token, hasPassword ? null : password, options.address)
  if (joined === 'ended') return ended(response)
  if (joined === 'changed') return form(409, 'Your account has changed in the meantime. Please open the link again.')
  if (joined === 'full') {
    return form(409, `${found.org} has reached its maximum number of members. Ask the person who invited you.`)
  }
  show(response, 200, joinedPage(found.org, options.loginUrl + TO_CONSOLE))
}

/** Without a path, a sign-in leads to the account page, which does not lead on. */
const TO_CONSOLE = '?to=%2F'

async function checkNew({ passwordProblem }: InvitationOptions, password: string): Promise<Refusal | { user: null }> {
  const says = await passwordProblem(password)
  return says === null ? { user: null } : { status: 400, says }
}

const INCOMPLETE = problemPage(
  'This link is incomplete',
  'Open the link in the invitation e-mail again, or copy the whole link into the address bar.',
)

const ended = (response: ServerResponse) =>
  show(
    response,
    404,
    problemPage(
      'This invitation is no longer valid',
      'It was already used, was withdrawn or has expired. Ask the person who invited you for a new one.',
    ),
  )
