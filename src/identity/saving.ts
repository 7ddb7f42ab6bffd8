// Writes oidc-provider's entries. The library reads an entry, changes it and later writes it back whole, while other
// requests do the same. This writes only the changed fields, and only if the entry still exists.
import { hash } from 'node:crypto'
import { errors } from 'oidc-provider'
import type { Clock, Database } from '../engines/engines.ts'
import { oidc as store } from '../services/iam/public.ts'
import { merged, payloadAsRead, thisRequest } from './request.ts'

type Engines = { db: Database; clock: Clock }
type Payload = store.Entry['payload']

/** Two tabs may refresh with the same token within this time; later reuse is treated as theft. */
export const REFRESH_GRACE_MS = 30_000
export const graceStart = (clock: Clock) => new Date(clock.now().getTime() - REFRESH_GRACE_MS).toISOString()

export const digestOfEntry = (id: string) => hash('sha256', id, 'buffer')

export async function save(
  engines: Engines,
  type: store.EntryType,
  id: string,
  mine: Payload,
  expires: string | null,
): Promise<void> {
  const before = payloadAsRead(`${type.model} ${id}`)
  const isSaved = await (before
    ? change(engines, type, id, before, mine, expires)
    : add(engines, type, id, mine, expires))
  if (isSaved) thisRequest().found.set(`${type.model} ${id}`, JSON.stringify(mine))
}

/** Updates an existing entry, merging concurrent changes. An entry that was deleted in the meantime is not restored. */
async function change(
  engines: Engines,
  type: store.EntryType,
  id: string,
  before: Payload,
  mine: Payload,
  expires: string | null,
): Promise<boolean> {
  const { db, clock } = engines
  if (await store.updateEntry(db.autocommit, type, digestOfEntry(id), before, columnsOf(mine, expires))) return true
  const entry = await store.selectEntry(db, type, digestOfEntry(id), clock.now().toISOString())
  return entry !== null && change(engines, type, id, entry.payload, merged(before, mine, entry.payload), expires)
}

async function add(
  { db, clock }: Engines,
  type: store.EntryType,
  id: string,
  mine: Payload,
  expires: string | null,
): Promise<boolean> {
  const columns = columnsOf(mine, expires)
  // Fails if the password was changed since it was checked.
  if (type.model === 'Session' && columns.user) {
    return store.insertSession(db.autocommit, type, digestOfEntry(id), columns, proofOf(columns.user))
  }
  const { replaced } = thisRequest()
  if (type.model === 'RefreshToken' && replaced !== null) {
    const use = { digest: digestOfEntry(replaced), at: clock.now().toISOString(), since: graceStart(clock) }
    if (await store.replaceToken(db.autocommit, type, use, digestOfEntry(id), columns)) return true
    throw new errors.InvalidGrant('already used')
  }
  await store.insertEntry(db.autocommit, type, digestOfEntry(id), columns)
  return true
}

function columnsOf(payload: Payload, expires: string | null): store.NewEntry {
  const text = JSON.stringify(payload)
  if (text.includes('\\u0000')) throw new errors.InvalidRequest('NUL characters are not allowed')
  const {
    grantId = null,
    uid = null,
    accountId = null,
    clientId = null,
  } = payload as Record<string, string | undefined>
  return { payload: text, grantId, uid, user: accountId, client: clientId, expires }
}

/** The proof of the checked password, from the interaction that this request has read. */
function proofOf(user: string): string {
  for (const found of thisRequest().found.values()) {
    const { login, proof }: { login?: { accountId?: string }; proof?: string } = JSON.parse(found).result ?? {}
    if (login?.accountId === user && proof) return proof
  }
  throw new Error('a session was created without a sign-in')
}
