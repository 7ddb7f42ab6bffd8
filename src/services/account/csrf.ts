// Operations under /v1/account/csrf.
import { Type } from 'typebox'
import { integer, secret } from '../../kit/fields.ts'
import { CSRF_LIFETIME_S, csrfToken } from '../../kit/host/csrf.ts'
import { operation } from './state.ts'

export const getCsrf = operation({
  route: 'GET /v1/account/csrf',
  summary:
    'Returns the token that a browser session must send as X-CSRF-Token with every write; bearer credentials need none',
  access: 'bearer',
  output: Type.Object({
    csrfToken: secret(
      'The token, which belongs to this session and ends with it',
      '1794736800.4vJ9mWcX2bQeT7yLrK0sZp1n',
    ),
    expiresIn: integer('How many seconds the token is valid', CSRF_LIFETIME_S),
  }),
  run: ({ caller, clock }) => ({ csrfToken: csrfToken(caller.credential, clock.now()), expiresIn: CSRF_LIFETIME_S }),
})
