// What the servers of the token benchmark share: one organisation's app, one person, and the sign-ins of that person,
// stored as a sign-in in a browser stores them.
import type { JWK } from 'jose'
import type { Adapter } from 'oidc-provider'
import type { Random } from '../../src/engines/engines.ts'

export type Realm = {
  /** The audience of access tokens. */
  audience: string
  client: { id: string; secret: string; redirectUri: string }
  person: { user: string; email: string; org: string }
  /** With their private parts, so that all servers sign with the same keys. */
  keys: JWK[]
}

export const SCOPE = 'openid profile email'
export const ACCESS_TOKEN_S = 15 * 60
export const REFRESH_S = 30 * 24 * 60 * 60
export const SESSION_S = 90 * 24 * 60 * 60
/** The same length as the ids that oidc-provider generates. */
const ID_LENGTH = 43

type Source = {
  realm: Realm
  random: Random
  now: Date
  adapterOf: (model: 'Grant' | 'Session' | 'RefreshToken') => Adapter
}

/** Signs the person in `count` times, each in a new browser, and returns their refresh tokens. */
export async function signInRepeatedly(source: Source, count: number): Promise<string[]> {
  const refreshTokens: string[] = []
  while (refreshTokens.length < count) refreshTokens.push(await signIn(source))
  return refreshTokens
}

async function signIn({ realm, random, now, adapterOf }: Source): Promise<string> {
  const { audience, client, person } = realm
  const iat = Math.floor(now.getTime() / 1000)
  const id = () => random.token(ID_LENGTH)
  const [grantId, sessionId, sessionUid, refreshToken] = [id(), id(), id(), id()]
  const accountId = person.user
  const save = (model: Parameters<typeof adapterOf>[0], jti: string, lastsS: number, rest: object) =>
    adapterOf(model).upsert(jti, { iat, exp: iat + lastsS, jti, kind: model, accountId, ...rest }, lastsS)

  await save('Grant', grantId, SESSION_S, {
    clientId: client.id,
    openid: { scope: SCOPE },
    resources: { [audience]: SCOPE },
  })
  await save('Session', sessionId, SESSION_S, {
    uid: sessionUid,
    loginTs: iat,
    authorizations: { [client.id]: { sid: id(), grantId } },
  })
  await save('RefreshToken', refreshToken, REFRESH_S, {
    clientId: client.id,
    grantId,
    gty: 'authorization_code',
    iiat: iat,
    nonce: id(),
    authTime: iat,
    resource: audience,
    scope: SCOPE,
    rotations: 0,
    sessionUid,
    expiresWithSession: true,
  })
  return refreshToken
}
