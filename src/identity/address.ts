// The page that the link to a new address opens. A button changes the address, because mail filters open links.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { customerAddressDonePage, customerAddressPage, type Page } from './customers/pages.ts'
import { show } from './forms.ts'
import { addressDonePage, addressPage, problemPage } from './pages.ts'
import { SIGN_IN_PATH } from './provider.ts'

const PATH = `${SIGN_IN_PATH}/addresses`
/** Matches every token, so that a link that was not copied completely opens a page that says so. */
export const ADDRESS_CHANGE = new RegExp(`^${PATH}/(.*)$`)
export const addressPath = (token: string): string => `${PATH}/${token}`

export type AddressOptions = {
  /** The new address of a link; null if it is not valid. */
  findAddressChange: (token: string) => Promise<string | null>
  /** The new address; null if the link is no longer valid, or another account has the address. */
  finishAddressChange: (token: string, address: string) => Promise<string | null>
  loginUrl: string
  /** The address of the client. */
  address: string
  /** How the page looks if the link is that of a customer's account page, and where that is. */
  dress: (Pick<Page, 'look' | 'texts'> & { accountUrl: string; query: string }) | null
}

export async function addressChange(
  options: AddressOptions,
  token: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const email = /^\w{43}$/.test(token) ? await options.findAddressChange(token) : null
  if (email === null) return show(response, 404, ENDED)
  const { dress } = options
  const answer = (page: string) => show(response, 200, page, undefined, dress?.look.styleHash)
  if (request.method !== 'POST') {
    const path = addressPath(token)
    return answer(dress ? customerAddressPage(dress, email, path + dress.query) : addressPage(email, path))
  }
  const changed = await options.finishAddressChange(token, options.address)
  if (changed === null) return show(response, 409, ENDED)
  answer(dress ? customerAddressDonePage(dress, changed, dress.accountUrl) : addressDonePage(changed, options.loginUrl))
}

const ENDED = problemPage(
  'This link is not valid',
  'It was already used, has expired or was not copied completely, or another account has this address.',
)
