import { service } from '../../kit/service.ts'
import * as csrf from './csrf.ts'
import * as keys from './keys.ts'

export const account = service({
  name: 'account',
  what: 'API keys and browser sessions',
  operations: [keys, csrf],
  migrations: new URL('migrations/', import.meta.url),
})
