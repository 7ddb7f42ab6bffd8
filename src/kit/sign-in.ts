// The identity provider, as services see it.

/** How the API's own address signs browsers in: as one more app of the identity provider, at which people choose the
 *  organisation they act in. */
export interface SignIn {
  /** Who vouches for people: comes back with every answer. */
  issuer: string
  /** Where a browser goes. It comes back with a code and that state. */
  url(step: { state: string; challenge: string }): string
  /** Who came back with that code; null when it is not good, or not any more. */
  redeem(back: { code: string; verifier: string }): Promise<SignedIn | null>
  /** The page on which whoever was sent that link joins an organisation. */
  invitationUrl(token: string): string
}

/** Somebody who signed in; `signIn` is the id of the grant, with which all that comes of it ends. */
export type SignedIn = { user: string; org: string; signIn: string }

/** What a valid access token says. */
export type TokenClaims = SignedIn & { expiresMs: number }

export interface IdentityProvider {
  signIn: SignIn
  /** Checks signature, issuer, audience, time and type of an access token; null when it is not one of ours. */
  verifyToken(text: string): Promise<TokenClaims | null>
}
