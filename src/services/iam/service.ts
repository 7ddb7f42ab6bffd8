import { service } from '../../kit/service.ts'

export const iam = service({
  name: 'iam',
  what: 'Organisations, their members and their apps, and the trail of what was done',
  migrations: new URL('migrations/', import.meta.url),
})
