// Writes the rows of many calls in groups, one group after the other.

/** How long rows wait for others, unless a caller waits for them or another time is given. */
const LINGER_MS = 5

export type Groups<Row> = {
  /** Resolves when the row was written, given up or removed. */
  add(row: Row): Promise<void>
  /** Removes a row that is not being written yet. */
  remove(row: Row): void
  /** Resolves when this organisation's earlier rows are written; null if they are. */
  written(org: string): Promise<void> | null
  /** The number of unwritten rows. */
  size(): number
  /** Resolves when all writing has ended. */
  close(): Promise<void>
}

export type GroupsOptions<Row> = {
  lingerMs?: number
  /** With this many rows, a group is written without waiting for more. */
  enough?: () => number
  sizeMax: () => number
  /** Returns the rows that must be written again; null ends the attempts. */
  write: (group: readonly Row[]) => Promise<readonly Row[] | null>
}

/** `over` resolves when the row is written or removed; `tried` after an attempt, in the order of the rows, which few
 *  callers wait for. */
type Entry<Row> = {
  row: Row
  isWanted: boolean
  isTaken: boolean
  over: () => void
  tried: PromiseWithResolvers<void> | null
}

export function openGroups<Row extends { org: string }>(options: GroupsOptions<Row>): Groups<Row> {
  const { sizeMax, write, lingerMs = LINGER_MS, enough = () => Number.POSITIVE_INFINITY } = options
  let waiting: Entry<Row>[] = []
  const entries = new Map<Row, Entry<Row>>()
  /** The last row of each organisation. */
  const last = new Map<string, Entry<Row>>()
  let running: Promise<void> | null = null
  const linger = openLinger(lingerMs)

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      if (waiting.length < Math.min(enough(), sizeMax())) await linger.wait()
      const group = waiting.slice(0, sizeMax())
      waiting = waiting.slice(group.length)
      for (const entry of group) entry.isTaken = true
      const rows = group.filter(({ isWanted }) => isWanted).map(({ row }) => row)
      const left = rows.length > 0 ? await write(rows) : []
      const again = new Set(left ?? rows)
      waiting = [...group.filter(({ row }) => again.has(row)), ...waiting]
      for (const entry of group) if (!again.has(entry.row)) end(entry)
      if (left === null) return
    }
  }

  function end(entry: Entry<Row>): void {
    const { row, over, tried } = entry
    entries.delete(row)
    if (last.get(row.org) === entry) last.delete(row.org)
    over()
    tried?.resolve()
  }

  return {
    add: row => {
      const over = Promise.withResolvers<void>()
      const entry = { row, isWanted: true, isTaken: false, over: over.resolve, tried: null }
      last.set(row.org, entry)
      entries.set(row, entry)
      waiting.push(entry)
      running ??= run().finally(() => {
        running = null
      })
      return over.promise
    },
    remove: row => {
      const entry = entries.get(row)
      if (!entry || entry.isTaken) return
      entry.isWanted = false
      entry.over()
    },
    /** Groups are written in order, so waiting for the last one is enough. */
    written: org => {
      const entry = last.get(org)
      if (!entry) return null
      linger.hurry()
      entry.tried ??= Promise.withResolvers()
      return entry.tried.promise
    },
    size: () => entries.size,
    close: async () => {
      linger.hurry()
      await running
    },
  }
}

/** `hurry` ends the wait, or the next one if nothing waits. */
function openLinger(ms: number) {
  let isUrgent = false
  let end = () => {}
  return {
    wait: async () => {
      if (!isUrgent && ms > 0) {
        await new Promise<void>(resolve => {
          const timer = setTimeout(resolve, ms)
          end = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      isUrgent = false
    },
    hurry: () => {
      isUrgent = true
      end()
    },
  }
}
