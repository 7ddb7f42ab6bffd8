// An organisation with a secret key, for bench servers.
import type { Engines } from '../../src/engines/engines.ts'
import type { OrgId } from '../../src/kit/caller.ts'
import { keepKey, newKeyText } from '../../src/services/account/public.ts'
import { createOrganisation } from '../../src/services/iam/public.ts'

/** The text of the key of its owner. */
export async function newOrganisation(engines: Engines, org: OrgId): Promise<string> {
  const { db, random } = engines
  const owner = { email: `owner@${org}.test`, password: random.token(20) }
  const text = newKeyText(random, 'secret')
  await db.transaction(async tx => {
    const inside = { ...engines, db: tx }
    const user = await createOrganisation(inside, { org, name: 'Bench', owner })
    await keepKey(inside, { org, user, name: 'Bench', type: 'secret', text })
  })
  return text
}
