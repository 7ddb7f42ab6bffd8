// The worker thread: runs one job after the other.
import { parentPort } from 'node:worker_threads'
import { buffersIn, build, parse } from './jobs.ts'
import type { Job } from './open.ts'
import { buffersOfOverrides, packOverrides } from './overrides.ts'

/** Returns the result, and its buffers to transfer instead of copy. */
function run(job: Job): [result: object, buffers: ArrayBuffer[]] {
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
    const [result, buffers] = run(job)
    parentPort?.postMessage({ result }, buffers)
  } catch (error) {
    parentPort?.postMessage({ failure: error })
  }
})
