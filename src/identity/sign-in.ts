// The sign-in step: shows the form, checks the password and redirects back to the app.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors } from 'oidc-provider'
import type { OrgId } from '../kit/caller.ts'
import type { App, SignedInCustomer } from '../services/iam/public.ts'
import { ensureBrowserId } from './browser-id.ts'
import { type ChoiceOptions, choose, grantForOnlyOrg } from './choice.ts'
import { callbacksOf } from './customers/account-url.ts'
import { type CustomerOptions, customerStep } from './customers/steps.ts'
import { readForm, show } from './forms.ts'
import { contentPolicy, signInPage } from './pages.ts'
import { ADDRESS, addressIn, knownCookie, type PasswordOptions, tryPassword } from './passwords.ts'
import { ENDED } from './problems.ts'
import { SIGN_IN_PATH } from './provider.ts'
import { FORGOTTEN_PATH } from './reset.ts'

export type SignInOptions = ChoiceOptions &
  PasswordOptions & {
    isMember: (user: string, clientId: string) => Promise<boolean>
    client: (clientId: string) => Promise<(App & { org: OrgId }) | null>
    issuer: string
  } & CustomerOptions

export async function signIn(
  options: SignInOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const details = await options.provider.interactionDetails(request, response).catch(error => {
    if (error instanceof errors.SessionNotFound) return null
    throw error
  })
  const path = `${SIGN_IN_PATH}/${details?.uid}`
  const [given = ''] = request.url?.split('?', 1) ?? []
  if (!details || (given !== path && !given.startsWith(`${path}/`))) return show(response, 400, ENDED)
  const step = given.slice(path.length + 1)
  const clientId = String(details.params.client_id)
  const client = await options.client(clientId)
  // The app or its redirect URI may have been removed since the sign-in started.
  if (!client || !callbacksOf(options.issuer, client).includes(String(details.params.redirect_uri)))
    return show(response, 400, ENDED)
  const callback = new URL(String(details.params.redirect_uri)).origin
  if (client.people === 'users') {
    const finish = ({ user, generation }: SignedInCustomer, browser: string) =>
      options.provider.interactionFinished(
        request,
        response,
        { login: { accountId: user, remember: true }, proof: String(generation), browser, consent: {} },
        { mergeWithLastSubmission: false },
      )
    const { uid } = details
    return customerStep(options, { name: step, uid, path, callback, app: client, request, response, finish })
  }
  if (step !== '') return show(response, 400, ENDED)
  if (clientId === options.ownClient && details.prompt.name === 'consent') {
    return choose(options, details, request, response)
  }
  const form = async (status: number, problem: string | null, email = '') =>
    show(response, status, signInPage(client.name, path, problem, email, FORGOTTEN_PATH), callback)
  if (request.method !== 'POST') return form(200, null)

  const fields = await readForm(request, response)
  if (!fields) return form(400, 'The form could not be read. Please try again.')
  const email = addressIn(fields)
  const outcome = await checkAccess(options, request, email, fields.get('password') ?? '', clientId)
  if ('says' in outcome) {
    if (outcome.waitS) response.setHeader('retry-after', outcome.waitS)
    return form(outcome.status, outcome.says, ADDRESS.test(email) ? email : '')
  }
  const browser = ensureBrowserId(request, response, options.newBrowserId)
  response.appendHeader('set-cookie', knownCookie(options, request, email, outcome.proof))
  response.setHeader('content-security-policy', contentPolicy(callback))
  await options.provider.interactionFinished(
    request,
    response,
    {
      login: { accountId: outcome.user, remember: true },
      proof: outcome.proof,
      browser,
      ...(await consentOf(options, outcome.user, clientId)),
    },
    { mergeWithLastSubmission: false },
  )
}

async function checkAccess(
  options: SignInOptions,
  request: IncomingMessage,
  email: string,
  password: string,
  clientId: string,
): ReturnType<typeof tryPassword> {
  const outcome = await tryPassword(options, request, email, password)
  if ('says' in outcome || (await options.isMember(outcome.user, clientId))) return outcome
  return { status: 403, says: 'This account has no access to this app.' }
}

/** People are never asked for consent; it counts as given. At Stoa's own app, members of several organisations still have to
 *  choose one. */
async function consentOf(options: SignInOptions, user: string, clientId: string) {
  if (clientId !== options.ownClient) return { consent: {} }
  const consent = await grantForOnlyOrg(options, user)
  return consent && { consent }
}
