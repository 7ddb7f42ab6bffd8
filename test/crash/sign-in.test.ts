// Kills the whole process tree at every step of a sign-in. Issued tokens must stay valid, no code may be redeemed
// twice, people can continue, and the list of sign-ins must have no unusable rows.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { Agent, fetch as undiciFetch } from 'undici'
import { seededRandom, systemRandom } from '../../src/engines/random/random.ts'
import type { Answer, RequestOptions, TestHost } from '../host.ts'
import { type Browser, type Identity, openBrowser, type Page, plantPerson, registerApp } from '../identity.ts'
import { client as caller, firstRunOf, freePort, freshDirectory, killTree, start, up } from '../process.ts'

const GRACE_MS = 30_000
const seed = process.env.STOA_CRASH_SEED ?? systemRandom.token(8)

type Fixture = Awaited<ReturnType<typeof openFixture>>

/** A running Stoa with one app and one person, on ports that stay the same across restarts. */
async function openFixture(t: TestContext) {
  const data = freshDirectory(t)
  const settings = { STOA_DATA: data, STOA_PORT: await freePort(), STOA_IAM_PORT: await freePort() }
  let running = start(settings)
  const baseUrl = await up(running)
  const { home, iamUrl: issuer } = firstRunOf(data)
  const agent = new Agent({ connect: { ca: readFileSync(join(data, 'tls/ca.pem'), 'utf8') } })
  t.after(() => agent.destroy())
  const fetch = ((url: string, init?: object) =>
    undiciFetch(url, { ...init, dispatcher: agent } as never)) as unknown as typeof globalThis.fetch

  const call = async (route: string, { as = home.key, body }: RequestOptions = {}) => {
    const { call: send, close } = caller(data, baseUrl, `${as}`)
    return send(route, body).finally(close)
  }
  const host = { home, call } as unknown as TestHost
  const web = await registerApp(host, { issuer, fetch } as Identity, { app: 'web' })
  const ada = await plantPerson(host, 'ada@home.test')

  /** Also asserts that nothing else went wrong: no failed start, no server error. */
  async function killAndStart(): Promise<void> {
    await killTree(running, data)
    assert.doesNotMatch(running.errors(), /^(stoa: |\{"level":[56]0)/m)
    running = start(settings)
    await up(running)
  }
  const me = async (token: string) => (await call('GET /v1/iam/me', { as: token })).status
  const rows = async (): Promise<Answer['body'][]> => (await call('GET /v1/iam/sessions?limit=200')).body.data
  return { issuer, fetch, web, ada, killAndStart, me, rows, ...ledger(), browser: () => openBrowser(fetch) }
}

/** `valid`: tokens that must be accepted, by sign-in. `ended`: tokens that must be rejected. `unusable`: sign-ins that
 *  are  listed without tokens, with the scenario that left them. */
function ledger() {
  const valid = new Map<string, string[]>()
  const ended: string[] = []
  const unusable = new Map<string, string>()
  const keep = (token: string) => valid.set(signInOf(token), [...(valid.get(signInOf(token)) ?? []), token])
  const end = (token: string) => {
    ended.push(...(valid.get(signInOf(token)) ?? []), token)
    valid.delete(signInOf(token))
  }
  const counts = { kills: 0, answered: 0, 'cut off': 0, restarted: 0, 'codes redeemed after the kill': 0 }
  return { valid, ended, unusable, scenario: '', keep, end, counts }
}

/** The public id of the sign-in that a token belongs to. */
function signInOf(token: string): string {
  return `sin_${hash('sha256', `${decodeJwt(token).sid}`).slice(0, 32)}`
}

/** Asserts that every issued token is accepted or rejected as expected, and that each sign-in is listed once. A sign-in
 *  in  progress may be listed too; if there is none, a listed sign-in without tokens is unusable. */
async function assertConsistent(fixture: Fixture, inProgress: 0 | 1): Promise<void> {
  const { valid, ended, unusable, me, rows, ada, web } = fixture
  for (const token of [...valid.values()].flat()) assert.equal(await me(token), 200, 'an issued token is valid')
  for (const token of ended) assert.equal(await me(token), 401, 'a token of an ended sign-in is rejected')
  const listed = await rows()
  for (const { user, email, app } of listed) assert.deepEqual([user, email, app], [ada.user, ada.email, web.id])
  const ids = listed.map(({ id }) => id as string)
  assert.equal(new Set(ids).size, ids.length, 'no sign-in is listed twice')
  for (const id of valid.keys()) assert.ok(ids.includes(id), 'a sign-in with tokens is listed')
  const others = ids.filter(id => !valid.has(id) && !unusable.has(id))
  assert.ok(others.length <= 1, `one kill left ${others.length} sign-ins in progress`)
  // Reported at the end, so that one such row does not hide other failures.
  if (inProgress === 0) for (const id of others) unusable.set(id, fixture.scenario)
}

/** Kills the process `delayMs` after `sent` and starts it again. Returns the response, or null if it was cut off. */
async function crash<T>(fixture: Fixture, sent?: Promise<T>, delayMs = 0): Promise<T | null> {
  const outcome = sent?.catch(error => {
    // undici's messages for a broken connection; every other error fails the test.
    if (!/^(fetch failed|terminated)$/.test(error.message)) throw error
    return null
  })
  if (sent) await wait(delayMs)
  await fixture.killAndStart()
  const response = (await outcome) ?? null
  fixture.counts.kills++
  if (sent) fixture.counts[response === null ? 'cut off' : 'answered']++
  return response
}

const isBack = ({ web }: Fixture, page: Page) => page.url.startsWith(`${web.callback}?`)
type Entered = Pick<Awaited<ReturnType<Fixture['web']['begin']>>, 'url' | 'checks'>

async function atForm({ web, browser }: Fixture, person = browser()) {
  const begun = await web.begin()
  const form = await person.go(begun.url)
  assert.match(form.text, /<form/)
  return { person, begun, form }
}

/** Redeems the code, and records the tokens as valid. */
async function finish(fixture: Fixture, { url, checks }: Entered) {
  const tokens = await client.authorizationCodeGrant(fixture.web.configuration, new URL(url), checks)
  fixture.keep(tokens.access_token)
  return tokens
}

const signIn = async (fixture: Fixture, person: Browser) =>
  finish(fixture, await fixture.web.enter(fixture.ada, person))

async function killedAtForm(fixture: Fixture): Promise<void> {
  const { person, begun, form } = await atForm(fixture)
  await crash(fixture)
  await assertConsistent(fixture, 0)
  const back = await person.submit(form, fixture.ada)
  assert.ok(isBack(fixture, back), `the form still works: ${back.status} ${back.text}`)
  await finish(fixture, { ...begun, url: back.url })
}

async function killedWithPassword(fixture: Fixture, delayMs: number): Promise<void> {
  const shown = await atForm(fixture)
  const sent = shown.person.submit(shown.form, fixture.ada)
  await resume(fixture, { ...shown, response: await crash(fixture, sent, delayMs) })
}

/** Kills after the password was accepted, while the browser follows the redirects back to the app. */
async function killedRedirecting(fixture: Fixture, delayMs: number): Promise<void> {
  const accepted = Promise.withResolvers<void>()
  const watched: typeof fetch = async (url, init) => {
    const response = await fixture.fetch(url, init)
    if (init?.method === 'POST') accepted.resolve()
    return response
  }
  const shown = await atForm(fixture, openBrowser(watched))
  const sent = shown.person.submit(shown.form, fixture.ada)
  await accepted.promise
  await resume(fixture, { ...shown, response: await crash(fixture, sent, delayMs) })
}

type InProgress = Awaited<ReturnType<typeof atForm>> & { response: Page | null }

/** Without a response, the person submits the form again, and signs in again if it has ended. */
async function resume(fixture: Fixture, { person, begun, form, response }: InProgress): Promise<void> {
  await assertConsistent(fixture, 1)
  const back = response ?? (await person.submit(form, fixture.ada))
  if (isBack(fixture, back)) return void (await finish(fixture, { ...begun, url: back.url }))
  assert.equal(response, null, 'a response redirected back to the app')
  assert.deepEqual([back.status, /This sign-in is no longer valid/.test(back.text)], [400, true], back.text)
  fixture.counts.restarted++
  await signIn(fixture, person)
}

async function killedWithCode(fixture: Fixture): Promise<void> {
  const entered = await fixture.web.enter(fixture.ada, fixture.browser())
  await crash(fixture)
  await assertConsistent(fixture, 1)
  await finish(fixture, entered)
}

/** A code is redeemed for at most one set of tokens, before and after the kill. */
async function killedRedeeming(fixture: Fixture, delayMs: number): Promise<void> {
  const { web } = fixture
  const { query, verifier, browser: person } = await web.enter(fixture.ada, fixture.browser())
  const redeem = () => web.redeem(query.get('code'), verifier)
  const response = await crash(fixture, redeem(), delayMs)
  if (response) {
    assert.equal(response.status, 200, JSON.stringify(response.body))
    fixture.keep(response.body.access_token)
  }
  await assertConsistent(fixture, response ? 0 : 1)
  const again = await redeem()
  if (!response && again.status === 200) {
    fixture.counts['codes redeemed after the kill']++
    fixture.keep(again.body.access_token)
    await assertConsistent(fixture, 0)
    assertRefused(await redeem())
  } else assertRefused(again)
  // A code that is used twice may be stolen, so the second use revokes its tokens.
  const revoked = (response ?? again).body.access_token
  if (revoked) fixture.end(revoked)
  await assertConsistent(fixture, revoked ? 0 : 1)
  const entered = await web.enter(fixture.ada, person)
  assert.equal(entered.sawForm, false, 'the browser is still signed in')
  await finish(fixture, entered)
}

function assertRefused({ status, body }: { status: number; body: Answer['body'] }): void {
  assert.deepEqual([status, body.error, body.access_token], [400, 'invalid_grant', undefined])
}

async function killedWithTokens(fixture: Fixture): Promise<void> {
  const { refresh_token } = await signIn(fixture, fixture.browser())
  await crash(fixture)
  await assertConsistent(fixture, 0)
  fixture.keep((await client.refreshTokenGrant(fixture.web.configuration, `${refresh_token}`)).access_token)
}

async function killedRefreshing(fixture: Fixture, delayMs: number): Promise<void> {
  const { web, keep } = fixture
  const { access_token, refresh_token } = await signIn(fixture, fixture.browser())
  const sentMs = performance.now()
  const response = await crash(fixture, web.refresh(refresh_token), delayMs)
  assert.ok(
    performance.now() - sentMs < GRACE_MS - 5_000,
    'the restart took so long that the grace period of the old token may be over',
  )
  const responses = [...(response ? [response] : []), await web.refresh(refresh_token)]
  for (const { status, body } of responses) {
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(signInOf(body.access_token), signInOf(access_token))
    keep(body.access_token)
  }
  await assertConsistent(fixture, 0)
  // The app can continue with the token of either response.
  for (const { body } of responses)
    keep((await client.refreshTokenGrant(web.configuration, body.refresh_token)).access_token)
}

/** Signs out; if the browser is already signed out, the form has the confirmation as a hidden field. */
async function signOut({ issuer }: Fixture, person: Browser): Promise<Page> {
  const page = await person.go(`${issuer}/v1/iam/oauth/logout`)
  return person.submit(page, /type="hidden" name="logout"/.test(page.text) ? {} : { logout: 'yes' })
}

async function killedSigningOut(fixture: Fixture, delayMs: number): Promise<void> {
  const { web, me, rows, issuer } = fixture
  const person = fixture.browser()
  const tokens = await signIn(fixture, person)
  const question = await person.go(`${issuer}/v1/iam/oauth/logout`)
  const response = await crash(fixture, person.submit(question, { logout: 'yes' }), delayMs)
  const isListed = (await rows()).some(({ id }) => id === signInOf(tokens.access_token))
  assert.equal(await me(tokens.access_token), isListed ? 200 : 401, 'a sign-in is listed exactly if its token is valid')
  if (response === null) await signOut(fixture, person).then(done => assert.match(done.text, /Signed out/))
  else assert.match(response.text, /Signed out/)
  fixture.end(tokens.access_token)
  await assertConsistent(fixture, 0)
  assertRefused(await web.refresh(tokens.refresh_token))
  assert.match((await person.go((await web.begin()).url)).text, /<form/, 'the browser is signed out')
  await signIn(fixture, person)
}

/** Each scenario with its number of runs and the latest kill in ms after the request: about as long as a response
 *  takes. */
const SCENARIOS = [
  [killedAtForm, 1, 0],
  [killedWithPassword, 2, 60],
  [killedRedirecting, 3, 20],
  [killedWithCode, 1, 0],
  [killedRedeeming, 2, 40],
  [killedWithTokens, 1, 0],
  [killedRefreshing, 2, 20],
  [killedSigningOut, 2, 30],
] as const

describe(`kill -9 in the middle of a sign-in (repeat with STOA_CRASH_SEED=${seed})`, () => {
  it('leaves no incomplete sign-in', { timeout: 1_200_000 }, async t => {
    const random = seededRandom(seed)
    const below = (bound: number) => random.bytes(4).readUInt32LE() % bound
    const fixture = await openFixture(t)
    for (const [scenario, runs, spanMs] of SCENARIOS) {
      for (let run = 0; run < runs; run++) {
        // One kill in each part of the time span, so that no seed has all of them too early or too late.
        const part = spanMs / runs
        const delayMs = Math.floor(part * run) + below(Math.ceil(part) + 1)
        fixture.scenario = `${scenario.name}, ${delayMs} ms`
        await scenario(fixture, delayMs)
          .then(() => assertConsistent(fixture, 0))
          .catch(cause => {
            throw new Error(`${fixture.scenario}: ${cause.message}`, { cause })
          })
      }
    }
    const { counts, valid, ended, unusable } = fixture
    const summary = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
    t.diagnostic(`${summary.join(', ')}; ${valid.size} sign-ins with ${[...valid.values()].flat().length} valid tokens`)
    t.diagnostic(`${ended.length} tokens ended, 0 lost, 0 issued twice, ${unusable.size} unusable sign-ins listed`)
    assert.ok(counts['cut off'] > 0, 'no response was cut off by a kill; the test proved little')
    assert.deepEqual([...unusable], [], 'every listed sign-in is usable')
  })
})
