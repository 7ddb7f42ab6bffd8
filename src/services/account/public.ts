// What other parts may use of the account service.
import type { Database, Engines } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { digestOf, newKeyText, prefixOf } from './key-text.ts'
import { insertKey } from './store.ts'

export { openKeyring } from './keyring.ts'
export { newKeyText }

/** Keeps an unlimited secret key of that person. */
export async function keepKey(
  { clock, random }: Pick<Engines, 'clock' | 'random'>,
  db: Database,
  { text, org, user, name }: { text: string; org: OrgId; user: string; name: string },
): Promise<void> {
  const id = `key_${random.token(24)}`
  const created = clock.now().toISOString()
  await insertKey(db, { id, org, user, name, prefix: prefixOf(text), digest: digestOf(text), created })
}
