// Stoa's own app at the identity provider, with which browsers sign in to the API. It calls the token endpoint
// in-process.
import { EngineUnavailable } from '../engines/engines.ts'
import type { SignIn } from '../kit/host/sign-in.ts'
import type { AccessToken } from './access-tokens.ts'
import { ACCOUNT_PATH } from './account.ts'
import { addressPath } from './address.ts'
import { invitationPath } from './invitation.ts'
import { ORG_PARAM, PATHS } from './provider.ts'

export type OwnAppOptions = {
  /** Posts a form to the provider. */
  postForm: (path: string, form: Record<string, string>) => Promise<{ status: number; text: string }>
  verifyToken: (text: string) => Promise<AccessToken | null>
  issuer: string
  client: string
  callback: string
  customerMails: SignIn['customerMails']
}

export function ownApp(options: OwnAppOptions): SignIn {
  const { postForm, verifyToken, issuer, client, callback, customerMails } = options
  const app = { client_id: client, redirect_uri: callback }
  return {
    issuer,
    url: ({ state, challenge, org }) => {
      const query = new URLSearchParams({
        ...app,
        response_type: 'code',
        scope: 'openid email',
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        prompt: 'consent', // A member of several organisations chooses one at each sign-in.
        ...(org !== null && { [ORG_PARAM]: org }),
      })
      return `${issuer}${PATHS.authorize}?${query}`
    },
    invitationUrl: token => issuer + invitationPath(token),
    accountUrl: issuer + ACCOUNT_PATH,
    addressUrl: token => issuer + addressPath(token),
    customerMails,
    redeem: async ({ code, verifier }) => {
      const form = { grant_type: 'authorization_code', ...app, code, code_verifier: verifier }
      const { status, text } = await postForm(PATHS.token, form)
      if (status === 503) throw new EngineUnavailable('db', 'down')
      if (status >= 500) throw new Error(`the token endpoint answered ${status}`)
      return status === 200 ? verifyToken(JSON.parse(text).access_token) : null
    },
  }
}
