import type { IncomingHttpHeaders } from 'node:http'
import type { Caller, Principal } from '../caller.ts'

/** Resolves the text of a credential to its caller, or raises a fault that gives the reason. Answers synchronously when
 *  the credential is cached, as it is for nearly every request. `address` is that of the client: refused credentials are
 *  counted by address. */
export interface Credentials {
  /** `sk-…` */
  secretKey(text: string, address: string): Caller | Promise<Caller>
  /** `pk-…` */
  publishableKey(text: string, address: string): Principal | Promise<Principal>
  /** A JWT issued by our identity provider. */
  accessToken(text: string, address: string): Caller | Promise<Caller>
  /** A JWT issued for a workspace. */
  workspaceToken(text: string, address: string): Principal | Promise<Principal>
  /** The value of the session cookie. */
  session(text: string, address: string): Caller | Promise<Caller>
}

/** With this prefix browsers accept and send the cookie only over https and only for the exact host that set it. */
export const SESSION_COOKIE = '__Host-stoa-session'

/** The parts of a request that may identify the caller. */
export type Presented = {
  /** The client's address. */
  address: string
  /** The whole Authorization header. */
  authorization?: string | undefined
  /** For the ingestion of events: the key in its own header, or in the query. */
  ingestHeader?: string | undefined
  ingestParameter?: string | undefined
  cookie?: string | undefined
  csrfToken?: string | undefined
  /** Whether the request only reads. A browser session needs the anti-CSRF token to write. */
  isSafe: boolean
}

/** For the ingestion of events. */
export const INGEST_HEADER = 'x-service-ingest-key'

/** What the headers of a request present, for an operation that only reads or one that writes. */
export const presentedBy =
  ({ headers, ip }: { headers: IncomingHttpHeaders; ip: string }) =>
  (isSafe: boolean): Presented => ({
    address: ip,
    authorization: headers.authorization,
    cookie: headers.cookie,
    csrfToken: headers['x-csrf-token'] as string | undefined,
    ingestHeader: headers[INGEST_HEADER] as string | undefined,
    isSafe,
  })
