// The account page: people see and change their own account, with plain forms. Whoever is not signed in here signs in
// first.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import { EngineUnavailable } from '../engines/engines.ts'
import { Fault } from '../kit/fault.ts'
import type { AccountPage, Visitor } from '../services/iam/public.ts'
import { accountPage, type Shown } from './account-html.ts'
import { readForm, show } from './forms.ts'
import { thisRequest } from './request.ts'
import { digestOfEntry } from './saving.ts'

export const ACCOUNT_PATH = '/account'

export type AccountOptions = {
  provider: Provider
  cookieKey: string
  accountPage: AccountPage
  /** Where a browser signs in and returns to this page. */
  loginUrl: string
  addressUrl: (token: string) => string
  /** The address of the client. */
  address: string
}

type Change = (options: AccountOptions, visitor: Visitor, fields: URLSearchParams) => Promise<unknown>

const field = (fields: URLSearchParams, name: string) => fields.get(name) ?? ''

/** The forms of the page, by the path they are sent to. */
const CHANGES: Record<string, Change> = {
  '/name': ({ accountPage }, visitor, fields) => accountPage.rename(visitor, field(fields, 'name').trim()),
  '/password': ({ accountPage }, visitor, fields) =>
    accountPage.changePassword(visitor, field(fields, 'current'), field(fields, 'password')),
  '/email': ({ accountPage, addressUrl }, visitor, fields) =>
    accountPage.changeEmail(visitor, field(fields, 'email').trim(), field(fields, 'current'), addressUrl),
  '/accept': ({ accountPage }, visitor, fields) => accountPage.accept(visitor, field(fields, 'id')),
  '/decline': ({ accountPage }, visitor, fields) => accountPage.decline(visitor, field(fields, 'id')),
  '/end': ({ accountPage }, visitor, fields) => accountPage.end(visitor, field(fields, 'id')),
  '/end-others': ({ accountPage }, visitor) => accountPage.endOthers(visitor),
}

/** `change` is the rest of the path: of a form, or empty. */
export async function identityAccount(
  options: AccountOptions,
  change: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { provider, cookieKey } = options
  const { accountId: user, jti } = await provider.Session.get(provider.createContext(request, response))
  const found = user === undefined ? null : await options.accountPage.find(user)
  if (user === undefined || !found) return redirect(response, options.loginUrl)
  const { client, signal } = thisRequest()
  const session = digestOfEntry(jti).toString('hex')
  const page = (status: number, shown: Omit<Shown, 'csrf' | 'session'>) =>
    show(response, status, accountPage(found, { ...shown, session, csrf: csrfOf(cookieKey, jti) }))
  const run = request.method === 'POST' ? CHANGES[change] : undefined
  if (!run) return page(200, { done: doneIn(request), form: null, problem: null })

  const fields = await readForm(request, response)
  if (!fields || !isCsrf(cookieKey, jti, field(fields, 'csrf'))) {
    return page(403, { form: change, done: null, problem: 'This form was not sent from this page. Please try again.' })
  }
  try {
    await run(options, { user, session, ip: options.address, client, signal: signal() }, fields)
  } catch (error) {
    if (error instanceof EngineUnavailable && error.engine === 'mail') {
      response.setHeader('retry-after', '60')
      return page(502, { form: change, done: null, problem: 'The mail could not be sent. Please try again later.' })
    }
    if (!(error instanceof Fault)) throw error
    if (error.code === 'credential_refused') return redirect(response, options.loginUrl)
    for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value)
    return page(error.status, { form: change, done: null, problem: wordsOf(error) })
  }
  redirect(response, `${ACCOUNT_PATH}?done=${change.slice(1)}`)
}

const wordsOf = ({ fields, message }: Fault): string =>
  fields.some(({ path }) => path === 'current') ? 'The current password is wrong.' : message

const doneIn = ({ url = '' }: IncomingMessage) => new URLSearchParams(url.split('?', 2)[1] ?? '').get('done')

/** Sibling hosts can send forms with the cookies of this host, so each form has a token that only this page knows. */
const csrfOf = (cookieKey: string, session: string) =>
  createHmac('sha256', cookieKey).update(`account page of ${session}`).digest('base64url')

function isCsrf(cookieKey: string, session: string, given: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(csrfOf(cookieKey, session))]
  return a.length === b.length && timingSafeEqual(a, b)
}

const redirect = (response: ServerResponse, location: string) => void response.writeHead(303, { location }).end()
