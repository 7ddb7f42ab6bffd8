// Writes rows that must not be lost: a failed group is retried while the database cannot be reached, and is split until a
// rejected row is alone.
import { type Clock, EngineUnavailable } from '../engines/engines.ts'
import { type Groups, openGroups } from './groups.ts'

const GROUP_MAX = 500
const AGAIN_MS = 500

export type InsistentOptions<Row> = {
  clock: Clock
  warn: (error: unknown) => void
  write: (group: readonly Row[]) => Promise<void>
  /** The text of the warning when the database rejects a row, which is then given up. */
  refused: (row: Row, cause: unknown) => Error
  lingerMs?: number
  enough?: () => number
}

export function openInsistentGroups<Row extends { org: string }>(options: InsistentOptions<Row>): Groups<Row> {
  const { clock, warn, refused } = options
  const closing = new AbortController()
  let size = GROUP_MAX

  async function write(group: readonly Row[]): Promise<readonly Row[] | null> {
    try {
      await options.write(group)
    } catch (error) {
      if (error instanceof EngineUnavailable) {
        if (error.state !== 'conflict') warn(error)
        if (closing.signal.aborted) return null
        await clock.sleep(AGAIN_MS, closing.signal)
        return group
      }
      if (group.length > 1) {
        size = Math.ceil(group.length / 2)
        return group
      }
      warn(refused(group[0] as Row, error))
    }
    size = Math.min(2 * size, GROUP_MAX)
    return []
  }

  const groups = openGroups({ ...options, sizeMax: () => size, write })
  return {
    ...groups,
    close: async () => {
      closing.abort()
      await groups.close()
    },
  }
}
