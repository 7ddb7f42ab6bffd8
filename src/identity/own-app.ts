// How the API's own address signs browsers in: as one more app of the provider, which is asked without leaving the process.
import type { RequestListener } from 'node:http'
import inject from 'light-my-request'
import { EngineUnavailable } from '../engines/engines.ts'
import type { SignIn } from '../kit/sign-in.ts'
import type { AccessToken } from './access-tokens.ts'
import { invitationPath } from './invitation.ts'
import { PATHS } from './provider.ts'

export type OwnAppOptions = {
  handle: RequestListener
  verifyToken: (text: string) => Promise<AccessToken | null>
  issuer: string
  client: string
  callback: string
}

export function ownApp({ handle, verifyToken, issuer, client, callback }: OwnAppOptions): SignIn {
  const about = { client_id: client, redirect_uri: callback }
  return {
    issuer,
    url: ({ state, challenge }) => {
      const asked = { response_type: 'code', scope: 'openid email', state }
      const proof = { code_challenge: challenge, code_challenge_method: 'S256' }
      // Whoever belongs to several organisations is asked each time which it is to be.
      return `${issuer}${PATHS.authorize}?${new URLSearchParams({ ...about, ...asked, ...proof, prompt: 'consent' })}`
    },
    invitationUrl: token => issuer + invitationPath(token),
    redeem: async ({ code, verifier }) => {
      const form = { grant_type: 'authorization_code', ...about, code, code_verifier: verifier }
      const answer = await inject(handle, {
        method: 'POST',
        url: PATHS.token,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams(form).toString(),
      })
      if (answer.statusCode === 503) throw new EngineUnavailable('db', 'down')
      if (answer.statusCode >= 500) throw new Error(`the token endpoint answered ${answer.statusCode}`)
      return answer.statusCode === 200 ? verifyToken(answer.json().access_token) : null
    },
  }
}
