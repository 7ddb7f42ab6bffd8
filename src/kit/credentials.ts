import type { Caller, Principal } from './caller.ts'

/** Turns the text of a credential into the caller it stands for, or raises the fault that says why not. Answers at
 *  once when it knows the credential already: that is the path of nearly every request. */
export interface Credentials {
  /** `sk-…` */
  secretKey(text: string): Caller | Promise<Caller>
  /** `pk-…` */
  publishableKey(text: string): Principal | Promise<Principal>
  /** A JWT of our identity provider. */
  accessToken(text: string): Caller | Promise<Caller>
  /** A JWT of a team's workspace. */
  workspaceToken(text: string): Principal | Promise<Principal>
  /** The value of the session cookie. */
  session(text: string): Caller | Promise<Caller>
}

/** Browsers keep a cookie of this prefix to https, to this one host name, and to whoever set it there. */
export const SESSION_COOKIE = '__Host-stoa-session'

/** What a request carries that may say who is calling. */
export type Presented = {
  /** The Authorization header, whole. */
  authorization?: string | undefined
  /** Where events come in: the key in its own header, or in the query. */
  ingestHeader?: string | undefined
  ingestParameter?: string | undefined
  cookie?: string | undefined
  csrfToken?: string | undefined
  /** Whether the request only reads. A browser session that writes needs the anti-CSRF token. */
  isSafe: boolean
}
