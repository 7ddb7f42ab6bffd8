// Verifies access tokens for the API and UserInfo: signature, issuer, audience, type and expiry. Callers check
// separately whether the sign-in still exists.

import { createLocalJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Clock } from '../engines/engines.ts'
import type { OrgId } from '../kit/caller.ts'
import { ACCESS_TOKEN_ALG } from './provider.ts'

/** An unknown key id may be a new key: the keys are reloaded, at most this often. */
const REFRESH_MS = 10_000
/** Loaded keys may have been retired: they are reloaded after this time. */
const MAX_AGE_MS = 30_000

export type AccessToken = {
  user: string
  org: OrgId
  /** The id of the grant it was issued under. */
  signIn: string
  client: string
  scopes: string[]
  audience: string
  expiresMs: number
}

export type TokenOptions = {
  clock: Clock
  issuer: string
  /** Null accepts tokens for any. */
  audience: string | null
  /** Loads the currently published keys. */
  publicKeys: () => Promise<{ keys: object[] }>
}

export function tokenVerifier({ clock, issuer, audience, publicKeys }: TokenOptions) {
  let keySet: Promise<JWTVerifyGetKey> | null = null
  let loadedMs = Number.NEGATIVE_INFINITY

  function load(): Promise<JWTVerifyGetKey> {
    loadedMs = clock.elapsedMs()
    keySet = publicKeys().then(keys => createLocalJWKSet(keys as never))
    keySet.catch(() => {
      keySet = null // The next call retries.
    })
    return keySet
  }

  const check = async (text: string, key: JWTVerifyGetKey) =>
    jwtVerify(text, key, {
      issuer,
      ...(audience !== null && { audience }),
      algorithms: [ACCESS_TOKEN_ALG],
      typ: 'at+jwt',
      currentDate: clock.now(),
      requiredClaims: ['sub', 'exp', 'iat', 'client_id', 'owner', 'sid'],
    })

  /** Null if the token is not valid. */
  return async (text: string): Promise<AccessToken | null> => {
    try {
      const isOld = clock.elapsedMs() - loadedMs > MAX_AGE_MS
      const { payload } = await check(text, await (isOld ? load() : (keySet ?? load()))).catch(async error => {
        const mayBeNewKey = error instanceof errors.JWKSNoMatchingKey && clock.elapsedMs() - loadedMs > REFRESH_MS
        if (!mayBeNewKey) throw error
        return check(text, await load())
      })
      return claimsIn(payload)
    } catch (error) {
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }
}

function claimsIn({ sub, owner, sid, client_id, scope, exp, aud }: JWTPayload): AccessToken | null {
  const texts = [sub, owner, sid, client_id, aud]
  if (!texts.every(text => typeof text === 'string' && text !== '')) return null
  return {
    user: sub as string,
    org: owner as OrgId,
    signIn: sid as string,
    client: client_id as string,
    audience: aud as string,
    scopes: typeof scope === 'string' ? scope.split(' ') : [],
    expiresMs: (exp as number) * 1000,
  }
}
