// Writes the outcomes of attempts, many in one transaction, and tells organisations of endpoints that keep failing.
import type { Database, Tx } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { emitting, type Publishing } from '../../../kit/events.ts'
import type { Groups } from '../../../kit/groups.ts'
import { openInsistentGroups } from '../../../kit/insistent-groups.ts'
import { endpointFailing } from '../events.ts'
import * as store from './store.ts'

const FAILING_MS = 60 * 60_000

export type Ending = store.Ended & { org: string }

export type EndingsOptions = Publishing & { db: Database; warn: (error: unknown) => void }

/** While the database cannot be reached, outcomes wait. When the process ends then, their attempts count as interrupted. */
export function openEndings(by: EndingsOptions): Groups<Ending> {
  const { db, clock, warn } = by
  return openInsistentGroups<Ending>({
    ...{ clock, warn, lingerMs: 0 },
    write: group => db.transaction(tx => writeEndings(by, tx, group)),
    refused: ({ delivery }, cause) => new Error(`the outcome of the delivery ${delivery} was refused`, { cause }),
  })
}

/** Of a test, whose caller waits for it. */
export const endTest = (by: Publishing, db: Tx, ended: store.Ended) => writeEndings(by, db, [ended])

async function writeEndings(by: Publishing, db: Tx, ended: readonly store.Ended[]): Promise<void> {
  const now = by.clock.now()
  const at = now.toISOString()
  const endpoints = await store.endAttempts(db, ended, at)
  const before = new Date(now.getTime() - FAILING_MS).toISOString()
  const failing = await store.setFailing(db, endpoints, at, before)
  if (failing.length === 0) return
  await emitting(by, db, endpointFailing, emit => {
    for (const { webhook: id, org, url, since } of failing) {
      emit('webhook.endpoint.failing', { id, url, since }, org as OrgId)
    }
  })
}
