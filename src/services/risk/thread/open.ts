// The limits of the worker threads, and what exceeding them means for a document.
import { openThread, type Thread, type ThreadOptions } from '../../../kit/thread/open.ts'
import { ThreadLost } from '../../../kit/thread/worker.ts'
import { OUT_OF_MEMORY } from '../sources/heap.ts'
import type { Parsed, ParseJob, ParseRefusal } from './jobs.ts'
import type { RiskFunctions } from './thread.ts'

const LIMITS = {
  file: new URL('thread.ts', import.meta.url),
  /** Enough for the largest list that is accepted. */
  heapMb: 2_048,
  /** Many times what the largest list needs. */
  callMs: 120_000,
  idleMs: 10_000,
  waitingMax: 1_000,
  /** At the start, the tables of all sets wait for each other. */
  waitMs: 30 * 60_000,
  busy: 'Too many tables wait to be built. Try again.',
}

export type RiskThread = Thread<RiskFunctions>

export const openRiskThread = (name: string, limits: Partial<ThreadOptions> = {}): RiskThread =>
  openThread({ name, ...LIMITS, ...limits })

const REFUSALS = { time: 'The document could not be parsed within the time limit', memory: OUT_OF_MEMORY }

/** A document that exhausts the thread is rejected; other errors are passed on. */
export async function parseIn(thread: RiskThread, job: ParseJob): Promise<Parsed | ParseRefusal> {
  try {
    return await thread.call('parse', job, { user: job.source })
  } catch (error) {
    if (!(error instanceof ThreadLost) || !(error.reason in REFUSALS)) throw error
    return { refusal: REFUSALS[error.reason as keyof typeof REFUSALS] }
  }
}
