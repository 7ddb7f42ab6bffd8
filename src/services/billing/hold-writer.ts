// Writes the holds of this process.
import { type Groups, openGroups } from '../../kit/groups.ts'
import type { NewHold } from './store.ts'

/** Holds per statement. */
const GROUP_MAX = 500
/** Calls begin before their hold is written while holds take less than that. */
const WELL_MS = 100

/** `isWritten` once it was tried. */
export type Placing = NewHold & { isWritten: boolean }

export type HoldWriter = Groups<Placing> & {
  /** Whether the last hold was written, and the next one does not wait for long. */
  isWell(): boolean
}

export function openHoldWriter(
  insert: (holds: readonly NewHold[]) => Promise<void>,
  warn: (error: unknown) => void,
): HoldWriter {
  let hasFailed = false
  let sinceMs = Number.POSITIVE_INFINITY

  async function write(group: readonly Placing[]): Promise<[]> {
    sinceMs = performance.now()
    try {
      await insert(group)
      hasFailed = false
      for (const hold of group) hold.isWritten = true
    } catch (error) {
      hasFailed = true
      warn(error)
    }
    sinceMs = Number.POSITIVE_INFINITY
    return []
  }

  return {
    ...openGroups({ sizeMax: () => GROUP_MAX, write }),
    isWell: () => !hasFailed && performance.now() - sinceMs < WELL_MS,
  }
}
