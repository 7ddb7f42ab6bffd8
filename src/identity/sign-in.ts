// The step in which a person says who they are: a form, a check of the password, and back to the app.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import type { Guesser, Guesses } from './guesses.ts'
import { contentPolicy, problemPage, signInPage } from './pages.ts'
import { SIGN_IN_PATH } from './provider.ts'

const BODY_BYTES_MAX = 8 * 1024
/** Says that this browser has signed in to an account before. It opens nothing. */
const KNOWN_COOKIE = '__Host-stoa-id-known'
const KNOWN_S = 400 * 24 * 60 * 60

export type SignInOptions = {
  provider: Provider
  guesses: Guesses
  /** The person's id if the password is theirs. Takes equally long when there is no such person. */
  checkPassword: (email: string, password: string) => Promise<string | null>
  isMember: (user: string, clientId: string) => Promise<boolean>
  clientName: (clientId: string) => Promise<string>
  cookieKey: string
  /** Draws 20 letters and digits. */
  newMark: () => string
  addressOf: (request: IncomingMessage) => string
}

const WRONG = 'This e-mail address and password do not go together.'

export async function signIn(
  options: SignInOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const details = await options.provider.interactionDetails(request, response).catch(() => null)
  const at = `${SIGN_IN_PATH}/${details?.uid}`
  if (!details || request.url?.split('?', 1)[0] !== at) {
    return show(response, 400, problemPage('This sign-in has ended', 'Go back to the app and start again.'))
  }
  const clientId = String(details.params.client_id)
  const callback = new URL(String(details.params.redirect_uri)).origin
  const form = async (status: number, problem: string | null) =>
    show(response, status, signInPage(await options.clientName(clientId), at, problem), callback)
  if (request.method !== 'POST') return form(200, null)

  const fields = await readForm(request, response)
  if (!fields) return form(400, 'The form did not arrive whole; try again.')
  const email = (fields.get('email') ?? '').replaceAll('\0', '').trim().toLowerCase().slice(0, 254)
  const who = {
    account: email,
    address: options.addressOf(request),
    knownBrowser: knownBrowser(options, request, email),
  }
  const problem = await tryPassword(options, who, email, fields.get('password') ?? '', clientId)
  if ('says' in problem) {
    if (problem.waitS) response.setHeader('retry-after', problem.waitS)
    return form(problem.status, problem.says)
  }
  response.setHeader('set-cookie', knownCookie(options, email))
  response.setHeader('content-security-policy', contentPolicy(callback))
  await options.provider.interactionFinished(
    request,
    response,
    // Nobody is asked for consent, so whoever asks for it to be asked has it.
    { login: { accountId: problem.user, remember: true }, consent: {} },
    { mergeWithLastSubmission: false },
  )
}

type Outcome = { user: string } | { status: number; says: string; waitS?: number }

async function tryPassword(
  { guesses, checkPassword, isMember }: SignInOptions,
  who: Guesser,
  email: string,
  password: string,
  clientId: string,
): Promise<Outcome> {
  const waitS = guesses.waitS(who)
  if (waitS > 0) {
    return {
      status: 429,
      waitS,
      says: `Too many wrong passwords. Wait ${Math.ceil(waitS / 60)} minutes and try again.`,
    }
  }
  guesses.count(who)
  const user = await checkPassword(email, password)
  if (user === null) return { status: 401, says: WRONG }
  guesses.forget(who)
  return (await isMember(user, clientId)) ? { user } : { status: 403, says: 'This account has no access to this app.' }
}

/** A browser's own mark, and our word that it signed in to that account: nobody can make one for an account they have not
 *  signed in to, and no browser uses up the tries of another. */
function knownCookie({ cookieKey, newMark }: SignInOptions, email: string): string {
  const mark = newMark()
  const value = `${mark}.${vouch(cookieKey, mark, email)}`
  return `${KNOWN_COOKIE}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${KNOWN_S}`
}

const vouch = (cookieKey: string, mark: string, email: string) =>
  createHmac('sha256', cookieKey).update(`known ${mark} ${email}`).digest('base64url')

function knownBrowser({ cookieKey }: SignInOptions, { headers }: IncomingMessage, email: string): string | null {
  const [, mark, word] = headers.cookie?.match(/(?:^|; *)__Host-stoa-id-known=(\w{20})\.([\w-]{43})(?:;|$)/) ?? []
  if (!mark || !word || !timingSafeEqual(Buffer.from(word), Buffer.from(vouch(cookieKey, mark, email)))) return null
  return mark
}

/** The rest of what is too long is not read: the connection ends with the answer. */
export async function readForm(request: IncomingMessage, response: ServerResponse): Promise<URLSearchParams | null> {
  if (!request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return null
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    size += (part as Buffer).length
    if (size > BODY_BYTES_MAX) {
      response.setHeader('connection', 'close')
      return null
    }
    parts.push(part as Buffer)
  }
  return new URLSearchParams(Buffer.concat(parts).toString('utf8'))
}

export function show(response: ServerResponse, status: number, page: string, formTarget?: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentPolicy(formTarget),
    'content-length': Buffer.byteLength(page),
  })
  response.end(page)
}
