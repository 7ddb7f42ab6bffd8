// The account pages, on which people see and change their own account with plain forms. People who are not signed in are
// redirected to sign in. This file has the team's page and what it shares with the customers' page (`customers/account.ts`).
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import { EngineUnavailable } from '../engines/engines.ts'
import { Fault } from '../kit/fault.ts'
import type { AccountFacts, AccountPage, Visitor } from '../services/iam/public.ts'
import type { Shown } from './account-forms.ts'
import { accountPage } from './account-html.ts'
import { readForm, show } from './forms.ts'
import { thisRequest } from './request.ts'
import { digestOfEntry } from './saving.ts'

export const ACCOUNT_PATH = '/account'

export type PageOptions = {
  provider: Provider
  cookieKey: string
  /** The address of the client. */
  address: string
}

export type AccountOptions = PageOptions & {
  accountPage: AccountPage
  /** Where a browser signs in and returns to this page. */
  loginUrl: string
  addressUrl: (token: string) => string
}

/** The team's or the customers' page: what it shows and which changes it offers. */
export type Kind<Facts> = {
  /** Null if the account has no such page. */
  find(user: string, session: string): Promise<Facts | null>
  /** Where people who are not signed in are redirected. */
  loginUrl(): string
  /** The URL of the page after a change. */
  urlAfter(change: string): string
  page(facts: Facts, shown: Shown): string
  styleHash: string | null
  /** By the path of the form. */
  changes: Readonly<Record<string, (visitor: Visitor, fields: URLSearchParams) => Promise<unknown>>>
  /** The pages shown after changes that end the session. */
  farewells: Readonly<Record<string, string>>
  says: { foreign: string; mail: string; fault(form: string, fault: Fault): string }
}

export const field = (fields: URLSearchParams, name: string) => fields.get(name) ?? ''

/** The team's page. `change` is the rest of the path: a form's path, or empty. */
export function identityAccount(
  options: AccountOptions,
  change: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  return answerAccount(options, teamPage(options), change, request, response)
}

const teamPage = ({ accountPage: account, loginUrl, addressUrl }: AccountOptions): Kind<AccountFacts> => ({
  find: user => account.find(user),
  loginUrl: () => loginUrl,
  urlAfter: change => `${ACCOUNT_PATH}?done=${change.slice(1)}`,
  page: accountPage,
  styleHash: null,
  changes: {
    '/name': (visitor, fields) => account.rename(visitor, field(fields, 'name').trim()),
    '/password': (visitor, fields) =>
      account.changePassword(visitor, field(fields, 'current'), field(fields, 'password')),
    '/email': (visitor, fields) =>
      account.changeEmail(visitor, field(fields, 'email').trim(), field(fields, 'current'), addressUrl),
    '/accept': (visitor, fields) => account.accept(visitor, field(fields, 'id')),
    '/decline': (visitor, fields) => account.decline(visitor, field(fields, 'id')),
    '/end': (visitor, fields) => account.end(visitor, field(fields, 'id')),
    '/end-others': visitor => account.endOthers(visitor),
  },
  farewells: {},
  says: {
    foreign: 'This form is no longer valid. Please try again.',
    mail: 'The e-mail could not be sent. Please try again later.',
    fault: (_form, fault) => (isAboutPassword(fault) ? 'The current password is wrong.' : fault.message),
  },
})

export const isAboutPassword = ({ fields }: Fault): boolean => fields.some(({ path }) => path === 'current')

export async function answerAccount<Facts>(
  options: PageOptions,
  kind: Kind<Facts>,
  change: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { cookieKey, address: ip } = options
  const found = await findVisitor(options, kind, request, response)
  if (!found) return redirect(response, kind.loginUrl())
  const { user, jti, session, facts } = found
  const answer = (status: number, html: string) => show(response, status, html, undefined, kind.styleHash)
  const page = (status: number, shown: Omit<Shown, 'csrf' | 'session'>) =>
    answer(status, kind.page(facts, { ...shown, session, csrf: csrfOf(cookieKey, jti) }))
  const run = request.method === 'POST' && Object.hasOwn(kind.changes, change) ? kind.changes[change] : undefined
  if (!run) return page(200, { done: queryOf(request).get('done'), form: null, problem: null })

  const fields = await readForm(request, response)
  if (!fields || !isCsrf(cookieKey, jti, field(fields, 'csrf'))) {
    return page(403, { form: change, done: null, problem: kind.says.foreign })
  }
  const { client, signal } = thisRequest()
  try {
    await run({ user, session, ip, client, signal: signal() }, fields)
  } catch (error) {
    if (error instanceof EngineUnavailable && error.engine === 'mail') {
      response.setHeader('retry-after', '60')
      return page(502, { form: change, done: null, problem: kind.says.mail })
    }
    if (!(error instanceof Fault)) throw error
    if (error.code === 'credential_refused') return redirect(response, kind.loginUrl())
    for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value)
    return page(error.status, { form: change, done: null, problem: kind.says.fault(change, error) })
  }
  const farewell = kind.farewells[change]
  if (farewell !== undefined) return answer(200, farewell)
  redirect(response, kind.urlAfter(change))
}

/** The person who is signed in, and what the page shows about them; null if nobody is. */
export async function findVisitor<Facts>(
  { provider }: PageOptions,
  kind: Pick<Kind<Facts>, 'find'>,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const { accountId: user, jti } = await provider.Session.get(provider.createContext(request, response))
  if (user === undefined) return null
  const session = digestOfEntry(jti).toString('hex')
  const facts = await kind.find(user, session)
  return facts && { user, jti, session, facts }
}

export const queryOf = ({ url = '' }: IncomingMessage) => new URLSearchParams(url.split(/\?(.*)/s)[1] ?? '')

/** Sibling hosts can submit forms with this host's cookies, so each form contains a token that only this page knows. */
const csrfOf = (cookieKey: string, session: string) =>
  createHmac('sha256', cookieKey).update(`account page of ${session}`).digest('base64url')

function isCsrf(cookieKey: string, session: string, given: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(csrfOf(cookieKey, session))]
  return a.length === b.length && timingSafeEqual(a, b)
}

export const redirect = (response: ServerResponse, location: string) => void response.writeHead(303, { location }).end()
