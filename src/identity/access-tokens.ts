// Checks access tokens as the API and UserInfo accept them: signed by one of our keys, for this audience, of this type, and
// not expired. Whether the sign-in they came from is still there is asked elsewhere.
import { createLocalJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Clock } from '../engines/engines.ts'
import { ACCESS_TOKEN_ALG } from './provider.ts'

/** A key that is not known may be a new one: asked for again, but not more often than this. */
const REFRESH_MS = 10_000
/** One that is known may have been retired. */
const KEPT_MS = 30_000

export type AccessToken = {
  user: string
  org: string
  /** The grant it was given out under. */
  signIn: string
  client: string
  scopes: string[]
  expiresMs: number
}

export type TokenOptions = {
  clock: Clock
  issuer: string
  audience: string
  /** The public keys, as they are now. */
  publicKeys: () => Promise<{ keys: object[] }>
}

export function tokenVerifier({ clock, issuer, audience, publicKeys }: TokenOptions) {
  let keySet: Promise<JWTVerifyGetKey> | null = null
  let loadedMs = Number.NEGATIVE_INFINITY

  function load(): Promise<JWTVerifyGetKey> {
    loadedMs = clock.elapsedMs()
    keySet = publicKeys().then(keys => createLocalJWKSet(keys as never))
    keySet.catch(() => {
      keySet = null // Tried again by the next one who asks.
    })
    return keySet
  }

  const check = async (text: string, key: JWTVerifyGetKey) =>
    jwtVerify(text, key, {
      ...{ issuer, audience, algorithms: [ACCESS_TOKEN_ALG], typ: 'at+jwt', currentDate: clock.now() },
      requiredClaims: ['sub', 'exp', 'iat', 'client_id', 'owner', 'sid'],
    })

  /** Null for whatever is not such a token. */
  return async (text: string): Promise<AccessToken | null> => {
    try {
      const isOld = clock.elapsedMs() - loadedMs > KEPT_MS
      const { payload } = await check(text, await (isOld ? load() : (keySet ?? load()))).catch(async error => {
        const isNew = error instanceof errors.JWKSNoMatchingKey && clock.elapsedMs() - loadedMs > REFRESH_MS
        if (!isNew) throw error
        return check(text, await load())
      })
      return claimsIn(payload)
    } catch (error) {
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }
}

function claimsIn({ sub, owner, sid, client_id, scope, exp }: JWTPayload): AccessToken | null {
  const texts = [sub, owner, sid, client_id]
  if (!texts.every(text => typeof text === 'string' && text !== '')) return null
  return {
    user: sub as string,
    org: owner as string,
    signIn: sid as string,
    client: client_id as string,
    scopes: typeof scope === 'string' ? scope.split(' ') : [],
    expiresMs: (exp as number) * 1000,
  }
}
