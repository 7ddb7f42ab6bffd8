// Operations under /v1/account/login, /callback and /logout: how a browser gets a session at this address, by the same
// authorization code flow that every other app uses.
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { replies, reply } from '../../kit/answer.ts'
import { ADMIN_ORG, type OrgId } from '../../kit/caller.ts'
import { conflict, Fault } from '../../kit/fault.ts'
import { slug, string } from '../../kit/fields.ts'
import { cookieIn, cookieNames, hostCookie } from '../../kit/host/cookies.ts'
import { SESSION_COOKIE } from '../../kit/host/credentials.ts'
import type { Context } from '../../kit/operation.ts'
import { endGrant, endSignIn, sessionEnded, signInId } from '../iam/public.ts'
import { digestOf } from './key-text.ts'
import { beginSession } from './sessions.ts'
import { operation } from './state.ts'
import * as store from './store.ts'

/** After this time the browser must sign in again, without a form while it is signed in at the identity origin. */
const SESSION_S = 7 * 24 * 60 * 60
/** How long a sign-in may take. */
const LOGIN_S = 60 * 60

/** A path on this host: nothing that a browser would resolve to another host. */
const Path = Type.String({
  pattern: "^/([\\w~.!$&'()*+,;=:@%?#-][\\w~.!$&'()*+,;=:@%?#/-]*)?$",
  maxLength: 200, // It is stored in a cookie, and a browser may have several.
  description:
    "The path on this host the browser is sent to after sign-in; by default it is sent to the person's account page",
  examples: ['/v1/iam/me'],
})

const Org = {
  ...slug(''),
  description:
    'The slug of the organisation to sign in to: a member of several does not choose one then. It is ignored unless the person is a member of it',
}

/** A pending sign-in, sealed in a cookie: this browser does not accept the authorization code of another sign-in. */
type PendingLogin = { verifier: string; to: string; untilMs: number }

export const startLogin = operation({
  route: 'GET /v1/account/login',
  summary: 'Redirects a browser to the sign-in page, from which it returns with a session',
  description:
    'For links and navigation, not for scripts: the browser follows the redirect to the identity provider, and comes back to `GET /v1/account/callback`.',
  access: 'public',
  input: { to: Type.Optional(Path), org: Type.Optional(Org) },
  output: replies,
  status: 303,
  run: ({ random, seal, clock, state: { signIn }, request }, { to = signIn.accountUrl, org = null }) => {
    const nonce = `${random.bytes(4).readUInt32LE() % SLOTS}.${random.token(22)}`
    const verifier = random.token(43)
    const pending: PendingLogin = { verifier, to, untilMs: clock.now().getTime() + LOGIN_S * 1000 }
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const sealed = Buffer.from(seal.seal(ADMIN_ORG, sealName(nonce), JSON.stringify(pending))).toString('base64url')
    const deletions = surplusIn(request.headers.cookie ?? '').map(name => hostCookie(name, '', 0))
    const cookies = [hostCookie(pendingCookie(nonce), sealed, LOGIN_S), ...deletions]
    return redirect(signIn.url({ state: nonce, challenge, org }), cookies)
  },
})

const text = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description }))

