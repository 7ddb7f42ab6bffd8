// Work that a service does by itself, beside requests. The host runs it in one process at a time, and again after the time
// it answers.
import type { Engines } from '../engines/engines.ts'

export type WorkContext = Engines & {
  /** What the service opened at the start. */
  state: unknown
  /** Aborted when the process ends, or another has taken the work over. */
  signal: AbortSignal
}

export type Worker = {
  name: string
  /** Does what is due, and answers after how many milliseconds to look again. */
  run(context: WorkContext): Promise<number>
}
