// A service for tests only. It has an operation for each kind of access, body, answer and rule, so that the derived
// tests cover all of them.
import { service } from '../src/kit/service.ts'
import { setting } from '../src/kit/setting.ts'
import * as access from './specimen/access.ts'
import * as bodiesAndAnswers from './specimen/bodies-and-answers.ts'
import { openSpecimen } from './specimen/state.ts'
import * as writes from './specimen/writes.ts'

/** Operations that always fail, or whose answer never ends. */
export const FAILING_OR_ENDLESS = [
  'endlessStream',
  'endlessEvents',
  'unexpectedError',
  'failedWrite',
  'engineUnavailable',
  'holdMoney',
]
/** Operations that take half a second; tests that call each operation many times skip them. */
export const SLOW_OPERATIONS = ['slow', 'slowQuery']

export const specimen = service({
  name: 'specimen',
  what: 'For tests',
  paths: ['/v1/specimen', '/v1/specimens'],
  operations: [access, bodiesAndAnswers, writes],
  settings: { STOA_SPECIMEN: setting('A greeting, for tests', 'hello', String) },
  schedules: [writes.specimenSchedule],
  charges: [{ product: 'specimen', emits: {}, settled: async () => {} }],
  open: openSpecimen,
})