export const finishLogin = operation({
  route: 'GET /v1/account/callback',
  summary: 'Completes a sign-in: starts the browser session and redirects to the path given at login',
  description:
    'Browsers get here by a redirect of the identity provider; nothing else calls it. A sign-in is accepted once, and only from the browser that started it.',
  access: 'public',
  input: {
    state: string('The state of a sign-in that GET /v1/account/login started', '0.4vJ9mWcX2bQeT7yLrK0sZp', {
      pattern: '^\\d{1,6}[.]\\w{22}$',
    }),
    code: text(500, 'The authorization code; absent if the sign-in failed'),
    iss: text(500, 'The issuer of the code, which must be the identity provider of this host (RFC 9207)'),
    error: text(100, 'Why the sign-in failed, as a code of OAuth'),
    error_description: text(500, 'The reason in words; it is not shown'),
  },
  output: replies,
  status: 303,
  faults: ['sign_in_failed'],
  run: async (context, { state, code, iss, error }) => {
    const { clock, random, request, write } = context
    const { signIn } = context.state
    // Only GET completes a sign-in: another request, such as HEAD, would use up the code and lose the session.
    const pending = request.method === 'GET' ? openPending(context, state) : null
    if (!pending || pending.untilMs <= clock.now().getTime()) {
      throw failed('This sign-in was not started in this browser, was started too long ago, or is already complete')
    }
    if (error !== undefined || code === undefined || iss !== signIn.issuer)
      throw failed('The sign-in was not completed')
    const person = await signIn.redeem({ code, verifier: pending.verifier })
    if (!person) throw failed('The authorization code is no longer valid')
    const before = cookieIn(request.headers.cookie ?? '', SESSION_COOKIE)
    const session = await write(async ({ db }) => {
      const owner = { ...person, org: person.org as OrgId, lastsMs: SESSION_S * 1000 }
      const text = await beginSession({ db, clock, random }, owner)
      const ended = text === null || before === null ? null : await store.deleteAccountSession(db, digestOf(before))
      // The grant of the replaced session ends too, unless it is the same grant, which may have sessions in other tabs.
      if (ended !== null && ended !== digestOf(person.signIn)) await endGrant(db, ended)
      return text
    })
    if (session === null) throw failed('The sign-in was ended in the meantime')
    const cookies = [hostCookie(SESSION_COOKIE, session, SESSION_S), hostCookie(pendingCookie(state), '', 0)]
    return redirect(pending.to, cookies)
  },
})

export const LOGIN_PATH = startLogin.path
export const CALLBACK_PATH = finishLogin.path

export const logout = operation({
  route: 'POST /v1/account/logout',
  summary: 'Signs out: ends the session or token it is called with, and all others from the same sign-in',
  description: 'A key cannot sign out (`conflict`); it is revoked instead. Sign-ins in other browsers stay.',
  access: 'bearer',
  admits: ['users', 'apps'],
  endsCredential: true,
  output: replies,
  status: 204,
  faults: ['conflict'],
  audit: 'session.end',
  emits: sessionEnded,
  run: async ({ caller, write }) => {
    const { kind, digest, signIn } = caller.credential
    if (kind === 'secret' || signIn === null) {
      throw conflict('A key cannot sign out; revoke it with DELETE /v1/account/keys/{id}.')
    }
    await write(async ({ db, record, emit }) => {
      if (kind === 'session') await store.deleteAccountSession(db, digest)
      if (!(await endSignIn(db, signIn))) return
      record(signInId(signIn), { user: { from: caller.user } })
      emit('iam.session.ended', { id: signInId(signIn), user: caller.user })
    })
    return reply(204, { 'set-cookie': [hostCookie(SESSION_COOKIE, '', 0)] })
  },
})

/** Tabs that start at the same moment do not see each other's cookies, so each draws a random slot. */
const SLOTS = 1_000_000
/** The most sign-ins a browser may have pending; it bounds the number of cookies. */
const PENDING_MAX = 8
const PENDING_COOKIE = /^__Host-stoa-login-\d{1,6}$/
const pendingCookie = (state: string) => `__Host-stoa-login-${state.split('.', 1)[0]}`
const sealName = (state: string) => `login ${state}`

/** The cookies to delete so that one more fits; browsers send the oldest first. */
const surplusIn = (cookies: string): string[] =>
  cookieNames(cookies)
    .filter(name => PENDING_COOKIE.test(name))
    .slice(0, 1 - PENDING_MAX)

/** The sign-in that this browser started with that state; null if there is none. */
function openPending({ seal, request }: Pick<Context, 'seal' | 'request'>, state: string): PendingLogin | null {
  const sealed = cookieIn(request.headers.cookie ?? '', pendingCookie(state))
  if (!sealed) return null
  try {
    return JSON.parse(seal.unseal(ADMIN_ORG, sealName(state), Buffer.from(sealed, 'base64url')))
  } catch {
    return null // Sealed for another sign-in, or not sealed by Stoa.
  }
}

const failed = (why: string) =>
  new Fault('sign_in_failed', { message: `${why}. Start again at GET /v1/account/login.` })

const redirect = (location: string, cookies: string[]) => reply(303, { location, 'set-cookie': cookies })
