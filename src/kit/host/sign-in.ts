// The identity provider's interface for services.
import type { OutgoingMail } from '../../engines/engines.ts'
import type { OrgId } from '../caller.ts'

/** Signs browsers in at the API's own origin, which is a client app of the identity provider. People choose the
 *  organisation to act in there. */
export interface SignIn {
  /** The issuer; every authorization response contains it. */
  issuer: string
  /** The authorization URL. It redirects back with a code and this state. A member of `org` is not asked for an
   *  organisation. */
  url(step: { state: string; challenge: string; org: string | null }): string
  /** Exchanges the code for the person who signed in; null if it is invalid or expired. */
  redeem(callback: { code: string; verifier: string }): Promise<SignedIn | null>
  /** The page on which people see and change their account. */
  accountUrl: string
  /** The page on which an invited person joins an organisation. */
  invitationUrl(token: string): string
  /** The page on which a person proves access to a new mailbox. */
  addressUrl(token: string): string
  /** The notices about a customer's account, in the organisation's wording and look. */
  customerMails(org: OrgId): Promise<CustomerMails>
}

export type CustomerMails = {
  /** The confirmation link for a new address. */
  confirm(to: string, link: string): OutgoingMail
  /** The address already has an account. */
  taken(to: string): OutgoingMail
  /** Sent to the old address after a change. */
  moved(from: string, to: string): OutgoingMail
  /** The password was changed. */
  changed(to: string): OutgoingMail
}

/** A person who signed in; `signIn` is the id of the grant. Ending it ends every credential issued from it. */
export type SignedIn = { user: string; org: OrgId; signIn: string }

/** The claims of a valid access token. */
export type TokenClaims = SignedIn & { expiresMs: number }

export interface IdentityProvider {
  signIn: SignIn
  /** Checks signature, issuer, audience, time and type of an access token; null if any of them is wrong. */
  verifyToken(text: string): Promise<TokenClaims | null>
}
