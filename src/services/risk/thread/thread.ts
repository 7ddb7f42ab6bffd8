// The worker thread: parses documents, and builds tables.
import { moved, serveCalls } from '../../../kit/thread/functions.ts'
import { type BuildJob, buffersIn, build, parse } from './jobs.ts'
import { buffersOfOverrides, type OverridesJob, packOverrides } from './overrides.ts'

const functions = {
  parse,
  build: (job: BuildJob) => {
    const built = build(job)
    return moved(built, buffersIn(built))
  },
  packOverrides: (job: OverridesJob) => {
    const packed = packOverrides(job)
    return moved(packed, buffersOfOverrides(packed))
  },
}

export type RiskFunctions = typeof functions

serveCalls(functions)
