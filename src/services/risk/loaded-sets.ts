// The sets loaded into memory: the state of each source, and the table for look-ups. A set is swapped as a whole;
// until the new table is built, the previous one answers.
import type { Clock, Database, Random } from '../../engines/engines.ts'
import { CATALOGUE, type SetEntry } from './catalogue.ts'
import { openTable, type Table } from './match/table.ts'
import type { Source, Value } from './sources/source.ts'
import { structureMembers } from './sources/structure.ts'
import * as store from './store.ts'
import { type Built, build, pack } from './thread/jobs.ts'
import type { RiskThread } from './thread/open.ts'

/** A table with the values of its members. */
export type Members = {
  table: Table
  /** The value of a member, by its index in the table. */
  value(index: number): Value
  /** For each member, the index of its value. */
  valueAt: Uint32Array
  scores: Float64Array | null
}

export type LoadedSet = {
  entry: SetEntry
  /** The state of each source that supplied data or failed to. */
  sources: store.SourceRow[]
  members: Members | null
  /** The versions from which the table was built. */
  sourceVersions: string
  /** True until the database has been read once. */
  isLoading: boolean
}

export type LoadedSets = {
  all: readonly LoadedSet[]
  find(set: string): LoadedSet | undefined
  /** Reads the current versions of a set from the database and swaps its table if they changed. */
  reload(set: string): Promise<void>
  close(): Promise<void>
}

const DEBOUNCE_MS = 2_000

type Engines = { db: Database; clock: Clock; random: Random }

export async function openLoadedSets(
  { db, clock, random }: Engines,
  thread: RiskThread,
  warn: (error: unknown) => void,
): Promise<LoadedSets> {
  const all: LoadedSet[] = CATALOGUE.map(entry => initialSet(entry, clock))
  const find = (set: string) => all.find(({ entry }) => entry.set === set)
  const reloads = new Map<string, Promise<void>>()
  /** Reloads that have not begun; another one of the same set would find nothing else. */
  const queued = new Set<string>()
  let closed = false

  async function load(loaded: LoadedSet): Promise<void> {
    const { entry } = loaded
    if (closed || entry.kind === 'local' || entry.kind === 'seam') return
    const listed = await store.selectSources(db, entry.set)
    const rows = listed.filter(row => entry.sources.some(({ source }) => source === row.source))
    const ready = entry.sources.flatMap(({ source }) => rows.find(row => row.source === source && row.versionId) ?? [])
    const sourceVersions = ready.map(({ versionId }) => versionId).join()
    if (entry.kind === 'fetch' && sourceVersions !== loaded.sourceVersions && ready.length > 0) {
      if (!loaded.members) loaded.sources = rows // No table answers yet, so there is none to mismatch.
      const input = {
        match: entry.match,
        sources: await packedMembers(db, ready),
        salt: random.bytes(4).readUInt32LE(),
      }
      loaded.members = membersOf(await thread.call('build', input, { user: entry.set }))
      loaded.sourceVersions = sourceVersions
    }
    // Set together with the table: an answer names the version it was looked up in.
    loaded.sources = rows
  }

  /** Reloads of one set run one after the other, so a slow one cannot overwrite newer data. */
  function reload(set: string): Promise<void> {
    const loaded = find(set)
    if (!loaded) return Promise.resolve()
    const next = (reloads.get(set) ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        queued.delete(set)
        return load(loaded)
      })
      .finally(() => {
        loaded.isLoading = false
      })
    reloads.set(set, next)
    return next
  }

  const inBackground = (set: string) => {
    if (queued.has(set)) return
    queued.add(set)
    reload(set).catch(error => closed || warn(error))
  }
  // While notifications are missing, the tables answer as they do until a new one is built: with the version they name.
  await db.listen('risk', debounced(clock, inBackground), () => {
    for (const { entry } of all) inBackground(entry.set)
  })
  return {
    all,
    find,
    reload,
    close: async () => {
      closed = true
      await Promise.allSettled(reloads.values())
    },
  }
}

/** The members of these versions, packed as they are stored. */
async function packedMembers(db: Database, versions: readonly store.SourceRow[]) {
  const sources = []
  for (const { source, versionId } of versions) {
    const chunks = await store.selectSetMembers(db, versionId as number)
    if (chunks.length === 0) throw new Error(`a version of ${source} was replaced while it was read`)
    sources.push({ source, chunks })
  }
  return sources
}

/** Sources of a set are imported one after the other; without the delay each import would build a table. */
function debounced(clock: Clock, act: (set: string) => void): (set: string) => Promise<void> {
  const pending = new Set<string>()
  return async set => {
    if (pending.has(set)) return
    pending.add(set)
    await clock.sleep(DEBOUNCE_MS)
    pending.delete(set)
    act(set)
  }
}

/** Local sets are available from the start. */
function initialSet(entry: SetEntry, clock: Clock): LoadedSet {
  const loaded: LoadedSet = { entry, sources: [], members: null, sourceVersions: '', isLoading: entry.kind !== 'seam' }
  if (entry.kind !== 'local') return loaded
  const { source, origin } = entry.sources[0] as Source
  // Shared devices are counted over Stoa's own events. Without events the set is empty, which is a valid answer.
  const members = source === 'structure' ? structureMembers() : []
  const { version, keys, chunks } = pack(members)
  const built = build({
    match: entry.match,
    salt: 0, // The members are trusted.
    sources: [{ source, chunks: chunks.map(({ packed }) => packed) }],
  })
  const asOf = clock.now().toISOString()
  const row = { source, version, keys, asOf, origin, versionId: 0, etag: null, modified: null, refusal: null }
  return { ...loaded, sources: [row], members: membersOf(built), isLoading: false }
}

/** Values are parsed on first use and cached: parsing all of them at once would block every request. */
function membersOf({ data, values, valueAt, scores }: Built): Members {
  const parsed: (string | Value)[] = values
  function value(index: number): Value {
    const at = valueAt[index] as number
    const known = parsed[at] as string | Value
    const result: Value = typeof known === 'string' ? JSON.parse(known) : known
    parsed[at] = result
    return result
  }
  return { table: openTable(data), value, valueAt, scores }
}
