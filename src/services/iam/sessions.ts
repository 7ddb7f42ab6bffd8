// Operations under /v1/iam/sessions: the sign-ins to the organisation's apps.
import { Type } from 'typebox'
import { nothing } from '../../kit/answer.ts'
import { administers } from '../../kit/caller.ts'
import { notFound } from '../../kit/fault.ts'
import { timestamp } from '../../kit/fields.ts'
import { listing, page, paging, positionFrom, positionKey } from '../../kit/page.ts'
import { Email, UserId } from './fields.ts'
import { endSignIn } from './oidc/store.ts'
import * as store from './sign-in/store.ts'
import { operation } from './state.ts'

const Id = Type.String({
  pattern: '^sin_[0-9a-z]{1,40}$',
  description: "A sign-in's id, `sin_…`",
  examples: ['sin_0123456789abcdef0123456789abcdef'],
})
const Session = Type.Object({
  id: Id,
  user: UserId,
  email: Email,
  app: Type.String({ description: 'The client id of the app', examples: ['home-web'] }),
  created: timestamp('When the person signed in'),
})

export const listSessions = operation({
  route: 'GET /v1/iam/sessions',
  summary: "Lists the caller's sign-ins, or all of the organisation for an owner or admin, newest first",
  access: 'bearer',
  input: paging,
  output: listing(Session),
  run: ({ db, caller }, query) =>
    page(
      query,
      (last, count) =>
        store.selectSignIns(db, caller.org, { id: null, user: visibleUser(caller) }, positionFrom(last), count),
      positionKey,
    ),
})

export const endSession = operation({
  route: 'DELETE /v1/iam/sessions/{id}',
  summary: 'Ends a sign-in immediately, with its tokens and its browser session',
  access: 'bearer',
  endsCredential: true,
  input: { id: Id },
  output: nothing,
  faults: ['not_found'],
  audit: 'session.end',
  run: ({ caller, write }, { id }) =>
    write(async ({ db, record }) => {
      const [found] = await store.selectSignIns(db, caller.org, { id, user: visibleUser(caller) }, null, 1)
      if (!found) throw notFound('session')
      if (!(await endSignIn(db, id.slice('sin_'.length)))) throw notFound('session')
      record(id)
    }),
})

/** Null if the caller may see the sign-ins of all members. */
const visibleUser = (caller: Parameters<typeof administers>[0]) => (administers(caller) ? null : caller.user)
