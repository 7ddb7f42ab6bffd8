// Runs the deletion of rows: a service's retention, and the purge of a deleted organisation.
import type { Tx } from '../src/engines/engines.ts'
import type { OrgId } from '../src/kit/caller.ts'
import { purge } from '../src/kit/tables/purge.ts'
import { services } from '../src/services/index.ts'
import type { TestHost } from './host.ts'

type Write = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

const removingOf = (host: TestHost, write: Write = work => host.db.transaction(work)) => ({
  ...host.engines,
  signal: new AbortController().signal,
  write,
})

/** `state` is that of the service. */
export async function deleteOld(host: TestHost, service: string, write?: Write, state: object = {}): Promise<void> {
  const name = `retention of ${service}`
  const schedule = services.flatMap(({ schedules }) => schedules).find(one => one.name === name)
  if (!schedule) throw new Error(`there is no schedule ${name}`)
  await schedule.run({ ...removingOf(host, write), state } as never)
}

export const allTables = services.flatMap(({ tables }) => tables)

/** One pass; returns whether there was nothing to delete. */
export const purgeOrg = (host: TestHost, org: string, write?: Write): Promise<boolean> =>
  purge(removingOf(host, write), allTables, org as OrgId)
