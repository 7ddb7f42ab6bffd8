import { service } from '../../kit/service.ts'
import * as consumers from './consumers.ts'
import { maintainBus } from './schedule.ts'
import * as setAside from './set-aside.ts'

export const o11y = service({
  name: 'o11y',
  what: 'Observability: traces, metrics and logs',
  operations: [consumers, setAside],
  schedules: [maintainBus],
})
