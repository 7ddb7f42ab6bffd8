// Plays the part of customers: they register, sign in and enter codes in a browser.
import assert from 'node:assert/strict'
import type { TestHost } from './host.ts'
import type { Browser, Identity, RegisteredApp } from './identity.ts'

export const PASSWORD = 'walnut-desk-twelve-green'

type Tokens = { access_token: string; id_token: string; refresh_token: string }

export function customersOf(host: TestHost, identity: Identity, app: RegisteredApp) {
  let count = 0
  const newAddress = () => `customer${++count}@example.com`
  const mailsTo = (email: string) => host.mails.filter(({ to }) => to === email)
  /** The last code that was mailed to an address. */
  const codeTo = (email: string) =>
    mailsTo(email)
      .at(-1)
      ?.text.match(/^ {4}(\d{6})$/m)?.[1] ?? ''

  /** Opens the sign-in of an app, at a step. */
  async function open(step = '', browser: Browser = identity.browser(), at: RegisteredApp = app) {
    const begun = await at.begin()
    const first = await browser.go(begun.url)
    const { pathname } = new URL(first.url)
    const go = (name: string) => browser.go(`${identity.issuer}${pathname}${name && `/${name}`}`)
    return { ...begun, browser, go, pathname, page: step === '' ? first : await go(step) }
  }
  type Opened = Awaited<ReturnType<typeof open>>

  /** The tokens for the code with which a browser returns to the app. */
  async function redeem({ verifier }: Pick<Opened, 'verifier'>, url: string, at: RegisteredApp = app): Promise<Tokens> {
    const code = new URL(url).searchParams.get('code')
    assert.ok(code, url)
    const { status, body } = await at.redeem(code, verifier)
    assert.equal(status, 200, JSON.stringify(body))
    return body as Tokens
  }

  /** Fills the form of a step, and enters the code that is mailed. */
  async function byCode(step: 'register' | 'code' | 'reset', email: string, fields: Record<string, string> = {}) {
    const opened = await open(step)
    const asked = await opened.browser.submit(opened.page, { email, ...(step === 'register' ? fields : {}) })
    assert.equal(asked.status, 200, asked.text)
    const entered = { code: codeTo(email), ...(step === 'reset' ? fields : {}) }
    return { ...opened, back: await opened.browser.submit(asked, entered) }
  }

  async function register(email = newAddress(), password = PASSWORD) {
    const opened = await byCode('register', email, { name: 'Ada Lovelace', password })
    const tokens = await redeem(opened, opened.back.url)
    return { ...opened, email, password, tokens, claims: claimsOf(tokens.id_token) }
  }

  /** Registers without a password. */
  const registerByCode = (email = newAddress()) => register(email, '')

  /** As if the customer had signed in earlier, everywhere. */
  const ageSignIns = (user: string, minutes: number) => host.db`update oidc
    set payload = payload || jsonb_build_object('loginTs', (payload->>'loginTs')::bigint - ${minutes * 60}::int)
    where user_id = ${user} and model = 'Session'`

  return { newAddress, mailsTo, codeTo, open, redeem, byCode, register, registerByCode, ageSignIns }
}

export const claimsOf = (token: string): Record<string, unknown> & { sub: string } =>
  JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
