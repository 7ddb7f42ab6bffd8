// Changes the address of a customer after the new mailbox was proved.
import type { Tx } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { emitting, type Publishing } from '../../../kit/events.ts'
import { userUpdated } from '../events.ts'
import { deleteCodesTo } from './codes.store.ts'
import * as store from './store.ts'

export type Moved = { user: string; from: string; to: string }

/** Returns the organisation; null if another of its customers has the address. */
export async function moveCustomer(
  engines: Publishing,
  db: Tx,
  { user, from, to }: Moved,
  at: string,
): Promise<OrgId | null> {
  const org = await store.updateAddressOf(db, user, to, at)
  if (org === null) return null
  await deleteCodesTo(db, org, from) // They were sent to the old mailbox.
  await emitting(engines, db, userUpdated, emit => {
    emit('iam.user.updated', { user, email: to, changed: ['email'] }, org)
  })
  return org
}
