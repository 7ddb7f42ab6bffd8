import { service } from '../../kit/service.ts'

export const account = service({
  name: 'account',
  what: 'API keys and browser sessions',
  migrations: new URL('migrations/', import.meta.url),
})
