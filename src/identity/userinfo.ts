// UserInfo for access tokens of the API. oidc-provider's own UserInfo rejects them, because their audience is the API.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { jsonBody } from '../kit/answer.ts'
import type { AccessToken } from './access-tokens.ts'
import { claimsFor, type Person, type TokenRules } from './provider.ts'

export type UserInfoOptions = {
  verify: (text: string) => Promise<AccessToken | null>
  isSignedIn: (signIn: string) => Promise<boolean>
  person: (user: string, client: string, grantId: string) => Promise<Person | null>
  tokenRules: (client: string) => Promise<TokenRules | null>
  /** The audience of tokens for the API. */
  audience: string
}

export async function userInfo(
  { verify, isSignedIn, person, tokenRules, audience }: UserInfoOptions,
  { method = '', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!['GET', 'HEAD', 'POST'].includes(method))
    return answer(response, 405, { error: 'invalid_request' }, { allow: 'GET, POST' })
  const text = headers.authorization?.match(/^bearer ([\w.-]+)$/i)?.[1]
  if (text === undefined) {
    const challenge = { 'www-authenticate': 'Bearer' }
    return answer(response, 401, { error: 'invalid_request', error_description: 'send an access token' }, challenge)
  }
  const token = await verify(text)
  const rules = token && (await tokenRules(token.client))
  const isOurs = token?.audience === (rules?.audience ?? audience)
  const member =
    token && isOurs && (await isSignedIn(token.signIn)) ? await person(token.user, token.client, token.signIn) : null
  if (!token || !member) {
    const challenge = { 'www-authenticate': 'Bearer error="invalid_token"' }
    return answer(
      response,
      401,
      { error: 'invalid_token', error_description: 'the access token is not valid' },
      challenge,
    )
  }
  const has = (scope: string) => token.scopes.includes(scope)
  answer(response, 200, {
    sub: member.user,
    owner: member.org,
    ...claimsFor(member, rules),
    ...(has('profile') && member.name && { name: member.name }),
    ...(has('email') && { email: member.email, email_verified: member.emailVerified }),
  })
}

function answer(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(jsonBody(body))
}
