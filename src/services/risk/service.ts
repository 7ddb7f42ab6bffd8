import { service } from '../../kit/service.ts'
import * as reference from './reference.ts'
import * as refresh from './refresh.ts'
import * as resolve from './resolve.ts'
import { openRisk } from './state.ts'
import { refreshWorker } from './worker.ts'

export const risk = service({
  name: 'risk',
  what: "Reference sets a risk decision needs, with an organisation's own overrides",
  operations: [reference, resolve, refresh],
  migrations: new URL('migrations/', import.meta.url),
  workers: [refreshWorker],
  open: openRisk,
})
