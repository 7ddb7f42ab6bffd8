// Caches the overrides of organisations for a short time; a change drops them immediately. An organisation with few
// overrides is loaded with one query and cached as a whole. For one with many, each set is cached separately and its
// table is built in a worker thread: building thousands of entries here would block the requests of others.
import type { Clock, Database, Random } from '../../engines/engines.ts'
import { openCache } from '../../kit/cache.ts'
import type { OrgId } from '../../kit/caller.ts'
import { CATALOGUE, type SetEntry } from './catalogue.ts'
import { buildTable, openTable, type Table } from './match/table.ts'
import { openTexts } from './match/texts.ts'
import { type OverrideEntry, type SmallOrgRow, selectCounts, selectPages, selectSmallOrg } from './overrides.store.ts'
import { overrideMatch } from './reading.ts'
import { openRiskThread, type RiskThread } from './thread/open.ts'
import { DENIES, NOTED, type OverrideRow, type PackedOverrides } from './thread/overrides.ts'

/** The overrides of one organisation on one set, by table index. An entry exists once `table.find` has returned its
 *  index. */
export type SetOverrides = { readonly table: Table; entries: OverrideEntry[] }
export type OrgOverrides = ReadonlyMap<string, SetOverrides>

export type OverrideCache = {
  /** The number of overrides of an organisation, by set. */
  counts(org: OrgId): Promise<ReadonlyMap<string, number>>
  /** The overrides of an organisation on these sets, or on all. */
  get(org: OrgId, sets?: readonly string[]): Promise<OrgOverrides>
  gauges: RiskThread['gauges']
  close(): Promise<void>
}

/** Up to this number, overrides are read and built within a few milliseconds. */
const SMALL_MAX = 2_000
/** Many times what the overrides of an organisation on a set may have. */
const SETS_MB = 512
/** How much more an override takes in memory than as JSON. */
const PARSED = 3
/** Longer than a cache entry lives. */
const IDLE_MS = 60_000
/** A request waits for it. */
const WAIT_MS = 30_000

/** `overrides` is null for an organisation with many. */
type SmallOrg = { overrides: OrgOverrides | null }

type Engines = { db: Database; clock: Clock; random: Random }

export async function openOverrideCache({ db, clock, random }: Engines): Promise<OverrideCache> {
  const byOrg = openCache<SmallOrg>(db.isListening)
  const bySet = openCache<SetOverrides>(db.isListening, { megabytes: SETS_MB })
  const countsOfLarge = openCache<ReadonlyMap<string, number>>(db.isListening)
  // A separate worker thread: a document can occupy the other one for minutes.
  const thread = openRiskThread('risk-overrides', { idleMs: IDLE_MS, waitMs: WAIT_MS })
  const salt = () => random.bytes(4).readUInt32LE()
  const onChange = (orgAndSet: string) => {
    const org = orgAndSet.slice(0, orgAndSet.indexOf(' '))
    byOrg.drop(org)
    countsOfLarge.drop(org)
    bySet.drop(orgAndSet)
  }
  await db.listen('risk_overrides', onChange, () => {
    byOrg.clear()
    bySet.clear()
    countsOfLarge.clear()
  })

  async function smallOrg(org: OrgId): Promise<OrgOverrides | null> {
    const nowMs = clock.now().getTime()
    const load = async () => {
      const rows = await selectSmallOrg(db.for(org), org, SMALL_MAX)
      const bytes = bytesOf(rows.map(({ page }) => page ?? ''))
      return { value: { overrides: smallOrgFrom(rows, salt()) }, aliases: [org], bytes }
    }
    return (byOrg.get(org, nowMs, load) ?? ((await byOrg.load(org, nowMs, org, load)) as SmallOrg)).overrides
  }

  async function buildOverrides(org: OrgId, entry: SetEntry, pages: string[]): Promise<SetOverrides> {
    if (pages.length < 2) return builtOnFirstUse(entry, JSON.parse(pages[0] ?? '[]'), salt())
    const job = { match: overrideMatch(entry), pages, salt: salt() }
    return unpacked(await thread.call('packOverrides', job, { user: org }))
  }

  async function ofSet(org: OrgId, entry: SetEntry): Promise<SetOverrides> {
    const nowMs = clock.now().getTime()
    const name = `${org} ${entry.set}`
    const load = async () => {
      const pages = await selectPages(db.for(org), org, entry.set)
      return { value: await buildOverrides(org, entry, pages), aliases: [name], bytes: bytesOf(pages) }
    }
    return bySet.get(name, nowMs, load) ?? ((await bySet.load(name, nowMs, org, load)) as SetOverrides)
  }

  return {
    counts: async org => {
      const overrides = await smallOrg(org)
      if (overrides) return new Map([...overrides].map(([set, { entries }]) => [set, entries.length]))
      const nowMs = clock.now().getTime()
      const load = async () => ({
        value: new Map((await selectCounts(db.for(org), org)).map(({ set, count }) => [set, count])),
        aliases: [org],
      })
      const counts = countsOfLarge.get(org, nowMs, load) ?? (await countsOfLarge.load(org, nowMs, org, load))
      return counts as ReadonlyMap<string, number>
    },
    get: async (org, sets) => {
      const overrides = await smallOrg(org)
      if (overrides) return overrides
      const found = new Map<string, SetOverrides>()
      // One after the other: processing several results at once would block the event loop again.
      for (const entry of CATALOGUE)
        if (sets?.includes(entry.set) ?? true) found.set(entry.set, await ofSet(org, entry))
      return found
    },
    gauges: thread.gauges,
    close: thread.close,
  }
}

const bytesOf = (pages: readonly string[]) => PARSED * pages.reduce((sum, { length }) => sum + length, 0)

function smallOrgFrom(rows: readonly SmallOrgRow[], salt: number): OrgOverrides | null {
  if (rows[0]?.isMany) return null
  const pages = new Map(rows.map(({ set, page }) => [set, page]))
  const entries = CATALOGUE.filter(({ set }) => pages.has(set))
  return new Map(
    entries.map(entry => [entry.set, builtOnFirstUse(entry, JSON.parse(pages.get(entry.set) as string), salt)]),
  )
}

/** The table is built on first use: an organisation with overrides on many sets rarely queries all of them. */
function builtOnFirstUse(entry: SetEntry, rows: readonly OverrideRow[], salt: number): SetOverrides {
  let table: Table | null = null
  const keys = rows.map(([key]) => key)
  return {
    entries: rows.map(([key, verdict, note]) => ({ key, verdict, note })),
    get table() {
      table ??= openTable(buildTable(overrideMatch(entry), keys, salt))
      return table
    },
  }
}

function unpacked({ data, flags, notes }: PackedOverrides): SetOverrides {
  const table = openTable(data)
  const noteAt = openTexts(notes)
  const entries: OverrideEntry[] = []
  const entryAt = (at: number): OverrideEntry => {
    const flag = flags[at] as number
    const verdict = flag & DENIES ? 'deny' : 'allow'
    return { key: table.member(at), verdict, note: flag & NOTED ? noteAt(at) : null }
  }
  const find: Table['find'] = (key, isRead) => {
    const at = table.find(key, isRead)
    if (at >= 0) entries[at] ??= entryAt(at)
    return at
  }
  return { table: { ...table, find }, entries }
}
