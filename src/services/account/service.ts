import { service } from '../../kit/service.ts'
import * as csrf from './csrf.ts'
import * as keys from './keys.ts'
import * as login from './login.ts'
import { openAccount } from './state.ts'

export const account = service({
  name: 'account',
  what: 'API keys and browser sessions',
  operations: [keys, csrf, login],
  migrations: new URL('migrations/', import.meta.url),
  open: openAccount,
})
