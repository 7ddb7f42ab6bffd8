// Operations under /v1/account/login, /callback and /logout: how a browser comes to have a session at this address, by the
// same authorization code flow that every other app uses.
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { replies, reply } from '../../kit/answer.ts'
import { type OrgId, PLATFORM_ORG } from '../../kit/caller.ts'
import { cookieIn, hostCookie } from '../../kit/cookies.ts'
import { SESSION_COOKIE } from '../../kit/credentials.ts'
import { Fault } from '../../kit/fault.ts'
import type { Context } from '../../kit/operation.ts'
import { endGrant, endSignIn } from '../iam/public.ts'
import { digestOf } from './key-text.ts'
import { beginSession } from './sessions.ts'
import { operation } from './state.ts'
import * as store from './store.ts'

/** Then the browser is sent through sign-in again, which it passes without a form while it is signed in there. */
const SESSION_S = 7 * 24 * 60 * 60
/** How long signing in may take. */
const LOGIN_S = 60 * 60

/** A path of this very host: nothing that a browser would take for another one. */
const Path = Type.String({
  pattern: "^/([\\w~.!$&'()*+,;=:@%?#-][\\w~.!$&'()*+,;=:@%?#/-]*)?$",
  maxLength: 200, // It is kept in a cookie, and a browser may have several.
  description: 'Where on this host the browser goes after signing in; without one, to who it is signed in as',
  examples: ['/v1/iam/me'],
})

/** What a browser keeps while its person signs in, sealed: nobody else can come back with their code in it. */
type Step = { verifier: string; to: string; untilMs: number }

export const startLogin = operation({
  route: 'GET /v1/account/login',
  summary: 'Sends a browser to sign in, from where it comes back with a session',
  access: 'public',
  input: { to: Type.Optional(Path) },
  output: replies,
  status: 303,
  run: ({ random, seal, clock, state: { signIn }, request }, { to = '/v1/iam/me' }) => {
    const nonce = `${random.bytes(4).readUInt32LE() % PLACES}.${random.token(22)}`
    const verifier = random.token(43)
    const step: Step = { verifier, to, untilMs: clock.now().getTime() + LOGIN_S * 1000 }
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const sealed = Buffer.from(seal.seal(PLATFORM_ORG, stepName(nonce), JSON.stringify(step))).toString('base64url')
    const given = surplusIn(request.headers.cookie ?? '').map(name => hostCookie(name, '', 0))
    return redirect(signIn.url({ state: nonce, challenge }), [hostCookie(stepCookie(nonce), sealed, LOGIN_S), ...given])
  },
})

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

export const finishLogin = operation({
  route: 'GET /v1/account/callback',
  summary: 'Where a browser comes back to after signing in: begins its session, and sends it on',
  access: 'public',
  input: {
    state: Type.String({ pattern: '^\\d{1,6}[.]\\w{22}$', examples: ['0.4vJ9mWcX2bQeT7yLrK0sZp'] }),
    ...{ code: text(500), iss: text(500), error: text(100), error_description: text(500) },
  },
  output: replies,
  status: 303,
  faults: ['sign_in_failed'],
  run: async (context, { state, code, iss, error }) => {
    const { clock, random, request, write } = context
    const { signIn } = context.state
    // Only a browser's own GET brings somebody in: other requests would use up the code and leave the session behind.
    const step = request.method === 'GET' ? openStep(context, state) : null
    if (!step || step.untilMs <= clock.now().getTime()) {
      throw failed('This sign-in was not begun in this browser, or too long ago, or it is through already')
    }
    if (error !== undefined || code === undefined || iss !== signIn.issuer) throw failed('Nobody signed in')
    const person = await signIn.redeem({ code, verifier: step.verifier })
    if (!person) throw failed('What came back from signing in is not good any more')
    const before = cookieIn(request.headers.cookie ?? '', SESSION_COOKIE)
    const session = await write(async ({ db }) => {
      const begun = { ...person, org: person.org as OrgId, lastsMs: SESSION_S * 1000 }
      const text = await beginSession({ db, clock, random }, begun)
      const ended = text === null || before === null ? null : await store.deleteSession(db, digestOf(before))
      // What the other organisation's session came of is not wanted any more; the same one may have sessions in other tabs.
      if (ended !== null && ended !== digestOf(person.signIn)) await endGrant(db, ended)
      return text
    })
    if (session === null) throw failed('The sign-in was ended meanwhile')
    return redirect(step.to, [hostCookie(SESSION_COOKIE, session, SESSION_S), hostCookie(stepCookie(state), '', 0)])
  },
})

export const LOGIN_PATH = startLogin.path
export const CALLBACK_PATH = finishLogin.path

export const logout = operation({
  route: 'POST /v1/account/logout',
  summary: 'Signs out: ends the session or token it is called with, and what else came of the same sign-in',
  access: 'bearer',
  endsCredential: true,
  output: replies,
  status: 204,
  faults: ['conflict'],
  audit: 'session.end',
  run: async ({ caller, write }) => {
    const { kind, digest, signIn } = caller.credential
    if (kind === 'secret' || signIn === null) {
      throw new Fault('conflict', { message: 'A key does not sign out; revoke it with DELETE /v1/account/keys/{id}.' })
    }
    await write(async ({ db, record }) => {
      if (kind === 'session') await store.deleteSession(db, digest)
      if (await endSignIn(db, signIn)) record('the own one')
    })
    return reply(204, { 'set-cookie': [hostCookie(SESSION_COOKIE, '', 0)] })
  },
})

/** Tabs that begin at the same moment do not know of each other, so each draws its place among many. */
const PLACES = 1_000_000
/** A browser may have begun so many sign-ins side by side; more would be cookies without end. */
const STEPS_MAX = 8
const STEP_COOKIES = /(?<=^|; *)__Host-stoa-login-\d{1,6}(?==)/g
const stepCookie = (state: string) => `__Host-stoa-login-${state.split('.', 1)[0]}`
const stepName = (state: string) => `login ${state}`

/** Those that give way to one more: browsers send the oldest first. */
const surplusIn = (cookies: string): string[] => (cookies.match(STEP_COOKIES) ?? []).slice(0, 1 - STEPS_MAX)

/** What this browser kept when it began to sign in with that state; null if it did not. */
function openStep({ seal, request }: Pick<Context, 'seal' | 'request'>, state: string): Step | null {
  const sealed = cookieIn(request.headers.cookie ?? '', stepCookie(state))
  if (!sealed) return null
  try {
    return JSON.parse(seal.unseal(PLATFORM_ORG, stepName(state), Buffer.from(sealed, 'base64url')))
  } catch {
    return null // Of another sign-in, or of no making of ours.
  }
}

const failed = (why: string) =>
  new Fault('sign_in_failed', { message: `${why}. Begin again at GET /v1/account/login.` })

const redirect = (location: string, cookies: string[]) => reply(303, { location, 'set-cookie': cookies })
