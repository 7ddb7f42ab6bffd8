// Tokens of a team's workspace: JWTs signed with a secret of the workspace, which is kept sealed. They write events and do
// nothing else, so a browser may hold one.
import { errors, jwtVerify, SignJWT } from 'jose'
import type { Clock, Random, Seal, Sql } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { selectWorkspace } from './store.ts'

const ALG = 'HS256'
/** Tells them from every other JWT. */
const TYPE = 'workspace+jwt'

export type SealedWorkspace = { org: OrgId; workspace: string; secret: Uint8Array }

const sealName = (workspace: string) => `workspace ${workspace}`

export const newWorkspaceSecret = ({ random, seal }: { random: Random; seal: Seal }, org: OrgId, workspace: string) =>
  seal.seal(org, sealName(workspace), random.token(43))

const keyOf = (seal: Seal, { org, workspace, secret }: SealedWorkspace) =>
  Buffer.from(seal.unseal(org, sealName(workspace), secret))

export function signWorkspaceToken(seal: Seal, of: SealedWorkspace, fromS: number, untilS: number): Promise<string> {
  return new SignJWT({ owner: of.org, workspace: of.workspace })
    .setProtectedHeader({ alg: ALG, typ: TYPE })
    .setIssuedAt(fromS)
    .setExpirationTime(untilS)
    .sign(keyOf(seal, of))
}

/** The workspace that a token says it is of, whether that is true or not. */
export function workspaceIn(text: string): string | null {
  try {
    const claims = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString())
    return typeof claims?.workspace === 'string' && /^wsp_\w{1,40}$/.test(claims.workspace) ? claims.workspace : null
  } catch {
    return null // Then it is of none.
  }
}

/** Whose a token of that workspace is, and until when it is good; null when it is not one. */
export async function findWorkspaceToken(
  { db, clock, seal }: { db: Sql; clock: Clock; seal: Seal },
  id: string,
  text: string,
): Promise<{ org: OrgId; expiresMs: number } | null> {
  const of = await selectWorkspace(db, id)
  if (!of) return null
  try {
    const { payload } = await jwtVerify(text, keyOf(seal, of), {
      ...{ algorithms: [ALG], typ: TYPE, currentDate: clock.now() },
      requiredClaims: ['owner', 'workspace', 'exp'],
    })
    const isOwn = payload.owner === of.org && payload.workspace === of.workspace
    return isOwn ? { org: of.org, expiresMs: (payload.exp as number) * 1000 } : null
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}
