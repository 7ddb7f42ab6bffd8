// Customers' sign-ins while the process is killed, while the database is suspended, and with two processes.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Agent, fetch as undiciFetch } from 'undici'
import { seededRandom, systemRandom } from '../../src/engines/random/random.ts'
import { customersOf, PASSWORD } from '../customers.ts'
import { eventually } from '../eventually.ts'
import { externalPostgres } from '../external.ts'
import type { RequestOptions, TestHost } from '../host.ts'
import { type Identity, openBrowser, type Page, registerApp } from '../identity.ts'
import { client, databasePids, firstRunOf, freePort, freshDirectory, killTree, start, up } from '../process.ts'

const seed = process.env.STOA_CRASH_SEED ?? systemRandom.token(8)
const random = seededRandom(seed)
const below = (bound: number) => random.bytes(4).readUInt32LE() % bound

/** The mails of a data directory, oldest first. */
function mailsIn(data: string): { to: string; text: string }[] {
  const directory = join(data, 'mail')
  return readdirSync(directory)
    .sort()
    .map(name => readFileSync(join(directory, name), 'utf8').replaceAll('\r', ''))
    .map(text => ({ to: text.match(/^To: (.*)$/m)?.[1] ?? '', text }))
}

type Settings = Record<string, string>

/** A process with an app at which everybody may register. Its ports stay the same. */
async function openShop(t: TestContext, more: Settings = {}) {
  const data = freshDirectory(t)
  const settings: Settings = { STOA_DATA: data, STOA_PORT: await freePort(), STOA_IAM_PORT: await freePort(), ...more }
  let running = start(settings)
  const baseUrl = await up(running)
  const { home, iamUrl: issuer } = firstRunOf(data)
  const agent = new Agent({ connect: { ca: readFileSync(join(data, 'tls/ca.pem'), 'utf8') } })
  t.after(() => agent.destroy())
  const fetch = ((url: string, init?: object) =>
    undiciFetch(url, { ...init, dispatcher: agent } as never)) as unknown as typeof globalThis.fetch
  const call = async (route: string, { as = home.key, body }: RequestOptions = {}) => {
    const { call: send, close } = client(data, baseUrl, `${as}`)
    return send(route, body).finally(close)
  }
  const host = {
    home,
    call,
    get mails() {
      return mailsIn(data)
    },
  } as unknown as TestHost
  const identity = { issuer, fetch, browser: () => openBrowser(fetch) } as Identity
  const app = await registerApp(host, identity, { app: 'shop', more: { people: 'users', signUp: 'open' } })
  async function killAndStart(): Promise<void> {
    await killTree(running, data)
    assert.doesNotMatch(running.errors(), /^(stoa: |\{"level":[56]0)/m)
    running = start(settings)
    await up(running)
  }
  const accountsOf = async (email: string): Promise<number> =>
    (await call(`GET /v1/iam/users?search=${encodeURIComponent(email)}`)).body.data.length
  return {
    ...{ data, settings, home, issuer, identity, app, call, killAndStart, accountsOf },
    ...customersOf(host, identity, app),
  }
}

/** Null if the connection was cut off. */
const unlessCut = (sent: Promise<Page>): Promise<Page | null> =>
  sent.catch(error => {
    if (!/^(fetch failed|terminated)$/.test(error.message)) throw error
    return null
  })

describe(`kill -9 while customers register (repeat with STOA_CRASH_SEED=${seed})`, () => {
  it('leaves an account or none, and every customer can sign in', { timeout: 600_000 }, async t => {
    const shop = await openShop(t)
    const counts = { 'cut off': 0, answered: 0, 'with an account': 0, 'code used again': 0 }
    for (let round = 0; round < 8; round++) {
      const email = shop.newAddress()
      const opened = await shop.open('register')
      const asked = await opened.browser.submit(opened.page, { email, name: 'Ada', password: PASSWORD })
      const entering = { code: shop.codeTo(email) }
      const sent = unlessCut(opened.browser.submit(asked, entering))
      await wait(below(8) + round * 5)
      await shop.killAndStart()
      const answer = await sent
      counts[answer === null ? 'cut off' : 'answered']++
      const accounts = await shop.accountsOf(email)
      assert.ok(accounts <= 1)
      if (answer?.url.startsWith(shop.app.callback)) assert.equal(accounts, 1, 'what was answered is stored')
      counts['with an account'] += accounts
      // The browser sends the form again.
      const again = answer ?? (await opened.browser.submit(asked, entering))
      if (again.url.startsWith(shop.app.callback)) {
        if (answer === null) counts['code used again']++
        await shop.redeem(opened, again.url)
      } else {
        assert.equal(again.status, 400, again.text)
        assert.equal(await shop.accountsOf(email), 1, 'a code that is no longer valid has created the account')
      }
      const { claims } = await shop.app.signIn({ email, password: PASSWORD })
      assert.equal(claims.email, email)
      assert.equal(await shop.accountsOf(email), 1)
    }
    t.diagnostic(JSON.stringify(counts))
    assert.ok(counts['cut off'] > 0, 'no answer was cut off; the test proved little')
  })
})

describe('a database that stands still for 40 s', () => {
  it('fails the sign-ins during it, and none after it', { timeout: 300_000 }, async t => {
    const shop = await openShop(t, { STOA_DB_WAIT_S: '5' })
    const { email } = await shop.register()
    const waiting = await Promise.all(Array.from({ length: 8 }, () => shop.open())) // Ten attempts may be counted.
    const asked = await shop.open('code')
    const codePage = await asked.browser.submit(asked.page, { email })
    const entering = { code: shop.codeTo(email) }
    const pids = databasePids(shop.data)
    const signalAll = (signal: NodeJS.Signals) => {
      for (const pid of pids) process.kill(pid, signal)
    }
    signalAll('SIGSTOP')
    const sent = waiting.map(({ browser, page }) => browser.submit(page, { email, password: PASSWORD }))
    const code = asked.browser.submit(codePage, entering)
    await wait(40_000)
    signalAll('SIGCONT')
    const answers = await Promise.all(sent)
    for (const { status, url, text } of [...answers, await code]) {
      assert.ok(status === 503 || url.startsWith(shop.app.callback), `${status} ${url} ${text}`)
    }
    await eventually(
      () => shop.call('GET /v1/iam/users?limit=1').catch(() => null),
      answer => answer?.status === 200,
    )
    // Refused customers try again with the password and the code.
    for (const [at, { browser, page, verifier }] of waiting.entries()) {
      if (answers[at]?.status !== 503) continue
      const back = await browser.submit(page, { email, password: PASSWORD })
      assert.ok(back.url.startsWith(shop.app.callback), `${at}: ${back.status} ${back.text}`)
      await shop.redeem({ verifier }, back.url)
    }
    const again = (await code).status === 503 ? await asked.browser.submit(codePage, entering) : await code
    if (!again.url.startsWith(shop.app.callback)) assert.match(again.text, /no longer valid|ended/, again.text)
    assert.equal(await shop.accountsOf(email), 1)
  })
})

describe('two processes', () => {
  it('redeem a code once, and count the same attempts', { timeout: 300_000 }, async t => {
    const external = await externalPostgres()
    if ('missing' in external) return t.skip(external.missing)
    t.after(external.stop)
    const shared = { DATABASE_URL: external.url, STOA_ROOT_KEY: Buffer.alloc(32, 7).toString('base64') }
    const port = await freePort()
    const iamUrl = `https://localhost:${port}`
    const shop = await openShop(t, { ...shared, STOA_IAM_PORT: port, STOA_IAM_URL: iamUrl })
    const data = freshDirectory(t)
    const secondPort = await freePort()
    await up(start({ ...shared, STOA_DATA: data, STOA_IAM_PORT: secondPort, STOA_IAM_URL: iamUrl }))
    const agent = new Agent({ connect: { ca: readFileSync(join(data, 'tls/ca.pem'), 'utf8') } })
    t.after(() => agent.destroy())
    const second = ((url: string, init?: object) =>
      undiciFetch(url.replace(`:${port}/`, `:${secondPort}/`), { ...init, dispatcher: agent } as never)) as never

    const email = shop.newAddress()
    const opened = await shop.open('register')
    const asked = await opened.browser.submit(opened.page, { email, name: 'Ada', password: PASSWORD })
    const code = shop.codeTo(email)
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, at) => {
        const browser = openBrowser(at % 2 === 0 ? shop.identity.fetch : second, opened.browser.jar)
        return browser.submit(asked, { code })
      }),
    )
    const back = answers.filter(({ url }) => url.startsWith(shop.app.callback))
    assert.equal(back.length, 1, answers.map(({ status, url }) => `${status} ${url}`).join('\n'))
    await shop.redeem(opened, back[0]?.url as string)
    assert.equal(await shop.accountsOf(email), 1)

    const wrong = await shop.open('code')
    const page = await wrong.browser.submit(wrong.page, { email })
    const right = shop.codeTo(email)
    const other = right === '000000' ? '000001' : '000000'
    for (let at = 0; at < 5; at++) {
      const browser = openBrowser(at % 2 === 0 ? shop.identity.fetch : second, wrong.browser.jar)
      assert.equal((await browser.submit(page, { code: other })).status, 400)
    }
    const late = await wrong.browser.submit(page, { code: right })
    assert.equal(late.status, 400, 'five attempts in all')
  })
})
