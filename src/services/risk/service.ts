import { service } from '../../kit/service.ts'
import { optional, setting } from '../../kit/setting.ts'
import { isDisposable } from './disposable.ts'
import { referenceRefreshed } from './events.ts'
import * as reference from './reference.ts'
import * as refresh from './refresh.ts'
import * as resolve from './resolve.ts'
import { refreshSets } from './schedule.ts'
import { mirrorUrl, openRisk } from './state.ts'
import * as tables from './tables.ts'

export const risk = service({
  name: 'risk',
  what: "Reference sets for risk decisions, with an organisation's own overrides",
  operations: [reference, resolve, refresh],
  migrations: new URL('migrations/', import.meta.url),
  tables,
  settings: {
    STOA_RISK_MIRROR: setting(
      'Base URL to fetch risk sources from instead of their publishers: `<mirror>/<source>`',
      '',
      optional(mirrorUrl),
      'It begins with https, http or file',
    ),
  },
  schedules: [refreshSets],
  emits: { 'the regular refresh of sets': referenceRefreshed },
  open: async opening => {
    const opened = await openRisk(opening)
    const { clock } = opening.engines
    return {
      ...opened,
      provides: { isDisposable: (org, email) => isDisposable(opened.state, clock, org, email) },
    }
  },
})
