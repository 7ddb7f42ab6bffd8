// The page behind the link of an invitation: whoever opens it joins, with the password they have or one they choose.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { readForm, show } from './forms.ts'
import { invitationPage, joinedPage, problemPage } from './pages.ts'
import { type PasswordOptions, type Refusal, tryPassword } from './passwords.ts'
import { SIGN_IN_PATH } from './provider.ts'

const PATH = `${SIGN_IN_PATH}/invitations`
export const INVITATION = new RegExp(`^${PATH}/(\\w{43})$`)
export const invitationPath = (token: string): string => `${PATH}/${token}`

export type Invitation = { org: string; email: string; role: string; invitedBy: string; hasPassword: boolean }

export type InvitationOptions = PasswordOptions & {
  /** Where they sign in afterwards. */
  loginUrl: string
  invitation: (token: string) => Promise<Invitation | null>
  /** Makes them a member, with that password if one was chosen, unless the link is no longer good, or the account has got
   *  or lost its password meanwhile. */
  join: (token: string, password: string | null, address: string) => Promise<'joined' | 'ended' | 'changed'>
  /** What is wrong with a password somebody chose, or null. */
  passwordProblem: (password: string) => string | null
}

export async function invitation(
  options: InvitationOptions,
  token: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const found = await options.invitation(token)
  if (!found) return ended(response)
  const form = (status: number, problem: string | null) =>
    show(response, status, invitationPage(found, invitationPath(token), problem))
  if (request.method !== 'POST') return form(200, null)

  const fields = await readForm(request, response)
  if (!fields) return form(400, 'The form did not arrive whole; try again.')
  const password = fields.get('password') ?? ''
  const { hasPassword, email } = found
  const outcome = hasPassword ? await tryPassword(options, request, email, password) : chosen(options, password)
  if ('says' in outcome) {
    if (outcome.waitS) response.setHeader('retry-after', outcome.waitS)
    return form(outcome.status, outcome.says)
  }
  const joined = await options.join(token, hasPassword ? null : password, options.address)
  if (joined === 'ended') return ended(response)
  if (joined === 'changed') return form(409, 'The account has changed meanwhile. Open the link again.')
  show(response, 200, joinedPage(found.org, options.loginUrl))
}

function chosen({ passwordProblem }: InvitationOptions, password: string): Refusal | { user: null } {
  const says = passwordProblem(password)
  return says === null ? { user: null } : { status: 400, says }
}

const ended = (response: ServerResponse) =>
  show(
    response,
    404,
    problemPage(
      'This invitation has ended',
      'It was used already, was withdrawn, or is too old. Ask whoever sent it for another one.',
    ),
  )
