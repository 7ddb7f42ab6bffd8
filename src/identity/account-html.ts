// The HTML of the account page.
import type { AccountFacts } from '../services/iam/public.ts'
import { focusIf, formsOf, type Shown, timesIn } from './account-forms.ts'
import { document, escaped } from './pages.ts'
import { PATHS } from './provider.ts'
import { FORGOTTEN_PATH } from './reset.ts'

/** The message after each change. */
const DONE = new Map([
  ['name', 'Your name was saved.'],
  ['password', 'Your password was changed. You are signed out everywhere else.'],
  ['email', 'We sent an e-mail to the new address. The link in it is valid for one hour.'],
  ['accept', 'You have joined the organisation.'],
  ['decline', 'You declined the invitation.'],
  ['end', 'That session was signed out.'],
  ['end-others', 'You are signed out everywhere else.'],
])

export function accountPage(facts: AccountFacts, shown: Shown): string {
  const { email, name, emailVerified, isPlanted } = facts
  const who = `<h1>Your account</h1><p>${escaped(name === '' ? email : `${name}, ${email}`)}${emailVerified ? '' : ' (not confirmed)'}</p>`
  const sections = isPlanted ? [chooseYourOwn] : [nameForm, passwordForm, emailForm, organisations, browsers]
  const body = sections.map(section => section(facts, shown)).join('')
  return document('Your account', `${who}${statusOf(shown, DONE)}${body}${SIGN_OUT}`, ' class="wide"')
}

const { statusOf, formTo, details, browserRows } = formsOf({ query: '', fields: ['/name', '/password', '/email'] })

const chooseYourOwn = () =>
  `<p>An admin of your organisation chose your password and may know it. To use this page, choose your own: we will send a link to your e-mail address.</p><p><a href="${FORGOTTEN_PATH}">Choose a password</a></p>`

const SIGN_OUT = `<form class="last" method="get" action="${PATHS.logout}"><button class="plain">Sign out</button></form>`

function nameForm({ name }: AccountFacts, shown: Shown): string {
  const field = `<label for="name">Name</label><input id="name" name="name" autocomplete="name" maxlength="120" value="${escaped(name)}" required${focusIf(shown, '/name')}>`
  return `<h2>Your name</h2>${formTo('/name', shown, `${field}<button class="plain">Save name</button>`)}`
}

function passwordForm({ email }: AccountFacts, shown: Shown): string {
  const fields = `<input hidden autocomplete="username" value="${escaped(email)}"><label for="current">Current password</label><input id="current" name="current" type="password" autocomplete="current-password" required${focusIf(shown, '/password')}>
<label for="password">New password (at least 12 characters)</label><input id="password" name="password" type="password" autocomplete="new-password" minlength="12" required>
<button>Change password</button>`
  return details('Change password', '/password', shown, fields)
}

function emailForm(_facts: AccountFacts, shown: Shown): string {
  const fields = `<label for="email">New e-mail address</label><input id="email" name="email" type="email" autocomplete="email" required${focusIf(shown, '/email')}>
<label for="email-password">Your password</label><input id="email-password" name="current" type="password" autocomplete="current-password" required>
<button>Send a link to this address</button>`
  return details('Change e-mail address', '/email', shown, fields)
}

function organisations({ memberships, invitations }: AccountFacts, shown: Shown): string {
  const joined = memberships.map(
    ({ org, name, role }) => `<li><span>${escaped(name)} <small>${escaped(org)}, ${escaped(role)}</small></span></li>`,
  )
  const invited = invitations.map(({ id, org, name, role, invitedBy }) => {
    const button = (path: string, text: string) =>
      formTo(
        path,
        shown,
        `<button class="plain" name="id" value="${escaped(id)}" aria-label="${text} ${escaped(name)}">${text}</button>`,
      )
    return `<li><span>${escaped(name)} <small>${escaped(org)}, as ${escaped(role)}, invited by ${escaped(invitedBy)}</small></span><div>${button('/accept', 'Join')}${button('/decline', 'Decline')}</div></li>`
  })
  const list = joined.length === 0 ? '<p>You do not belong to any organisation.</p>' : `<ul>${joined.join('')}</ul>`
  const invites = invited.length === 0 ? '' : `<h2>Invitations</h2><ul>${invited.join('')}</ul>`
  return `${invites}<h2>Organisations</h2>${list}`
}

function browsers({ browsers }: AccountFacts, shown: Shown): string {
  const named = browsers.map(({ apps, ...browser }) => ({
    ...browser,
    name: [...new Set(apps.map(({ app, org }) => `${app} (${org})`))].join(', ') || 'no app',
  }))
  const others = formTo('/end-others', shown, '<button class="plain">Sign out everywhere else</button>')
  return `<h2>Where you are signed in</h2>${browserRows(named, shown, BROWSERS)}${named.length > 1 ? others : ''}`
}

const BROWSERS = {
  end: 'Sign out',
  endOf: (at: string) => `Sign out the session started on ${at}`,
  since: 'since',
  here: ' (this browser)',
  at: timesIn('en-GB'),
}
