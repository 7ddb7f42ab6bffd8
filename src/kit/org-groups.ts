// Writes the rows of many calls in groups, separately for each organisation: one whose rows cannot be written delays no
// other.
import type { OrgId } from './caller.ts'
import type { Groups } from './groups.ts'

export type OrgGroups<Row> = Groups<Row> & {
  /** The number of this organisation's unwritten rows. */
  sizeOf(org: OrgId): number
}

export function openOrgGroups<Row extends { org: OrgId }>(open: (org: OrgId) => Groups<Row>): OrgGroups<Row> {
  const all = new Map<string, Groups<Row>>()
  let size = 0

  function groupsOf(org: OrgId): Groups<Row> {
    const found = all.get(org) ?? open(org)
    all.set(org, found)
    return found
  }

  return {
    add: async row => {
      const groups = groupsOf(row.org)
      size++
      await groups.add(row)
      size--
      if (groups.size() === 0 && all.get(row.org) === groups) all.delete(row.org)
    },
    remove: row => all.get(row.org)?.remove(row),
    written: org => all.get(org)?.written(org) ?? null,
    size: () => size,
    sizeOf: org => all.get(org)?.size() ?? 0,
    close: async () => {
      await Promise.all([...all.values()].map(groups => groups.close()))
    },
  }
}
