import { service } from '../../kit/service.ts'
import { count, setting } from '../../kit/setting.ts'
import * as csrf from './csrf.ts'
import * as keys from './keys.ts'
import * as login from './login.ts'
import { sweepAnswers, sweepRates, writeLastUses } from './schedule.ts'
import { openAccount } from './state.ts'

export const account = service({
  name: 'account',
  what: 'API keys and browser sessions',
  operations: [keys, csrf, login],
  migrations: new URL('migrations/', import.meta.url),
  settings: {
    STOA_KEYS_MAX: setting('Keys that work at a time that an organisation may have', '1000', count),
    STOA_REFUSED_PER_MINUTE: setting('Unknown keys and tokens per minute and client address before 429', '300', count),
  },
  schedules: [writeLastUses, sweepRates, sweepAnswers],
  open: openAccount,
})
