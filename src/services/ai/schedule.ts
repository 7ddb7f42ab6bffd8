// Looks for servers on this machine. Deletes old lines of the log and old responses, and those of deleted organisations.
import { consumer, schedule } from './state.ts'
import * as store from './store.ts'

const KEEP_MS = 30 * 24 * 60 * 60_000
const BATCH = 5_000

export const lookForServers = schedule({
  name: 'local model servers',
  per: 'process',
  everyMs: 60_000,
  deadlineMs: 30_000,
  run: async ({ state }) => {
    await state.registry.look()
    return undefined
  },
})

export const sweepRequests = schedule({
  name: 'model requests',
  everyMs: 60 * 60_000,
  deadlineMs: 10 * 60_000,
  run: async ({ clock, signal, write }) => {
    const before = new Date(clock.now().getTime() - KEEP_MS).toISOString()
    for (const forget of [store.deleteRequests, store.deleteResponses]) {
      while (!signal.aborted && (await write(tx => forget(tx, before, BATCH))) === BATCH);
    }
    return undefined
  },
})

/** What is left of a large organisation is deleted when it is old. */
export const forgetRequests = consumer({
  id: 'ai.forget-organisations',
  subjects: ['iam.org.deleted'],
  batchMax: 10,
  run: async ({ db }, events) => {
    for (const org of new Set(events.map(({ tenant }) => tenant))) {
      await store.deleteRequestsOf(db, org, BATCH)
      await store.deleteResponsesOf(db, org, BATCH)
    }
    return undefined
  },
})
