// Determines the caller from the presented credential.
import type { Clock } from '../engines/engines.ts'
import type { Principal } from '../kit/caller.ts'
import { Fault } from '../kit/fault.ts'
import { cookieIn } from '../kit/host/cookies.ts'
import { type Credentials, INGEST_HEADER, type Presented, SESSION_COOKIE } from '../kit/host/credentials.ts'
import { isCsrfToken } from '../kit/host/csrf.ts'
import type { Access, Operation } from '../kit/operation.ts'
import { INGEST_PARAMETER } from './presented.ts'

const CHALLENGE = { 'www-authenticate': 'Bearer' }

export type IdentifyOptions = { credentials: Credentials; engines: { clock: Clock } }

/** Only the first credential present counts, valid or not. The order is: bearer, then for `ingest` the ingest header and
 *  parameter, then the session cookie, which browsers send automatically. */
export function identify(
  options: IdentifyOptions,
  { access, withoutCredential }: Pick<Operation, 'access' | 'withoutCredential'>,
  presented: Presented,
): Principal | null | Promise<Principal | null> {
  if (withoutCredential === null) return identifyFor(options, access, presented)
  return (async () => identifyFor(options, access, presented))().catch(error => {
    const isUnknown = error instanceof Fault && ['credential_required', 'credential_refused'].includes(error.code)
    throw isUnknown ? new Fault(withoutCredential, { message: error.message }) : error
  })
}

function identifyFor(
  options: IdentifyOptions,
  access: Access,
  presented: Presented,
): Principal | null | Promise<Principal | null> {
  if (access === 'public') return null
  const { credentials } = options
  const { address } = presented
  if (access === 'ingest') return identifyIngest(options, presented)
  if (presented.authorization === undefined) {
    const session = sessionOf(options, presented)
    if (session) return session
    throw credentialRequired()
  }
  const text = bearerIn(presented.authorization)
  if (text.startsWith('sk-')) return credentials.secretKey(text, address)
  const isWorkspace = isWorkspaceToken(text)
  if (isWorkspace && access === 'reader') return credentials.workspaceToken(text, address)
  if (isWorkspace || text.startsWith('pk-')) {
    throw new Fault('forbidden', {
      message: "A publishable key (pk-) or a workspace's token may not do this; use a secret key (sk-).",
    })
  }
  if (JWT.test(text)) return credentials.accessToken(text, address)
  throw notBearer()
}

const notBearer = () =>
  new Fault('credential_refused', {
    message: 'The Authorization header must be `Bearer` and a secret key (`sk-…`) or an access token.',
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  })

export const credentialRequired = () =>
  new Fault('credential_required', {
    message: 'Send a key of your organisation as `Authorization: Bearer sk-…`.',
    headers: CHALLENGE,
  })

async function identifyIngest(options: IdentifyOptions, presented: Presented): Promise<Principal> {
  const text = anyTextIn(presented)
  if (text === undefined) {
    const session = sessionOf(options, presented)
    if (session) return session
    const message = `Send a key as \`Authorization: Bearer\`, in the header ${INGEST_HEADER} or as ?${INGEST_PARAMETER}=.`
    throw new Fault('ingest_key_required', { message, headers: CHALLENGE })
  }
  try {
    const caller = await callerBy(options, text, presented)
    if (caller) return caller
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'credential_refused') throw error
    throw new Fault('ingest_key_unknown', { message: error.message })
  }
  throw new Fault('ingest_key_unknown', { message: 'To write events, send a key that starts with pk- or sk-.' })
}

/** Identifies by any credential of an organisation, even one that can only write events. */
export async function identifyAny(options: IdentifyOptions, presented: Presented): Promise<Principal> {
  const text = anyTextIn(presented)
  const caller = await (text === undefined ? sessionOf(options, presented) : callerBy(options, text, presented))
  if (caller) return caller
  throw text === undefined ? credentialRequired() : notBearer()
}

/** The text of the first credential that is not a cookie. */
const anyTextIn = ({ authorization, ingestHeader, ingestParameter }: Presented): string | undefined =>
  authorization === undefined ? (ingestHeader ?? ingestParameter) : bearerIn(authorization)

/** Null if the text is not a known kind of credential. */
function callerBy(
  { credentials }: IdentifyOptions,
  text: string,
  { address, authorization }: Presented,
): Principal | Promise<Principal> | null {
  if (text.startsWith('sk-')) return credentials.secretKey(text, address)
  if (text.startsWith('pk-')) return credentials.publishableKey(text, address)
  if (isWorkspaceToken(text)) return credentials.workspaceToken(text, address)
  return authorization !== undefined && JWT.test(text) ? credentials.accessToken(text, address) : null
}

function sessionOf({ credentials, engines }: IdentifyOptions, presented: Presented): Promise<Principal> | null {
  const session = presented.cookie === undefined ? null : cookieIn(presented.cookie, SESSION_COOKIE)
  if (session === null) return null
  return Promise.resolve(credentials.session(session, presented.address)).then(caller => {
    if (!presented.isSafe) requireCsrfToken(presented, caller, engines.clock)
    return caller
  })
}

/** Browsers also send the cookie with requests made by pages of other sites, but those pages cannot read the token. */
function requireCsrfToken({ csrfToken }: Presented, { credential }: Principal, clock: Clock): void {
  if (csrfToken !== undefined && isCsrfToken(csrfToken, credential, clock.now())) return
  throw new Fault('csrf_token_required', {
    message: 'Send the header X-CSRF-Token with writes of a browser session; GET /v1/account/csrf returns a token.',
  })
}

/** Three parts in base64url; the first one starts with `{"`. */
const JWT = /^eyJ[\w-]{1,2000}\.[\w-]{1,6000}\.[\w-]{1,1000}$/

/** Checks only the `typ` header; `workspaceToken` verifies the signature. */
function isWorkspaceToken(text: string): boolean {
  if (!JWT.test(text)) return false
  const head = Buffer.from(text.slice(0, text.indexOf('.')), 'base64url').toString()
  return /"typ"\s*:\s*"workspace\+jwt"/.test(head)
}

const bearerIn = (header: string) =>
  header.startsWith('Bearer ') || /^bearer /i.test(header) ? header.slice('Bearer '.length) : ''
