// How the API's own address signs browsers in: as one more app of the provider, which is asked without leaving the process.
import { EngineUnavailable } from '../engines/engines.ts'
import type { SignIn } from '../kit/sign-in.ts'
import type { AccessToken } from './access-tokens.ts'
import { invitationPath } from './invitation.ts'
import { PATHS } from './provider.ts'

export type OwnAppOptions = {
  /** Posts a form to the provider. */
  ask: (path: string, form: Record<string, string>) => Promise<{ status: number; text: string }>
  verifyToken: (text: string) => Promise<AccessToken | null>
  issuer: string
  client: string
  callback: string
}

export function ownApp({ ask, verifyToken, issuer, client, callback }: OwnAppOptions): SignIn {
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
      const { status, text } = await ask(PATHS.token, form)
      if (status === 503) throw new EngineUnavailable('db', 'down')
      if (status >= 500) throw new Error(`the token endpoint answered ${status}`)
      return status === 200 ? verifyToken(JSON.parse(text).access_token) : null
    },
  }
}
