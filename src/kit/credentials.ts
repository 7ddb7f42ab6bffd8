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
