// oidc-provider alone: node:https, its own memory adapter, and all callbacks answered from constants. It issues the
// same tokens as the identity origin, claim by claim, signed with the same keys.
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import Provider, { type Adapter, type Configuration, type FindAccount } from 'oidc-provider'
import { systemRandom } from '../../src/engines/random/random.ts'
import { PATHS } from '../../src/identity/provider.ts'
import { serve } from './serve.ts'
import { ACCESS_TOKEN_S, REFRESH_S, type Realm, SCOPE, SESSION_S, signInRepeatedly } from './sign-ins.ts'

/** The same as the identity origin's, so that the load's connections stay open between rounds. */
const KEEP_ALIVE_MS = 65_000
/** Few enough that the memory adapter, which keeps only the last thousand entries, never drops one in use. */
const SIGN_INS = 64

serve(async (pem, realm) => {
  if (!realm) throw new Error('this server needs the realm of the subject')
  const server = createServer({ key: pem, cert: pem, keepAliveTimeout: KEEP_ALIVE_MS })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const provider = new Provider(`https://localhost:${port}`, configuration(realm))
  server.on('request', provider.callback())
  const adapterOf = (model: 'Grant' | 'Session' | 'RefreshToken') =>
    (provider[model] as unknown as { adapter: Adapter }).adapter
  const refreshTokens = await signInRepeatedly({ realm, random: systemRandom, now: new Date(), adapterOf }, SIGN_INS)
  return { port, refreshTokens, close: async () => void server.close() }
})

function configuration({ audience, client, person, keys }: Realm): Configuration {
  return {
    jwks: { keys: keys as never },
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [client.redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_basic',
        id_token_signed_response_alg: 'RS256',
      },
    ],
    routes: { token: PATHS.token },
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'none'],
    cookies: { keys: ['no cookies are used here'] },
    ttl: {
      AccessToken: ACCESS_TOKEN_S,
      IdToken: ACCESS_TOKEN_S,
      RefreshToken: REFRESH_S,
      Session: SESSION_S,
      Grant: SESSION_S,
    },
    issueRefreshToken: (_ctx, app) => app.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: () => true,
    findAccount: accountOf(person),
    extraTokenClaims: (_ctx, token) => ({
      owner: person.org,
      email: person.email,
      sid: (token as { grantId?: string }).grantId,
    }),
    claims: { openid: ['sub', 'owner'], profile: ['name'], email: ['email', 'email_verified'] },
    scopes: SCOPE.split(' '),
    conformIdTokenClaims: false,
    features: {
      devInteractions: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: SCOPE,
          audience,
          accessTokenTTL: ACCESS_TOKEN_S,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  }
}

const accountOf =
  ({ org, email }: Realm['person']): FindAccount =>
  (_ctx, user) => ({
    accountId: user,
    claims: () => ({ sub: user, owner: org, email, email_verified: false }),
  })
