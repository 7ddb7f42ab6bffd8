// Operations under /v1/account/csrf.
import { Type } from 'typebox'
import { CSRF_LIFETIME_S, csrfToken } from '../../kit/csrf.ts'
import { operation } from './state.ts'

export const getCsrf = operation({
  route: 'GET /v1/account/csrf',
  summary: 'The token a browser session sends as X-CSRF-Token with every write; a bearer needs none',
  access: 'bearer',
  output: Type.Object({
    csrfToken: Type.String(),
    expiresIn: Type.Integer({ description: 'How many seconds it is good for' }),
  }),
  run: ({ caller, clock }) => ({ csrfToken: csrfToken(caller.credential, clock.now()), expiresIn: CSRF_LIFETIME_S }),
})
