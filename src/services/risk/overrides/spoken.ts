// What organisations say about members, remembered for a short while and forgotten at once when it changes.
import type { Clock, Database, Random } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { openMemory } from '../../../kit/memory.ts'
import { CATALOGUE } from '../catalogue.ts'
import { buildTable, openTable, type Table } from '../match/table.ts'
import { overrideMatch } from '../reading.ts'
import { type Spoken, selectSpoken } from './store.ts'

/** What one organisation says about one set: by the number its table finds. */
export type SpokenOfSet = { readonly table: Table; entries: Spoken[] }
export type SpokenOfOrg = ReadonlyMap<string, SpokenOfSet>

export type Overrides = { of(org: OrgId): SpokenOfOrg | Promise<SpokenOfOrg> }

type Engines = { db: Database; clock: Clock; random: Random }

export async function openOverrides({ db, clock, random }: Engines): Promise<Overrides> {
  const memory = openMemory<SpokenOfOrg>()
  await db.listen('risk_overrides', memory.forget, memory.clear)
  const load = async (org: OrgId) => bySet(await selectSpoken(db, org), random.bytes(4).readUInt32LE())
  return {
    of: org => {
      const nowMs = clock.now().getTime()
      const known = memory.get(org, nowMs)
      return known ?? (memory.learn(org, org, nowMs, () => load(org)) as Promise<SpokenOfOrg>)
    },
  }
}

/** The tables are built when a set is first asked about: who speaks about many sets rarely asks all of them at once. */
function bySet(all: Spoken[], salt: number): SpokenOfOrg {
  const found = new Map<string, SpokenOfSet>()
  for (const entry of CATALOGUE) {
    const entries = all.filter(({ set }) => set === entry.set)
    if (entries.length === 0) continue
    let table: Table | null = null
    const build = () =>
      openTable(
        buildTable(
          overrideMatch(entry),
          entries.map(({ key }) => key),
          salt,
        ),
      )
    found.set(entry.set, {
      entries,
      get table() {
        table ??= build()
        return table
      },
    })
  }
  return found
}
