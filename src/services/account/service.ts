import { currencySettings } from '../../kit/currency.ts'
import { service } from '../../kit/service.ts'
import { count, setting } from '../../kit/setting.ts'
import * as csrf from './csrf.ts'
import * as keys from './keys.ts'
import * as login from './login.ts'
import { writeLastUses } from './schedule.ts'
import { openAccount } from './state.ts'
import * as tables from './tables.ts'

export const account = service({
  name: 'account',
  what: 'API keys and browser sessions',
  operations: [keys, csrf, login],
  migrations: new URL('migrations/', import.meta.url),
  settings: {
    STOA_REFUSED_PER_MINUTE: setting('Unknown keys and tokens per minute and client address before 429', '300', count),
    ...currencySettings,
  },
  tables,
  schedules: [writeLastUses],
  open: openAccount,
})
