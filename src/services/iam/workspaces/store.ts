// All SQL on workspaces.

import type { Sql, Tx } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import type { Position } from '../../../kit/page.ts'
import { fragment, oneRow } from '../../../kit/sql.ts'
import { isLiveOrg } from '../orgs/store.ts'

export type Workspace = { id: string; name: string; created: string }

/** Newest first, after the position `last`. */
export function selectWorkspaces(db: Sql, org: OrgId, last: Position, count: number): Promise<Workspace[]> {
  return db<Workspace>`select id, name, created from workspaces
    where org = ${org} and (created, id) < (${last.created}, ${last.id}) order by created desc, id desc limit ${count}`
}

export async function insertWorkspace(
  db: Tx,
  org: OrgId,
  { id, name, secret, created }: Workspace & { secret: Uint8Array },
): Promise<void> {
  await db`insert into workspaces (id, org, name, secret, created)
    values (${id}, ${org}, ${name}, ${secret}, ${created})`
}

/** Returns the name of the deleted workspace. */
export async function deleteWorkspace(db: Tx, org: OrgId, id: string): Promise<string | null> {
  const [row] = await db<{ name: string }>`delete from workspaces where org = ${org} and id = ${id} returning name`
  return row?.name ?? null
}

/** A workspace of any organisation. */
export function selectWorkspace(
  db: Sql,
  id: string,
): Promise<{ org: OrgId; workspace: string; secret: Uint8Array } | null> {
  return oneRow(db<{ org: OrgId; workspace: string; secret: Uint8Array }>`select org, id as workspace, secret
    from workspaces where id = ${id} and ${isLiveOrg(fragment`org`)}`)
}

export async function selectWorkspaceSecret(db: Sql, org: OrgId, id: string): Promise<Uint8Array | null> {
  const [row] = await db<{ secret: Uint8Array }>`select secret from workspaces where org = ${org} and id = ${id}`
  return row?.secret ?? null
}
