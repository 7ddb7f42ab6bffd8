// The cost of the token endpoint compared with oidc-provider alone: a refresh with rotation, answered with an ID token,
// an access token and the next refresh token.
import assert from 'node:assert/strict'
import { Agent, request } from 'undici'
import { PATHS } from '../src/identity/provider.ts'
import { type Bench, requestBytes } from './harness.ts'
import { bodyOf, type Script, wrong } from './load.ts'
import type { Realm } from './servers/sign-ins.ts'
import { type BenchServer, startServer } from './servers/start.ts'

const TOKENS = ['access_token', 'id_token', 'refresh_token'] as const
type Tokens = Record<(typeof TOKENS)[number], string>

/** Sign-ins that alternate on a connection. On each rotation the memory adapter iterates over every token that the
 *  sign-in has ever had, so a single sign-in per connection would slow the control down more and more. */
const SIGN_INS_PER_CONNECTION = 4

export const refresh: Bench = {
  title: 'a refresh at the token endpoint',
  // The CPU time of a refresh falls until about the 1,800th, so 2,500 before the first counted round are enough.
  requestsPerRound: 250,
  start: async servers => {
    const identity = servers.use(await startServer('identity.ts'))
    const realm = identity.realm as Realm
    const bare = servers.use(await startServer('oidc-provider.ts', { realm }))
    assert.deepEqual(
      await firstTokens(identity, realm),
      await firstTokens(bare, realm),
      'the tokens of both are the same except for the values that are new in each',
    )
    return {
      subject: { name: 'identity origin', server: identity, ...scriptsFor(identity, realm) },
      controls: [{ name: 'bare oidc-provider', server: bare, ...scriptsFor(bare, realm), target: 0.8 }],
    }
  },
}

const scriptsFor = ({ refreshTokens = [] }: BenchServer, realm: Realm) => ({
  script: (connection: number) => {
    const from = connection * SIGN_INS_PER_CONNECTION
    return refreshScript(realm, refreshTokens.slice(from, from + SIGN_INS_PER_CONNECTION))
  },
})

/** Refreshes one sign-in after the other, each with the token of its last answer. */
function refreshScript(realm: Realm, refreshTokens: string[]): Script {
  assert.equal(refreshTokens.length, SIGN_INS_PER_CONNECTION)
  let current = 0
  return {
    request: () => requestBytes('POST', PATHS.token, formOf(realm, refreshTokens[current] as string)),
    isComplete: bytes => {
      const body = bodyOf(bytes)
      if (!body) return false
      const tokens = JSON.parse(String(body)) as Tokens
      if (!areTokens(tokens)) throw wrong(bytes)
      refreshTokens[current] = tokens.refresh_token
      current = (current + 1) % refreshTokens.length
      return true
    },
  }
}

function formOf({ client }: Realm, refreshToken: string) {
  return {
    body: `grant_type=refresh_token&refresh_token=${refreshToken}`,
    headers: {
      authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
  }
}

const areTokens = (tokens: Tokens) => TOKENS.every(name => typeof tokens[name] === 'string' && tokens[name] !== '')

/** What must be the same in both, from the first refresh: the answer's fields, and the tokens' headers and claims. */
async function firstTokens(server: BenchServer, realm: Realm): Promise<object> {
  const agent = new Agent({ connect: { ca: server.ca } })
  const refreshTokens = server.refreshTokens as string[]
  const { body, headers } = formOf(realm, refreshTokens[0] as string)
  const url = `https://localhost:${server.port}${PATHS.token}`
  const answer = await request(url, { method: 'POST', body, headers, dispatcher: agent })
  const text = await answer.body.text()
  await agent.close()
  assert.equal(answer.statusCode, 200, text)
  const tokens = JSON.parse(text) as Tokens
  assert.ok(areTokens(tokens), text)
  assert.notEqual(tokens.refresh_token, refreshTokens[0], 'the refresh token rotates')
  refreshTokens[0] = tokens.refresh_token
  const signed = [tokens.access_token, tokens.id_token].map(token => token.split('.').slice(0, 2).map(partOf))
  return { fields: Object.keys(tokens), signed }
}

/** Claims that differ between servers or sign-ins: only their lengths are compared. */
const VARYING = ['iss', 'iat', 'exp', 'jti', 'sid', 'nonce']

function partOf(base64: string): object {
  const part = JSON.parse(Buffer.from(base64, 'base64url').toString()) as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, VARYING.includes(name) ? String(value).length : value]),
  )
}
