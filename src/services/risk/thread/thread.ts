// Runs in the thread: does one job after the other.
import { parentPort } from 'node:worker_threads'
import { buffersIn, build, parse } from './jobs.ts'
import type { Job } from './open.ts'
import { buffersOfOverrides, packOverrides } from './overrides.ts'

/** What a job comes to, and what of it travels without being copied. */
function done(job: Job): [result: object, buffers: ArrayBuffer[]] {
  if (job.kind === 'parse') return [parse(job), []]
  if (job.kind === 'build') {
    const built = build(job)
    return [built, buffersIn(built)]
  }
  const packed = packOverrides(job)
  return [packed, buffersOfOverrides(packed)]
}

parentPort?.on('message', (job: Job) => {
  try {
    const [result, buffers] = done(job)
    parentPort?.postMessage({ result }, buffers)
  } catch (error) {
    parentPort?.postMessage({ failure: error })
  }
})
