// The cases that the client must pass in every runtime, by name.
import { capture } from './capture.ts'
import type { Case } from './case.ts'
import { failures } from './failures.ts'
import { streams } from './streams.ts'
import { values } from './values.ts'

export const cases: Record<string, Case> = { ...values, ...failures, ...streams, ...capture }
