// Operations under /v1/iam/sessions: the sign-ins to the organisation's apps.
import { Type } from 'typebox'
import { nothing } from '../../../kit/answer.ts'
import { administers, type Caller } from '../../../kit/caller.ts'
import { notFound } from '../../../kit/fault.ts'
import { string, timestamp } from '../../../kit/fields.ts'
import { invalidCursor, listing, type Position, pageByTime, paging } from '../../../kit/page.ts'
import { requireUnrestricted } from '../../../kit/restricted.ts'
import { sessionEnded } from '../events.ts'
import { AccountId, Email, SignInId as Id } from '../fields.ts'
import { operation } from '../state.ts'
import { endSignIn } from './oidc.store.ts'
import * as store from './store.ts'

const PREFIX = 'sin_'
/** Matches every id; the public pattern is wider. */
const ID = /^sin_[0-9a-f]{32}$/
const Session = Type.Object(
  {
    id: Id,
    user: AccountId,
    email: Email,
    app: string('The client id of the app', 'home-web'),
    created: timestamp('When the person signed in'),
    current: Type.Boolean({ description: 'Whether this request was made with it' }),
  },
  { title: 'Session', description: 'The sign-in of a person to an app, with all tokens that were issued for it' },
)

export const listSessions = operation({
  route: 'GET /v1/iam/sessions',
  summary: "Lists the caller's sign-ins, or those of the whole team for an owner or admin, newest first",
  description: 'With `user`, an owner or admin lists the sign-ins of one person, who may be a customer.',
  access: 'bearer',
  admits: ['users'],
  input: { user: Type.Optional(AccountId), ...paging },
  output: listing(Session),
  run: ({ db, caller }, { user = null, ...query }) => {
    const whose = administers(caller) ? user : caller.user
    const { signIn } = caller.credential
    const own = signIn && store.signInId(signIn)
    return pageByTime(query, async (last, count) => {
      const signIns = await store.selectSignIns(db, caller.org, whose, signInPosition(last), count)
      return signIns.map(one => ({ ...one, current: one.id === own }))
    })
  },
})

export const endSession = operation({
  route: 'DELETE /v1/iam/sessions/{id}',
  summary: 'Ends a sign-in immediately, with its tokens and its browser session',
  description:
    'People end their own sign-ins; an owner or admin ends those of all members and customers. The person can sign in again. Keys are not affected.',
  access: 'bearer',
  admits: ['users'],
  endsCredential: true,
  input: { id: Id },
  output: nothing,
  faults: ['not_found'],
  audit: 'session.end',
  emits: sessionEnded,
  run: ({ caller, write }, { id }) =>
    write(async ({ db, record, emit }) => {
      requireUnrestricted(caller)
      const digest = id.slice(PREFIX.length)
      const user = ID.test(id) ? await store.selectSignInUser(db, caller.org, digest) : null
      if (user === null || !maySee(caller, user) || !(await endSignIn(db, digest))) throw notFound('session')
      record(id, { user: { from: user } })
      emit('iam.session.ended', { id, user })
    }),
})

const maySee = (caller: Caller, user: string) => administers(caller) || user === caller.user

function signInPosition({ created, id }: Position): store.SignInPosition {
  if (id !== '' && !ID.test(id)) throw invalidCursor()
  return { created, digest: Buffer.from(id.slice(PREFIX.length), 'hex') }
}
