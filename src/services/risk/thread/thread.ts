// Runs in the thread: does one job after the other.
import { parentPort } from 'node:worker_threads'
import { type BuildJob, buffersIn, build, type ParseJob, parse } from './jobs.ts'

parentPort?.on('message', ({ id, job }: { id: number; job: ParseJob | BuildJob }) => {
  try {
    if (job.kind === 'build') {
      const result = build(job)
      parentPort?.postMessage({ id, result }, buffersIn(result))
    } else {
      parentPort?.postMessage({ id, result: parse(job) })
    }
  } catch (error) {
    parentPort?.postMessage({ id, failure: error })
  }
})
