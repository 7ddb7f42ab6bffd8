// The page on which people confirm a new e-mail address; the mailed link opens it. Only its button changes the address, because
// mail filters open links. The browser must be signed in to the account: otherwise an attacker could mail a link to the owner of
// an address, who would confirm it for the attacker's account.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import type { CustomerMails } from '../kit/host/sign-in.ts'
import type { PendingChange } from '../services/iam/public.ts'
import {
  customerAddressDonePage,
  customerAddressPage,
  customerAddressSignInPage,
  type Page,
} from './customers/pages.ts'
import { show } from './forms.ts'
import { addressDonePage, addressPage, addressSignInPage, problemPage } from './pages.ts'
import { SIGN_IN_PATH } from './provider.ts'

const PATH = `${SIGN_IN_PATH}/addresses`
/** Matches every token, so that a link that was not copied completely opens a page that says so. */
export const ADDRESS_CHANGE = new RegExp(`^${PATH}/(.*)$`)
export const addressPath = (token: string): string => `${PATH}/${token}`

export type AddressOptions = {
  provider: Provider
  /** The new address; null if the link is no longer valid, or another account has the address. */
  finishAddressChange: (token: string, address: string, mails: CustomerMails | null) => Promise<string | null>
  /** For a customer's account. */
  mails: CustomerMails | null
  loginUrl: string
  /** Where members sign in and see their account. */
  accountUrl: string
  /** The address of the client. */
  address: string
  /** How the page looks if the link came from a customer's account page, and the URL of that page. */
  dress: (Pick<Page, 'look' | 'texts'> & { accountUrl: string; query: string }) | null
}

/** `change` is null if the link is not valid. The realm of the account must be entered. */
export async function addressChange(
  options: AddressOptions,
  token: string,
  change: PendingChange | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (change === null) return show(response, 404, ENDED)
  const { dress, provider, loginUrl, accountUrl } = options
  const { email, user, org } = change
  const answer = (status: number, page: string) => show(response, status, page, undefined, dress?.look.styleHash)
  const { accountId } = await provider.Session.get(provider.createContext(request, response))
  if (accountId !== user) {
    const page = dress
      ? customerAddressSignInPage(dress, dress.accountUrl)
      : addressSignInPage(org === null ? accountUrl : null)
    return answer(request.method === 'POST' ? 403 : 200, page)
  }
  if (request.method !== 'POST') {
    const path = addressPath(token)
    return answer(200, dress ? customerAddressPage(dress, email, path + dress.query) : addressPage(email, path))
  }
  const changed = await options.finishAddressChange(token, options.address, options.mails)
  if (changed === null) return show(response, 409, ENDED)
  answer(200, dress ? customerAddressDonePage(dress, changed, dress.accountUrl) : addressDonePage(changed, loginUrl))
}

const ENDED = problemPage(
  'This link is not valid',
  'It has already been used, has expired or was not copied completely, or another account uses this address.',
)
