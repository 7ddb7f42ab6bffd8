// What is pasted into the code of an app, so that people sign in to it.
import type { App } from '../../../client/stoa.js'
import { CodeBlock, type Sample } from '../../parts/code.tsx'

export const Connect = ({ of, secret }: { of: App; secret?: string }) => (
  <section>
    <h3>Settings to paste</h3>
    <CodeBlock samples={samplesOf(of, secret)} />
    {of.people === 'users' && (
      <p className="help under">
        Customers manage their account at <span className="code wraps">{accountUrl(of)}</span>
      </p>
    )}
  </section>
)

const issuerOf = ({ issuer }: App) => issuer ?? 'https://…'
const accountUrl = (app: App) => `${issuerOf(app)}/account?client_id=${app.id}`

export function samplesOf(app: App, secret = '…'): Sample[] {
  const settings = { name: 'Settings', code: settingsOf(app, secret) }
  return app.type === 'public'
    ? [settings, { name: 'Single-page app', code: singlePageOf(app) }]
    : [settings, { name: 'openid-client', code: openIdClientOf(app) }, { name: 'Auth.js', code: authJsOf(app) }]
}

const settingsOf = (app: App, secret: string) =>
  [
    `ISSUER=${issuerOf(app)}`,
    `CLIENT_ID=${app.id}`,
    ...(app.type === 'confidential' ? [`CLIENT_SECRET=${secret}`] : []),
  ].join('\n')

/** Where people return to, and the front page of the app. */
function addressesOf({ redirectUris: [callback = 'https://app.example.com/callback'], logoutUris }: App) {
  const { origin, pathname } = new URL(callback)
  return { callback, origin, path: pathname, front: logoutUris[0] ?? `${origin}/` }
}

/** A text in the code: addresses may contain quotes. */
const quoted = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`

function openIdClientOf(app: App): string {
  const { callback, origin, path, front } = addressesOf(app)
  return `// npm install openid-client@6 express@5 express-session
import express from 'express'
import session from 'express-session'
import * as oidc from 'openid-client'

const { ISSUER, CLIENT_ID, CLIENT_SECRET } = process.env
const config = await oidc.discovery(new URL(ISSUER), CLIENT_ID, {}, oidc.ClientSecretBasic(CLIENT_SECRET))
const app = express()
app.use(session({ secret: oidc.randomState(), resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
app.get('/sign-in', async ({ session }, response) => {
  session.checks = { pkceCodeVerifier: oidc.randomPKCECodeVerifier(), expectedState: oidc.randomState() }
  response.redirect(oidc.buildAuthorizationUrl(config, {
    redirect_uri: ${quoted(callback)}, scope: 'openid profile email', state: session.checks.expectedState,
    code_challenge: await oidc.calculatePKCECodeChallenge(session.checks.pkceCodeVerifier), code_challenge_method: 'S256',
  }).href)
})
app.get(${quoted(path)}, async (request, response) => {
  const tokens = await oidc.authorizationCodeGrant(config, new URL(request.url, ${quoted(origin)}), request.session.checks)
  request.session.regenerate(() => {
    Object.assign(request.session, { person: tokens.claims(), idToken: tokens.id_token })
    response.redirect('/')
  })
})
app.get('/sign-out', ({ session }, response) => {
  const back = { id_token_hint: session.idToken, post_logout_redirect_uri: ${quoted(front)} }
  session.destroy(() => response.redirect(oidc.buildEndSessionUrl(config, back).href))
})
app.listen(3000)`
}

function authJsOf(app: App): string {
  const needed = `${addressesOf(app).origin}/auth/callback/stoa`
  const hint = app.redirectUris.includes(needed) ? '' : `// Add ${needed} to the redirect URIs.\n`
  return `// npm install @auth/express express@5, and set AUTH_SECRET to a random text
${hint}import { ExpressAuth, getSession } from '@auth/express'
import express from 'express'

const { ISSUER, CLIENT_ID, CLIENT_SECRET } = process.env
const config = {
  trustHost: true,
  providers: [{
    id: 'stoa', name: ${JSON.stringify(app.name)}, type: 'oidc',
    issuer: ISSUER, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET,
  }],
  callbacks: {
    jwt: ({ token, account, profile }) => (account ? { ...token, sub: profile.sub, idToken: account.id_token } : token),
    session: ({ session, token: { sub, idToken } }) => ({ ...session, sub, idToken }),
  },
}
const app = express()
app.use(/^\\/auth\\/(.*)/, ExpressAuth(config))
app.get('/', async (request, response) => {
  const session = await getSession(request, config)
  response.send(session ? \`Signed in as \${session.sub}\` : '<a href="/auth/signin">Sign in</a>')
})
app.listen(3000)`
}

function singlePageOf(app: App): string {
  const { callback, origin, front } = addressesOf(app)
  return `// npm install oidc-client-ts@3
// The page is at ${origin}: attach and verify this domain, or name it in STOA_OWN_ORIGINS.
import { UserManager } from 'oidc-client-ts'

export const users = new UserManager({
  authority: '${issuerOf(app)}',
  client_id: '${app.id}',
  scope: 'openid profile email',
  redirect_uri: ${quoted(callback)},
  post_logout_redirect_uri: ${quoted(front)},
})

if (location.search.includes('code=')) {
  await users.signinCallback()
  history.replaceState(null, '', '/')
}
const user = await users.getUser()
if (user) console.log(user.profile)
else await users.signinRedirect()`
}
