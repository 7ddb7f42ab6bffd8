// The account page for an app's customers. The app selects the organisation and thus the browser session; accounts of the team or
// of other organisations are not signed in here.
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OrgId } from '../../kit/caller.ts'
import { Fault } from '../../kit/fault.ts'
import type { App, CustomerAccount, CustomerFacts } from '../../services/iam/public.ts'
import {
  answerAccount,
  field,
  findVisitor,
  isAboutPassword,
  type Kind,
  type PageOptions,
  queryOf,
  redirect,
} from '../account.ts'
import { addressPath } from '../address.ts'
import { show } from '../forms.ts'
import { PATHS } from '../provider.ts'
import { type AccountPageOf, customerAccountPage, farewellPage } from './account-html.ts'
import { accountUrl, homeOf, queryFor } from './account-url.ts'
import { accountMails } from './mails.ts'
import type { CustomerOptions } from './steps.ts'
import { english, type Texts } from './texts.ts'

export type CustomerAccountOptions = PageOptions &
  Pick<CustomerOptions, 'customers'> & {
    issuer: string
    customerAccount: CustomerAccount
    /** Unguessable letters and digits. */
    randomToken: (length: number) => string
  }

type CustomerApp = App & { org: OrgId }

/** `change` is the rest of the path: a form's path, or empty. */
export async function customerAccount(
  options: CustomerAccountOptions,
  app: CustomerApp,
  change: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const look = await options.customers.look(app)
  const againUrl = signInUrl(options, app, 'again')
  const of: AccountPageOf = { look, texts: english, app: app.id, home: homeOf(app), againUrl }
  const kind = customerPage(options, app, of)
  const query = queryOf(request)
  if (!query.has('code') && !query.has('error')) return answerAccount(options, kind, change, request, response)
  // Returning from sign-in. Only the session it created is needed; the code is ignored.
  const url = accountUrl(options.issuer, app.id)
  const isSignedIn = !query.has('error') && (await findVisitor(options, kind, request, response)) !== null
  if (isSignedIn) return redirect(response, url)
  // Redirecting to sign-in again could loop forever.
  show(response, 400, farewellPage(of, 'failed', url), undefined, look.styleHash)
}

/** Where a customer signs in before returning to the page. The verifier is discarded, so the code cannot be redeemed. */
function signInUrl({ issuer, randomToken }: CustomerAccountOptions, { id }: App, how: 'once' | 'again'): string {
  const query = new URLSearchParams({
    client_id: id,
    redirect_uri: accountUrl(issuer, id),
    response_type: 'code',
    scope: 'openid',
    state: randomToken(22),
    code_challenge: createHash('sha256').update(randomToken(43)).digest('base64url'),
    code_challenge_method: 'S256',
    ...(how === 'again' && { prompt: 'login' }),
  })
  return `${issuer}${PATHS.authorize}?${query}`
}

function customerPage(options: CustomerAccountOptions, app: CustomerApp, of: AccountPageOf): Kind<CustomerFacts> {
  const { customerAccount: account, issuer } = options
  const { org, id } = app
  const { look, texts } = of
  const mails = accountMails(look, texts)
  const url = accountUrl(issuer, id)
  /** The field exists only for accounts with a password. */
  const current = (fields: URLSearchParams) => fields.get('current') ?? undefined
  return {
    find: (user, session) => account.find(org, user, session),
    loginUrl: () => signInUrl(options, app, 'once'),
    urlAfter: change => `${url}&done=${change.slice(1)}`,
    page: (facts, shown) => customerAccountPage(of, facts, shown),
    styleHash: look.styleHash,
    changes: {
      '/name': (visitor, fields) => account.rename(org, visitor, field(fields, 'name').trim()),
      '/password': (visitor, fields) =>
        account.changePassword(org, visitor, {
          current: current(fields),
          password: field(fields, 'password'),
          mails,
        }),
      '/email': (visitor, fields) =>
        account.changeEmail(org, visitor, {
          current: current(fields),
          email: field(fields, 'email').trim(),
          mails,
          addressUrl: token => issuer + addressPath(token) + queryFor(id),
        }),
      '/end': (visitor, fields) => account.end(org, visitor, field(fields, 'id')),
      '/everywhere': visitor => account.endAll(org, visitor),
      '/delete': (visitor, fields) => {
        if (fields.get('confirm') !== 'yes') throw new Fault('invalid_input', { message: 'not confirmed' })
        return account.remove(org, visitor, { current: current(fields) })
      },
    },
    farewells: { '/everywhere': farewellPage(of, 'everywhere', url), '/delete': farewellPage(of, 'deleted', url) },
    says: {
      foreign: texts.account.problem.foreign,
      mail: texts.problem.mail,
      fault: (form, fault) => wordsOf(texts, form, fault),
    },
  }
}

/** Faults are worded for API callers, so customers get these texts instead. */
function wordsOf(texts: Texts, form: string, fault: Fault): string {
  const { problem } = texts.account
  if (isAboutPassword(fault)) return problem.password
  switch (fault.code) {
    case 'too_many_tries':
      return problem.tooMany(Math.ceil(Number(fault.headers['retry-after']) / 60))
    case 'forbidden':
      return problem.again
    case 'not_found':
      return problem.ended
    case 'invalid_input':
      if (form === '/name') return problem.name
      if (form === '/email') return texts.problem.address
      return form === '/delete' ? problem.confirm : fault.message
    default:
      return texts.problem.changed
  }
}
