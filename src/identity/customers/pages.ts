// The pages on which customers sign in: plain HTML without scripts, with the organisation's branding.
import { document, escaped } from '../pages.ts'
import type { Look } from './look.ts'
import type { Texts } from './texts.ts'

/** What every page needs: its look, its texts and the path of its sign-in. */
export type Page = { look: Look; texts: Texts; path: string; problem: string | null }

/** An empty icon: customers' pages must not show Stoa's, and without one browsers would request `/favicon.ico`. */
const NO_ICON = 'data:,'

const alertOf = (problem: string | null) =>
  problem === null ? '' : `<p role="alert" id="problem">${escaped(problem)}</p>`
const described = (problem: string | null) => (problem === null ? '' : ' aria-describedby="problem"')

export function customerPage(
  { look, texts, problem }: Omit<Page, 'path'>,
  title: string,
  says: string,
  body: string,
  width = '',
): string {
  const logo = look.logo === null ? '' : `<img class="logo" src="${escaped(look.logo)}" alt="${escaped(look.name)}">`
  const shown = problem === null ? title : `${title}: ${texts.problem.again}`
  const main = `${logo}<h1>${escaped(title)}</h1><p>${escaped(says)}</p>${alertOf(problem)}${body}`
  const { language } = texts
  return document(`${shown} · ${look.name}`, main, width, { language, style: look.style, icon: NO_ICON })
}

const form = (action: string, fields: string, button: string) =>
  `<form method="post" action="${escaped(action)}">${fields}<button>${escaped(button)}</button></form>`

function emailField({ texts, problem }: Page, email: string, isFocused = true): string {
  const focus = isFocused ? ` autofocus${described(problem)}` : ''
  return `<label for="email">${escaped(texts.field.email)}</label><input id="email" name="email" type="email" autocomplete="username" value="${escaped(email)}" required${focus}>`
}

export const links = (all: readonly (readonly [href: string, text: string])[]) =>
  `<nav>${all.map(([href, text]) => `<p class="after"><a href="${escaped(href)}">${escaped(text)}</a></p>`).join('')}</nav>`

export function customerSignInPage(shown: Page, email: string, mayRegister: boolean): string {
  const { look, texts, path, problem } = shown
  const { signIn, field } = texts
  const focus = email === '' ? '' : ` autofocus${described(problem)}`
  const fields = `${emailField(shown, email, email === '')}
<label for="password">${escaped(field.password)}</label><input id="password" name="password" type="password" autocomplete="current-password" required${focus}>`
  const ways = [
    [`${path}/code`, signIn.byCode],
    [`${path}/reset`, signIn.forgotten],
    ...(mayRegister ? [[`${path}/register`, signIn.register] as const] : []),
  ] as const
  return customerPage(shown, signIn.title, signIn.to(look.name), form(path, fields, signIn.button) + links(ways))
}

export function registerPage(shown: Page, { email, name }: { email: string; name: string }): string {
  const { look, texts, path } = shown
  const { register, field } = texts
  const fields = `${emailField(shown, email)}
<label for="name">${escaped(field.name)}</label><input id="name" name="name" autocomplete="name" maxlength="120" value="${escaped(name)}">
<label for="password">${escaped(field.optionalPassword)}</label><input id="password" name="password" type="password" autocomplete="new-password" minlength="12">`
  const body = form(`${path}/register`, fields, register.button) + links([[path, register.have]])
  return customerPage(shown, register.title, register.at(look.name), body)
}

/** Asks for the address to which a code is sent. */
export function askAddressPage(shown: Page, way: 'code' | 'reset', email: string): string {
  const { texts, path } = shown
  const { title, says, button } = way === 'code' ? texts.byCode : texts.reset
  const body = form(`${path}/${way}`, emailField(shown, email), button) + links([[path, texts.signIn.byPassword]])
  return customerPage(shown, title, says, body)
}

/** Asks whether to use the address to which the link was mailed. */
export const customerAddressPage = ({ look, texts }: Dress, email: string, action: string): string =>
  customerPage(
    { look, texts, problem: null },
    texts.address.title,
    texts.address.says(email),
    form(action, '', texts.address.button),
  )

/** Asks to sign in to the account that requested the change. */
export const customerAddressSignInPage = ({ look, texts }: Dress, account: string): string =>
  customerPage(
    { look, texts, problem: null },
    texts.address.signIn,
    texts.address.signInSays,
    links([[account, texts.signIn.button]]),
  )

export function customerAddressDonePage({ look, texts }: Dress, email: string, account: string): string {
  const { done, doneSays, link } = texts.address
  return customerPage({ look, texts, problem: null }, done, doneSays(email), links([[account, link]]))
}

type Dress = Pick<Page, 'look' | 'texts'>

export type Entering = { email: string; isReset: boolean }

/** Asks for the code, and for a new password if the code is for that. */
export function enterPage(shown: Page, { email, isReset }: Entering): string {
  const { look, texts, path, problem } = shown
  const { enter, field } = texts
  const password = isReset
    ? `<input hidden autocomplete="username" value="${escaped(email)}"><label for="password">${escaped(field.newPassword)}</label><input id="password" name="password" type="password" autocomplete="new-password" minlength="12" required>`
    : ''
  const fields = `<label for="code">${escaped(field.code)}</label><input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]*" maxlength="12" title="${escaped(enter.digits)}" required autofocus${described(problem)}>${password}`
  const again = `<form class="after" method="post" action="${escaped(`${path}/again`)}"><button class="plain">${escaped(enter.again)}</button></form>`
  const body = form(`${path}/enter`, fields, enter.button) + again + links([[path, enter.otherAddress]])
  return customerPage(
    shown,
    enter.title,
    isReset ? enter.resetSays(email, look.name) : enter.says(email, look.name),
    body,
  )
}
