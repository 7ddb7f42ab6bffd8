// The step in which a person says who they are: a form, a check of the password, and back to the app.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors } from 'oidc-provider'
import { markBrowser } from './browser-mark.ts'
import { type ChoiceOptions, choose, onlyChoice } from './choice.ts'
import { readForm, show } from './forms.ts'
import { contentPolicy, problemPage, signInPage } from './pages.ts'
import { knownCookie, type PasswordOptions, tryPassword } from './passwords.ts'
import { SIGN_IN_PATH } from './provider.ts'

export type SignInOptions = ChoiceOptions &
  PasswordOptions & {
    isMember: (user: string, clientId: string) => Promise<boolean>
    client: (clientId: string) => Promise<{ name: string; redirectUris: string[] } | null>
  }

export const ENDED = problemPage('This sign-in has ended', 'Go back to the app and start again.')

export async function signIn(
  options: SignInOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const details = await options.provider.interactionDetails(request, response).catch(error => {
    if (error instanceof errors.SessionNotFound) return null
    throw error
  })
  const at = `${SIGN_IN_PATH}/${details?.uid}`
  if (!details || request.url?.split('?', 1)[0] !== at) {
    return show(response, 400, ENDED)
  }
  const clientId = String(details.params.client_id)
  const client = await options.client(clientId)
  // The app, or its way back, may be gone since this began.
  if (!client?.redirectUris.includes(String(details.params.redirect_uri))) return show(response, 400, ENDED)
  const callback = new URL(String(details.params.redirect_uri)).origin
  if (clientId === options.ownClient && details.prompt.name === 'consent') {
    return choose(options, details, request, response)
  }
  const form = async (status: number, problem: string | null) =>
    show(response, status, signInPage(client.name, at, problem), callback)
  if (request.method !== 'POST') return form(200, null)

  const fields = await readForm(request, response)
  if (!fields) return form(400, 'The form did not arrive whole; try again.')
  const email = (fields.get('email') ?? '').replaceAll('\0', '').trim().toLowerCase().slice(0, 254)
  const outcome = await enter(options, request, email, fields.get('password') ?? '', clientId)
  if ('says' in outcome) {
    if (outcome.waitS) response.setHeader('retry-after', outcome.waitS)
    return form(outcome.status, outcome.says)
  }
  const browser = markBrowser(request, response, options.newMark)
  response.appendHeader('set-cookie', knownCookie(options, request, email))
  response.setHeader('content-security-policy', contentPolicy(callback))
  await options.provider.interactionFinished(
    request,
    response,
    {
      login: { accountId: outcome.user, remember: true },
      ...{ proof: outcome.proof, browser },
      ...(await consentOf(options, outcome.user, clientId)),
    },
    { mergeWithLastSubmission: false },
  )
}

async function enter(
  options: SignInOptions,
  request: IncomingMessage,
  email: string,
  password: string,
  clientId: string,
): ReturnType<typeof tryPassword> {
  const tried = await tryPassword(options, request, email, password)
  if ('says' in tried || (await options.isMember(tried.user, clientId))) return tried
  return { status: 403, says: 'This account has no access to this app.' }
}

/** Nobody is asked for consent, so whoever asks for it to be asked has it. At the platform's own app a choice is left to
 *  those who belong to several organisations. */
async function consentOf(options: SignInOptions, user: string, clientId: string) {
  if (clientId !== options.ownClient) return { consent: {} }
  const consent = await onlyChoice(options, user)
  return consent && { consent }
}
