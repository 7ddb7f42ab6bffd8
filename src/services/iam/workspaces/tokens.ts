// Workspace tokens: JWTs signed with a secret of the workspace, which is stored sealed. They can only write events, so
// they may be used in browsers.
import { errors, jwtVerify, SignJWT } from 'jose'
import type { Clock, Random, Seal, Sql } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { selectWorkspace } from './store.ts'

const ALG = 'HS256'
/** Distinguishes workspace tokens from all other JWTs. */
const TYPE = 'workspace+jwt'

export type SealedWorkspace = { org: OrgId; workspace: string; secret: Uint8Array }

const sealName = (workspace: string) => `workspace ${workspace}`

export const newWorkspaceSecret = ({ random, seal }: { random: Random; seal: Seal }, org: OrgId, workspace: string) =>
  seal.seal(org, sealName(workspace), random.token(43))

const keyOf = (seal: Seal, { org, workspace, secret }: SealedWorkspace) =>
  Buffer.from(seal.unseal(org, sealName(workspace), secret))

export function signWorkspaceToken(
  seal: Seal,
  workspace: SealedWorkspace,
  fromS: number,
  untilS: number,
): Promise<string> {
  return new SignJWT({ owner: workspace.org, workspace: workspace.workspace })
    .setProtectedHeader({ alg: ALG, typ: TYPE })
    .setIssuedAt(fromS)
    .setExpirationTime(untilS)
    .sign(keyOf(seal, workspace))
}

/** The workspace id in a token, unverified. */
export function workspaceIn(text: string): string | null {
  try {
    const claims = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString())
    return typeof claims?.workspace === 'string' && /^wsp_\w{1,40}$/.test(claims.workspace) ? claims.workspace : null
  } catch {
    return null // Not a JWT.
  }
}

/** Verifies a token of that workspace; returns its organisation and expiry, or null if it is not valid. */
export async function findWorkspaceToken(
  { db, clock, seal }: { db: Sql; clock: Clock; seal: Seal },
  id: string,
  text: string,
): Promise<{ org: OrgId; expiresMs: number } | null> {
  const workspace = await selectWorkspace(db, id)
  if (!workspace) return null
  try {
    const { payload } = await jwtVerify(text, keyOf(seal, workspace), {
      algorithms: [ALG],
      typ: TYPE,
      currentDate: clock.now(),
      requiredClaims: ['owner', 'workspace', 'exp'],
    })
    const isOwn = payload.owner === workspace.org && payload.workspace === workspace.workspace
    return isOwn ? { org: workspace.org, expiresMs: (payload.exp as number) * 1000 } : null
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}
