// Facts about a set besides its members: its version, its age and whether it can be consulted.
import type { LoadedSet } from './loaded-sets.ts'
import type { SourceRow } from './store.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export type Facts = { version: string; asOf?: string; age?: string; stale: boolean; refusal?: string }

/** `192h0m0s`, in whole minutes. */
export function durationText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / MINUTE_MS))
  return `${Math.floor(minutes / 60)}h${minutes % 60}m0s`
}

export const maxAgeMs = ({ entry }: LoadedSet): number => entry.maxAgeHours * HOUR_MS

export function factsOf(loaded: LoadedSet, now: Date): Facts {
  const refusal = refusalOf(loaded)
  const { version, oldest } = composed(loaded.sources)
  // A set is as old as its oldest source. A local set is computed here and therefore always current.
  const asOf = loaded.entry.kind === 'local' ? now.toISOString() : oldest
  const base = { version, ...(refusal !== null && { refusal }) }
  if (asOf === null) return { ...base, stale: false }
  const ageMs = now.getTime() - Date.parse(asOf)
  return { ...base, asOf, age: durationText(ageMs), stale: ageMs > maxAgeMs(loaded) }
}

type Composed = { version: string; oldest: string | null }
const cache = new WeakMap<readonly SourceRow[], Composed>()

/** The version and age that follow from all sources, cached per list of sources. */
function composed(sources: readonly SourceRow[]): Composed {
  const cached = cache.get(sources)
  if (cached) return cached
  const times = sources.flatMap(({ asOf }) => (asOf === null ? [] : [Date.parse(asOf)]))
  const result = {
    version: sources
      .filter(one => one.version !== null)
      .sort((a, b) => (a.source < b.source ? -1 : 1))
      .map(one => `${one.source}@${one.version}`)
      .join('+'),
    oldest: times.length === 0 ? null : new Date(Math.min(...times)).toISOString(),
  }
  cache.set(sources, result)
  return result
}

/** Why a set cannot be consulted; null when it can. */
function refusalOf({ entry, members, sources, isLoading }: LoadedSet): string | null {
  if (entry.kind === 'seam') return entry.refusal ?? 'There is no data for this set.'
  if (entry.kind === 'attest') return 'The members are stored by the component that screens against this set, not here.'
  if (members) return null
  if (isLoading) return 'This set is being loaded; try again in a moment.'
  if (sources.some(({ versionId }) => versionId !== null))
    return 'The table of this set could not be built; see the log.'
  const failed = sources.filter(({ refusal }) => refusal !== null)
  const lastFailure = failed.length > 0 ? ` The last import failed: ${failed[0]?.source}: ${failed[0]?.refusal}.` : ''
  return `This set has never been loaded.${lastFailure}`
}
