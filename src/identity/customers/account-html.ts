// The HTML of the customers' account page, with the app's branding.
import type { CustomerFacts } from '../../services/iam/public.ts'
import { focusIf, formsOf, type Shown, timesIn } from '../account-forms.ts'
import { escaped } from '../pages.ts'
import { PATHS } from '../provider.ts'
import { queryFor } from './account-url.ts'
import type { Look } from './look.ts'
import { customerPage, links } from './pages.ts'
import type { Texts } from './texts.ts'

export type AccountPageOf = {
  look: Look
  texts: Texts
  /** The client id of the app. */
  app: string
  /** The URL of the app. */
  home: string | null
  /** Where customers sign in again before returning to the page. */
  againUrl: string
}

type Part = AccountPageOf & { facts: CustomerFacts; shown: Shown } & ReturnType<typeof formsOf>

export function customerAccountPage(of: AccountPageOf, facts: CustomerFacts, shown: Shown): string {
  const { look, texts, app } = of
  const { account } = texts
  const forms = formsOf({ query: queryFor(app), fields: ['/name', '/password', '/email', '/delete'] })
  const part: Part = { ...of, ...forms, facts, shown }
  const done = new Map(
    (['name', 'password', 'email'] as const).map(name => [name as string, account[name].done] as const),
  ).set('end', account.browsers.done)
  const email = facts.emailVerified ? facts.email : account.unconfirmed(facts.email)
  const who = account.at(facts.name === '' ? email : `${facts.name}, ${email}`, look.name)
  const sections = [nameForm, passwordForm, emailForm, browsers, deletion, signOut].map(section => section(part))
  const body = [forms.statusOf(shown, done), ...sections, homeLink(of)].join('')
  const problem = null // The form shows it.
  return customerPage({ look, texts, problem }, account.title, who, body, ' class="wide"')
}

const homeLink = ({ home, look, texts }: AccountPageOf) =>
  home === null ? '' : links([[home, texts.account.back(look.name)]])

function nameForm({ facts, shown, texts, formTo }: Part): string {
  const { title, label, button } = texts.account.name
  const field = `<label for="name">${escaped(label)}</label><input id="name" name="name" autocomplete="name" maxlength="120" value="${escaped(facts.name)}" required${focusIf(shown, '/name')}>`
  return `<h2>${escaped(title)}</h2>${formTo('/name', shown, `${field}<button class="plain">${escaped(button)}</button>`)}`
}

/** A form that requires the current password or, without one, a recent sign-in. */
function provenForm(part: Part, path: string, title: string, fields: string, button: string, says = ''): string {
  const { facts, shown, texts, againUrl, details } = part
  const { again, current } = texts.account
  if (!facts.hasPassword && !facts.isRecent) {
    return `<details${shown.form === path ? ' open' : ''}><summary>${escaped(title)}</summary>${says}<p>${escaped(again.says)}</p><p><a href="${escaped(againUrl)}">${escaped(again.link)}</a></p></details>`
  }
  const id = `current-${path.slice(1)}`
  const proof = facts.hasPassword
    ? `<label for="${id}">${escaped(current)}</label><input id="${id}" name="current" type="password" autocomplete="current-password" required${focusIf(shown, path)}>`
    : ''
  return details(title, path, shown, `${says}${proof}${fields}${button}`)
}

function passwordForm(part: Part): string {
  const { facts, texts } = part
  const { title, choose, label, button } = texts.account.password
  const fields = `<input hidden autocomplete="username" value="${escaped(facts.email)}"><label for="password">${escaped(label)}</label><input id="password" name="password" type="password" autocomplete="new-password" minlength="12" required>`
  return provenForm(
    part,
    '/password',
    facts.hasPassword ? title : choose,
    fields,
    `<button>${escaped(button)}</button>`,
  )
}

function emailForm(part: Part): string {
  const { title, label, button } = part.texts.account.email
  const field = `<label for="email">${escaped(label)}</label><input id="email" name="email" type="email" autocomplete="email" required>`
  return provenForm(part, '/email', title, field, `<button>${escaped(button)}</button>`)
}

function deletion(part: Part): string {
  const { title, says, confirm, button } = part.texts.account.delete
  const fields = `<label class="check"><input type="checkbox" name="confirm" value="yes" required> ${escaped(confirm)}</label>`
  const danger = `<button class="danger">${escaped(button)}</button>`
  return `<div class="last">${provenForm(part, '/delete', title, fields, danger, `<p>${escaped(says)}</p>`)}</div>`
}

function browsers({ facts, shown, texts, browserRows, formTo }: Part): string {
  const own = texts.account.browsers
  const named = facts.browsers.map(({ apps, ...browser }) => ({
    ...browser,
    name: [...new Set(apps.map(({ app }) => app))].join(', ') || own.none,
  }))
  const rows = browserRows(named, shown, { ...own, at: timesIn(texts.language) })
  const everywhere = formTo('/everywhere', shown, `<button class="plain">${escaped(own.everywhere)}</button>`)
  return `<h2>${escaped(own.title)}</h2>${rows}${everywhere}`
}

const signOut = ({ app, texts }: Part) =>
  `<form class="last" method="get" action="${PATHS.logout}"><input type="hidden" name="client_id" value="${escaped(app)}"><button class="plain">${escaped(texts.account.signOut)}</button></form>`

/** The page shown after the customer was signed out. */
export function farewellPage(of: AccountPageOf, why: 'deleted' | 'everywhere' | 'failed', accountUrl: string): string {
  const { look, texts, home } = of
  const { browsers, delete: deletion, failed } = texts.account
  const [title, says, link] = {
    deleted: [deletion.deleted, deletion.deletedSays, null] as const,
    everywhere: [browsers.left, browsers.leftSays, browsers.signIn] as const,
    failed: [failed.title, failed.says, failed.link] as const,
  }[why]
  const all = [
    ...(link === null ? [] : [[accountUrl, link] as const]),
    ...(home === null ? [] : [[home, texts.account.back(look.name)] as const]),
  ]
  return customerPage({ look, texts, problem: null }, title, says, links(all))
}
