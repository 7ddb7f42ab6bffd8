// A service that exists for tests alone: one operation for each kind of access, body, answer and rule there is, so that every
// derived test meets all of them.
import { service } from '../src/kit/service.ts'
import { setting } from '../src/kit/setting.ts'
import * as access from './specimen/access.ts'
import { openSpecimen } from './specimen/state.ts'
import * as wires from './specimen/wires.ts'
import * as writes from './specimen/writes.ts'

/** Those that never end, or fail whoever calls. */
export const UNFIT = ['drip', 'tail', 'crash', 'half', 'away']
/** Those that wait, which would only make it slow to call them often. */
export const SLOW = ['slow', 'hold']

export const specimen = service({
  name: 'specimen',
  what: 'For tests',
  paths: ['/v1/specimen', '/v1/specimens'],
  operations: [access, wires, writes],
  settings: { STOA_SPECIMEN: setting('A greeting, for tests', 'hello', String) },
  schedules: [writes.specimenSchedule],
  open: openSpecimen,
})
