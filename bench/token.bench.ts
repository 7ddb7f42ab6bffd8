// What the token endpoint costs beyond oidc-provider: a refresh with rotation, answered with an ID token, an access token
// and the next refresh token.
import assert from 'node:assert/strict'
import { Agent, request } from 'undici'
import { PATHS } from '../src/identity/provider.ts'
import { type Bench, requestBytes } from './harness.ts'
import { bodyOf, type Talk, wrong } from './load.ts'
import type { Realm } from './servers/sign-ins.ts'
import { type BenchServer, startServer } from './servers/start.ts'

const TOKENS = ['access_token', 'id_token', 'refresh_token'] as const
type Tokens = Record<(typeof TOKENS)[number], string>

/** Sign-ins that take turns on a connection. The memory adapter goes over every token that a sign-in has ever had each
 *  time it rotates, so one for each connection would slow the control down, the more the longer it runs. */
const SIGN_INS_PER_CONNECTION = 4

export const refresh: Bench = {
  promise: 'a refresh at the token endpoint',
  // The CPU time of a refresh falls until about the 1,800th, so 2,500 before the first round that counts are enough.
  requestsPerRound: 250,
  start: async servers => {
    const identity = servers.use(await startServer('identity.ts'))
    const realm = identity.realm as Realm
    const bare = servers.use(await startServer('oidc-provider.ts', realm))
    assert.deepEqual(
      await firstTokens(identity, realm),
      await firstTokens(bare, realm),
      'the tokens of both are the same but for what is new in each',
    )
    return {
      subject: { name: 'identity origin', server: identity, ...talkWith(identity, realm) },
      controls: [{ name: 'bare oidc-provider', server: bare, ...talkWith(bare, realm), target: 0.8 }],
    }
  },
}

const talkWith = ({ refreshTokens = [] }: BenchServer, realm: Realm) => ({
  talk: (connection: number) => {
    const from = connection * SIGN_INS_PER_CONNECTION
    return refreshTalk(realm, refreshTokens.slice(from, from + SIGN_INS_PER_CONNECTION))
  },
})

/** Refreshes one sign-in after the other, each with the token of its last answer. */
function refreshTalk(realm: Realm, refreshTokens: string[]): Talk {
  assert.equal(refreshTokens.length, SIGN_INS_PER_CONNECTION)
  let turn = 0
  return {
    request: () => requestBytes('POST', PATHS.token, formOf(realm, refreshTokens[turn] as string)),
    isWhole: bytes => {
      const body = bodyOf(bytes)
      if (!body) return false
      const tokens = JSON.parse(String(body)) as Tokens
      if (!areTokens(tokens)) throw wrong(bytes)
      refreshTokens[turn] = tokens.refresh_token
      turn = (turn + 1) % refreshTokens.length
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

/** What both must do alike, read from the first refresh: the answer's fields, and header and claims of what was signed. */
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
  assert.notEqual(tokens.refresh_token, refreshTokens[0], 'it rotates')
  refreshTokens[0] = tokens.refresh_token
  const signed = [tokens.access_token, tokens.id_token].map(token => token.split('.').slice(0, 2).map(partOf))
  return { fields: Object.keys(tokens), signed }
}

/** Of what differs from one server or sign-in to the next, only how long it is. */
const OWN = ['iss', 'iat', 'exp', 'jti', 'sid', 'nonce']

function partOf(base64: string): object {
  const part = JSON.parse(Buffer.from(base64, 'base64url').toString()) as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, OWN.includes(name) ? String(value).length : value]),
  )
}
