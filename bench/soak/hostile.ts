// The process of the hostile load. Its parent tells it which host to aim at; it counts what it did and what it got.
import type { Target } from './hosts.ts'
import { PARTS } from './parts.ts'
import { beginPhase } from './phase.ts'

/** Null ends the load. Without names, all parts run. */
export type Command = { aim: Target | null; parts: string[] }
export type Report = { counts: Record<string, number>; cpuMs: number }

const counts: Record<string, number> = {}
let phase: ReturnType<typeof beginPhase> | null = null

const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1
}

process.on('message', ({ aim, parts }: Command) => {
  phase?.end()
  phase = aim && beginPhase(aim, count)
  if (phase) {
    for (const [name, part] of Object.entries(PARTS)) if (parts.length === 0 || parts.includes(name)) part(phase, count)
  }
  const { user, system } = process.cpuUsage()
  process.send?.({ counts, cpuMs: (user + system) / 1000 } satisfies Report)
})
process.on('disconnect', () => process.exit())
