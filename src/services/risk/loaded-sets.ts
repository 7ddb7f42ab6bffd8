// The published sets as this process has them in memory: what each publisher supplied, and the table that answers. A set is
// swapped whole; until a new table is there, the one before answers.
import type { Clock, Database, Random } from '../../engines/engines.ts'
import { CATALOGUE, type SetEntry } from './catalogue.ts'
import { openTable, type Table } from './match/table.ts'
import type { Source, Value } from './sources/source.ts'
import { structureMembers } from './sources/structure.ts'
import * as store from './store.ts'
import { type Built, build, pack } from './thread/jobs.ts'
import type { Thread } from './thread/open.ts'

/** A table with what is said about its members. */
export type Members = {
  table: Table
  /** What is said about a member, by its index in the table. */
  said(index: number): Value
  /** Which of the values each member has. */
  valueAt: Uint32Array
  scores: Float64Array | null
}

export type LoadedSet = {
  entry: SetEntry
  /** What is held of each publisher that supplied something, or failed to. */
  sources: store.SourceRow[]
  members: Members | null
  /** Which versions the table was built of. */
  sourceVersions: string
  /** Until the database has been looked at. */
  isLoading: boolean
}

export type LoadedSets = {
  all: readonly LoadedSet[]
  find(set: string): LoadedSet | undefined
  /** Looks at what the database has of a set, and swaps its table if that is another. */
  reload(set: string): Promise<void>
  close(): Promise<void>
}

const DEBOUNCE_MS = 2_000

type Engines = { db: Database; clock: Clock; random: Random }

export async function openLoadedSets(
  { db, clock, random }: Engines,
  thread: Thread,
  warn: (error: unknown) => void,
): Promise<LoadedSets> {
  const all: LoadedSet[] = CATALOGUE.map(entry => initialSet(entry, clock))
  const find = (set: string) => all.find(({ entry }) => entry.set === set)
  const reloads = new Map<string, Promise<void>>()
  let closed = false

  async function load(loaded: LoadedSet): Promise<void> {
    const { entry } = loaded
    if (closed || entry.kind === 'local' || entry.kind === 'seam') return
    const listed = await store.selectSources(db, entry.set)
    const rows = listed.filter(row => entry.sources.some(({ source }) => source === row.source))
    const ready = entry.sources.flatMap(({ source }) => rows.find(row => row.source === source && row.versionId) ?? [])
    const sourceVersions = ready.map(({ versionId }) => versionId).join()
    if (entry.kind === 'fetch' && sourceVersions !== loaded.sourceVersions && ready.length > 0) {
      if (!loaded.members) loaded.sources = rows // Nothing answers yet, so there is nothing to be told wrong of.
      const input = { match: entry.match, sources: await membersIn(db, ready), salt: random.bytes(4).readUInt32LE() }
      loaded.members = membersOf(await thread.build(input))
      loaded.sourceVersions = sourceVersions
    }
    // Together with the table: an answer names the version it was looked up in.
    loaded.sources = rows
  }

  /** One at a time for each set, the later ones seeing what the earlier saw and more. */
  function reload(set: string): Promise<void> {
    const loaded = find(set)
    if (!loaded) return Promise.resolve()
    const next = (reloads.get(set) ?? Promise.resolve())
      .catch(() => {})
      .then(() => load(loaded))
      .finally(() => {
        loaded.isLoading = false
      })
    reloads.set(set, next)
    return next
  }

  const inBackground = (set: string) => void reload(set).catch(error => closed || warn(error))
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

/** What the versions hold, as they are kept: packed. */
async function membersIn(db: Database, versions: readonly store.SourceRow[]) {
  const sources = []
  for (const { source, versionId } of versions) {
    const chunks = await store.selectMembers(db, versionId as number)
    if (chunks.length === 0) throw new Error(`a version of ${source} was replaced while it was read`)
    sources.push({ source, chunks })
  }
  return sources
}

/** Publishers of a set are taken one after the other: a table for each of them would be built for nothing. */
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

/** What is computed here is there from the start. */
function initialSet(entry: SetEntry, clock: Clock): LoadedSet {
  const loaded: LoadedSet = { entry, sources: [], members: null, sourceVersions: '', isLoading: entry.kind !== 'seam' }
  if (entry.kind !== 'local') return loaded
  const { source, origin } = entry.sources[0] as Source
  // Shared devices are counted over the platform's own events; until there are any, there are none, which is a fact.
  const members = source === 'structure' ? structureMembers() : []
  const { version, keys, chunks } = pack(members)
  const built = build({
    kind: 'build',
    match: entry.match,
    salt: 0, // These members are our own.
    sources: [{ source, chunks: chunks.map(({ packed }) => packed) }],
  })
  const asOf = clock.now().toISOString()
  const row = { source, version, keys, asOf, origin, versionId: 0, etag: null, modified: null, refusal: null }
  return { ...loaded, sources: [row], members: membersOf(built), isLoading: false }
}

/** What is said is read when it is first answered, and kept: all of it at once would hold up every request. */
function membersOf({ data, values, valueAt, scores }: Built): Members {
  const parsed: (string | Value)[] = values
  function said(index: number): Value {
    const at = valueAt[index] as number
    const known = parsed[at] as string | Value
    const value: Value = typeof known === 'string' ? JSON.parse(known) : known
    parsed[at] = value
    return value
  }
  return { table: openTable(data), said, valueAt, scores }
}
