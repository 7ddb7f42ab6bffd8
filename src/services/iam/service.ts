import { service } from '../../kit/service.ts'
import * as audit from './audit.ts'

export const iam = service({
  name: 'iam',
  what: 'Organisations, their members and their apps, and the trail of what was done',
  operations: [audit],
  migrations: new URL('migrations/', import.meta.url),
})
