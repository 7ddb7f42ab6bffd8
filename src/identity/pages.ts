// The pages of the identity origin: plain HTML without scripts. All inserted values are escaped. Only the e-mail address
// comes from the request: the sign-in form repeats it after a wrong password.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1b1f; --paper: #fbfaf8; --line: #8a8780; --act: #1d4f91; --on-act: #fff; --bad: #a3201d }
@media (prefers-color-scheme: dark) { :root { --ink: #ecebe8; --paper: #17171a; --line: #77757f; --act: #9cc2ff; --on-act: #10203a; --bad: #ff9d96 } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 22rem }
main.wide { max-width: 34rem; align-self: start }
h2 { font-size: 1.125rem; line-height: 1.3; margin: 1.5rem 0 .6rem; padding: 1.25rem 0 0; border-top: 1px solid var(--line) }
ul { list-style: none; margin: 0 0 1rem; padding: 0 }
li { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; padding: .5rem 0 }
li > span { flex: 1 1 14rem; overflow-wrap: anywhere }
li div { display: flex; gap: .5rem }
li small { display: block }
.last { margin: 2rem 0 0; padding: 1.5rem 0 0; border-top: 1px solid var(--line) }
summary { cursor: pointer; font-weight: 600; padding: .4rem 0; color: var(--act) }
details { margin: .5rem 0 0 }
details[open] > summary { margin: 0 0 .6rem }
details > form { margin-bottom: 1.25rem }
h1 { font-size: 1.5rem; line-height: 1.2; margin: 0 0 .25rem }
p { margin: 0 0 1.25rem; overflow-wrap: anywhere }
label { display: block; font-weight: 600; margin: 0 0 .25rem }
input { width: 100%; font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .4rem; padding: .6rem .7rem; margin: 0 0 1rem }
input[readonly] { border-color: transparent; padding-inline: 0 }
button { width: 100%; font: inherit; font-weight: 600; color: var(--on-act); background: var(--act); border: 0; border-radius: .4rem; padding: .7rem }
input:focus-visible, button:focus-visible, summary:focus-visible, a:focus-visible { outline: 3px solid var(--act); outline-offset: 2px }
.plain { width: auto; color: inherit; background: transparent; border: 1px solid var(--line); padding: .45rem .9rem }
.plain:hover { border-color: var(--act) }
.danger { color: var(--paper); background: var(--bad) }
.check { display: flex; gap: .6rem; align-items: baseline; font-weight: 400; margin: 0 0 1rem }
.check input { width: auto; flex: none; margin: 0 }
.choice { text-align: start; margin: 0 0 .6rem; color: inherit; background: transparent; border: 1px solid var(--line) }
.choice:hover { border-color: var(--act) }
.choice small { display: block; font-weight: 400 }
a { color: var(--act) }
nav a { display: inline-block; padding: .2rem 0 }
.after { margin: 1rem 0 0 }
.logo { display: block; max-width: 12rem; max-height: 4rem; margin: 0 0 1.25rem }
[role=status] { font-weight: 600 }
[role=alert] { color: var(--bad); font-weight: 600 }
`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Embedded in each page, because every other path of this origin is a page. */
const ICON = `data:image/svg+xml,${encodeURIComponent(readFileSync(new URL('../pages/favicon.svg', import.meta.url), 'utf8').trim())}`

/** Allows our own style sheet, an organisation's if there is one, and `data:` images; no scripts, no framing. Forms may be sent
 *  to this origin and to `formTarget`, the origin of the app's callback. */
export const contentPolicy = (formTarget = '', styleHash: string | null = null): string =>
  `default-src 'none'; style-src 'sha256-${STYLE_HASH}'${styleHash === null ? '' : ` 'sha256-${styleHash}'`}; img-src data:; form-action ${`'self' ${formTarget}`.trim()}; frame-ancestors 'none'; base-uri 'none'`

/** `icon` is a data URL. */
type Of = { language: string; style: string; icon: string }

export const document = (
  title: string,
  body: string,
  width = '',
  { language, style, icon }: Of = { language: 'en', style: '', icon: ICON },
) =>
  `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><link rel="icon" href="${icon}"><style>${STYLE}</style>${style === '' ? '' : `<style>${style}</style>`}</head><body><main${width}>${body}</main></body></html>`

export function signInPage(
  app: string,
  action: string,
  problem: string | null,
  email: string,
  forgottenPath: string,
): string {
  const alert = problem === null ? '' : `<p role="alert" id="problem">${escaped(problem)}</p>`
  const focus = problem === null ? ' autofocus' : ' autofocus aria-describedby="problem"'
  return document(
    problem === null ? 'Sign in' : 'Sign in: please try again',
    `<h1>Sign in</h1><p>to ${escaped(app)}</p>${alert}<form method="post" action="${escaped(action)}">
<label for="email">E-mail address</label><input id="email" name="email" type="email" autocomplete="username" value="${escaped(email)}" required${email === '' ? focus : ''}>
<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required${email === '' ? '' : focus}>
<button>Sign in</button></form><p class="after"><a href="${escaped(forgottenPath)}">Forgot your password?</a></p>`,
  )
}

/** One button for each organisation. */
export function choicePage(
  action: string,
  memberships: readonly { org: string; name: string; role: string }[],
): string {
  const buttons = memberships.map(
    ({ org, name, role }) =>
      `<button class="choice" name="org" value="${escaped(org)}">${escaped(name)} <small>${escaped(org)}, ${escaped(role)}</small></button>`,
  )
  return document(
    'Choose an organisation',
    `<h1>Choose an organisation</h1><p>Which organisation do you want to use?</p><form method="post" action="${escaped(action)}">${buttons.join('\n')}</form>`,
  )
}

export type InvitationFacts = { org: string; email: string; role: string; invitedBy: string; hasPassword: boolean }

/** The e-mail field is there for password managers; the server uses the address of the invitation. */
export function invitationPage(facts: InvitationFacts, action: string, problem: string | null): string {
  const { org, email, role, invitedBy, hasPassword } = facts
  const alert = problem === null ? '' : `<p role="alert" id="problem">${escaped(problem)}</p>`
  const describedBy = problem === null ? '' : ' aria-describedby="problem"'
  const kind = hasPassword ? 'autocomplete="current-password"' : 'autocomplete="new-password" minlength="12"'
  const label = hasPassword ? 'Your password' : 'Choose a password (at least 12 characters)'
  return document(
    problem === null ? `Join ${org}` : `Join ${org}: please try again`,
    `<h1>Join ${escaped(org)}</h1><p>${escaped(invitedBy)} invited you to join as ${escaped(role)}.</p>${alert}<form method="post" action="${escaped(action)}">
<label for="email">E-mail address</label><input id="email" type="email" autocomplete="username" value="${escaped(email)}" readonly>
<label for="password">${label}</label><input id="password" name="password" type="password" ${kind} required autofocus${describedBy}>
<button>Join</button></form>`,
  )
}

export const joinedPage = (org: string, loginUrl: string): string =>
  document(
    `Welcome to ${org}`,
    `<h1>Welcome to ${escaped(org)}</h1><p>You are now a member.</p><p><a href="${escaped(loginUrl)}">Sign in</a></p>`,
  )

export function forgottenPage(action: string, problem: string | null): string {
  const alert = problem === null ? '' : `<p role="alert" id="problem">${escaped(problem)}</p>`
  const describedBy = problem === null ? '' : ' aria-describedby="problem"'
  return document(
    'Forgot your password?',
    `<h1>Forgot your password?</h1><p>We will send you a link to choose a new one.</p>${alert}<form method="post" action="${escaped(action)}">
<label for="email">E-mail address</label><input id="email" name="email" type="email" autocomplete="username" required autofocus${describedBy}>
<button>Send the link</button></form>`,
  )
}

/** The same for every address, so that it does not reveal who has an account. */
export const sentPage = (): string =>
  document(
    'Check your e-mail',
    '<h1>Check your e-mail</h1><p>If this address has an account, we have sent it a link. The link is valid for one hour.</p><p>No e-mail? Check your spam folder, or try again in a few minutes.</p>',
  )

/** The e-mail field is there for password managers. */
export function resetPage(email: string, action: string, problem: string | null): string {
  const alert = problem === null ? '' : `<p role="alert" id="problem">${escaped(problem)}</p>`
  const describedBy = problem === null ? '' : ' aria-describedby="problem"'
  return document(
    'Choose a new password',
    `<h1>Choose a new password</h1><p>This signs you out everywhere.</p>${alert}<form method="post" action="${escaped(action)}">
<label for="email">E-mail address</label><input id="email" type="email" autocomplete="username" value="${escaped(email)}" readonly>
<label for="password">New password (at least 12 characters)</label><input id="password" name="password" type="password" autocomplete="new-password" minlength="12" required autofocus${describedBy}>
<button>Change password</button></form>`,
  )
}

export const addressPage = (email: string, action: string): string =>
  document(
    'Your new e-mail address',
    `<h1>Your new e-mail address</h1><p>Do you want to sign in with ${escaped(email)} from now on?</p><form method="post" action="${escaped(action)}"><button>Use this address</button></form>`,
  )

/** `accountUrl` is where to sign in, if that is known. */
export const addressSignInPage = (accountUrl: string | null): string =>
  document(
    'Sign in first',
    `<h1>Sign in first</h1><p>In this browser, sign in to the account that requested this change. Then open the link again.</p>${accountUrl === null ? '' : `<p><a href="${escaped(accountUrl)}">Sign in</a></p>`}`,
  )

export const addressDonePage = (email: string, loginUrl: string): string =>
  document(
    'Your e-mail address was changed',
    `<h1>Your e-mail address was changed</h1><p>You now sign in with ${escaped(email)}.</p><p><a href="${escaped(loginUrl)}">Sign in to Stoa</a></p>`,
  )

export const resetDonePage = (loginUrl: string): string =>
  document(
    'Your password was changed',
    `<h1>Your password was changed</h1><p>Go back to the app and sign in with your new password.</p><p><a href="${escaped(loginUrl)}">Sign in to Stoa</a></p>`,
  )

/** `form` comes from oidc-provider and contains its CSRF token; our button submits it. */
export const logoutPage = (form: string): string =>
  document(
    'Sign out',
    `<h1>Sign out?</h1><p>You will be signed out of every app you signed in to in this browser.</p>${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button>`,
  )

/** Replaces a page of oidc-provider that submits a form by script with one that has a button. Null for other pages. */
export function continuePage(html: string): string | null {
  const form = html.match(/<form.*?<\/form>/s)?.[0]
  if (!html.includes('document.forms[0].submit()') || form === undefined) return null
  const inputs = form.replace(/<noscript>.*?<\/noscript>/s, '<button>Continue</button>')
  return document(
    'Continue',
    `<h1>One more step</h1><p>If you continue, any other account in this browser is signed out.</p>${inputs}`,
  )
}

export const loggedOutPage = (): string =>
  document('Signed out', '<h1>Signed out</h1><p>You can close this page now.</p>')

/** Shows a text of ours or from oidc-provider, never one from the request. */
export const problemPage = (title: string, says: string): string =>
  document(title, `<h1>${escaped(title)}</h1><p>${escaped(says)}</p>`)

/** The page for every other path of this origin. */
export const NOTHING_HERE = document(
  'Stoa sign-in',
  '<h1>Stoa sign-in</h1><p>This address is only for signing in. Open the app you want to use and sign in from there.</p><p><a href="/account">Your account</a></p>',
)

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, char => `&#${char.charCodeAt(0)};`)
}
