// Kills the whole process tree in the middle of signing in, at every step of it: who was given tokens keeps them, no code
// gives tokens twice, everybody can go on, and the list of sign-ins has no row that nobody can use.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { Agent, fetch as undiciFetch } from 'undici'
import { seededRandom, systemRandom } from '../../src/engines/random/random.ts'
import type { Answer, Ask, TestHost } from '../host.ts'
import { addPerson, type Browser, type Identity, openBrowser, type Page, registerApp } from '../identity.ts'
import { client as caller, firstRunOf, freshDirectory, killTree, start, up } from '../process.ts'

const GRACE_MS = 30_000
const seed = process.env.STOA_CRASH_SEED ?? systemRandom.token(8)

type World = Awaited<ReturnType<typeof openWorld>>

/** The product with one app and one person, on ports that stay the same from start to start. */
async function openWorld(t: TestContext) {
  const data = freshDirectory(t)
  const settings = { STOA_DATA: data, STOA_PORT: await freePort(), STOA_IAM_PORT: await freePort() }
  let running = start(settings)
  const baseUrl = await up(running)
  const { home, iamUrl: issuer } = firstRunOf(data)
  const agent = new Agent({ connect: { ca: readFileSync(join(data, 'tls/ca.pem'), 'utf8') } })
  t.after(() => agent.destroy())
  const fetch = ((url: string, init?: object) =>
    undiciFetch(url, { ...init, dispatcher: agent } as never)) as unknown as typeof globalThis.fetch

  const call = async (route: string, { as = home.key, body }: Ask = {}) => {
    const { call: send, close } = caller(data, baseUrl, `${as}`)
    return send(route, body).finally(close)
  }
  const host = { home, call } as unknown as TestHost
  const web = await registerApp(host, { issuer, fetch } as Identity, { app: 'web' })
  const ada = await addPerson(host, 'ada@home.test')

  /** Nothing but the kill may have gone wrong: no start that failed, no answer that was our fault. */
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

/** What people were told so far: by sign-in the tokens that must be good, and those that must not be. And what they were
 *  shown and cannot use, with the moment of the kill that left it. */
function ledger() {
  const good = new Map<string, string[]>()
  const over: string[] = []
  const useless = new Map<string, string>()
  const keep = (token: string) => good.set(signInOf(token), [...(good.get(signInOf(token)) ?? []), token])
  const end = (token: string) => {
    over.push(...(good.get(signInOf(token)) ?? []), token)
    good.delete(signInOf(token))
  }
  const counts = { kills: 0, answered: 0, 'cut off': 0, 'started anew': 0, 'codes redeemed after the kill': 0 }
  return { good, over, useless, moment: '', keep, end, counts }
}

/** The id under which the list shows the sign-in that a token came from. */
function signInOf(token: string): string {
  return `sin_${hash('sha256', `${decodeJwt(token).sid}`).slice(0, 32)}`
}

async function freePort(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await once(probe.close(), 'close')
  return `${port}`
}

/** Every token that was given out does what it should, and each sign-in is listed once. The one that a kill left under way
 *  may be listed too; when none is, a row without tokens is one that nobody can use. */
async function isWhole(world: World, underWay: 0 | 1): Promise<void> {
  const { good, over, useless, me, rows, ada, web } = world
  for (const token of [...good.values()].flat()) assert.equal(await me(token), 200, 'a token that was given is good')
  for (const token of over) assert.equal(await me(token), 401, 'a token of a sign-in that ended is not')
  const listed = await rows()
  for (const { user, email, app } of listed) assert.deepEqual([user, email, app], [ada.user, ada.email, web.id])
  const ids = listed.map(({ id }) => id as string)
  assert.equal(new Set(ids).size, ids.length, 'no sign-in is listed twice')
  for (const id of good.keys()) assert.ok(ids.includes(id), 'whoever has tokens is listed')
  const others = ids.filter(id => !good.has(id) && !useless.has(id))
  assert.ok(others.length <= 1, `one kill left ${others.length} sign-ins under way`)
  // Told at the end, so that one such row does not hide what else goes wrong.
  if (underWay === 0) for (const id of others) useless.set(id, world.moment)
}

/** Kills and starts again. Where something was sent, waits so long for its answer before, and tells it if it came. */
async function crash<T>(world: World, sent?: Promise<T>, delayMs = 0): Promise<T | null> {
  const outcome = sent?.catch(error => {
    // undici's words for a connection that broke; everything else that goes wrong is a finding.
    if (!/^(fetch failed|terminated)$/.test(error.message)) throw error
    return null
  })
  if (sent) await wait(delayMs)
  await world.killAndStart()
  const answer = (await outcome) ?? null
  world.counts.kills++
  if (sent) world.counts[answer === null ? 'cut off' : 'answered']++
  return answer
}

const isBack = ({ web }: World, page: Page) => page.url.startsWith(`${web.callback}?`)
type Entered = Pick<Awaited<ReturnType<World['web']['begin']>>, 'url' | 'checks'>

async function atForm({ web, browser }: World, person = browser()) {
  const begun = await web.begin()
  const form = await person.go(begun.url)
  assert.match(form.text, /<form/)
  return { person, begun, form }
}

/** The last step of an app, which ends in tokens that are kept. */
async function finish(world: World, { url, checks }: Entered) {
  const tokens = await client.authorizationCodeGrant(world.web.configuration, new URL(url), checks)
  world.keep(tokens.access_token)
  return tokens
}

const signIn = async (world: World, person: Browser) => finish(world, await world.web.enter(world.ada, person))

async function killedAtForm(world: World): Promise<void> {
  const { person, begun, form } = await atForm(world)
  await crash(world)
  await isWhole(world, 0)
  const back = await person.submit(form, world.ada)
  assert.ok(isBack(world, back), `the form that was shown still works: ${back.status} ${back.text}`)
  await finish(world, { ...begun, url: back.url })
}

async function killedWithPassword(world: World, delayMs: number): Promise<void> {
  const shown = await atForm(world)
  const sent = shown.person.submit(shown.form, world.ada)
  await goOn(world, { ...shown, answer: await crash(world, sent, delayMs) })
}

/** The password was right, and the browser is on its way back to the app, where the sign-in is made. */
async function killedOnWayBack(world: World, delayMs: number): Promise<void> {
  const accepted = Promise.withResolvers<void>()
  const watched: typeof fetch = async (url, init) => {
    const response = await world.fetch(url, init)
    if (init?.method === 'POST') accepted.resolve()
    return response
  }
  const shown = await atForm(world, openBrowser(watched))
  const sent = shown.person.submit(shown.form, world.ada)
  await accepted.promise
  await goOn(world, { ...shown, answer: await crash(world, sent, delayMs) })
}

type UnderWay = Awaited<ReturnType<typeof atForm>> & { answer: Page | null }

/** A person who got no answer sends the form again, and if it tells them to start again, they do. */
async function goOn(world: World, { person, begun, form, answer }: UnderWay): Promise<void> {
  await isWhole(world, 1)
  const back = answer ?? (await person.submit(form, world.ada))
  if (isBack(world, back)) return void (await finish(world, { ...begun, url: back.url }))
  assert.equal(answer, null, 'an answer that came led back to the app')
  assert.deepEqual([back.status, /This sign-in has ended/.test(back.text)], [400, true], back.text)
  world.counts['started anew']++
  await signIn(world, person)
}

async function killedWithCode(world: World): Promise<void> {
  const entered = await world.web.enter(world.ada, world.browser())
  await crash(world)
  await isWhole(world, 1)
  await finish(world, entered)
}

/** However often it is tried, before and after the kill, one code gives at most one set of tokens. */
async function killedRedeeming(world: World, delayMs: number): Promise<void> {
  const { web } = world
  const { query, verifier, browser: person } = await web.enter(world.ada, world.browser())
  const redeem = () => web.redeem(query.get('code'), verifier)
  const answer = await crash(world, redeem(), delayMs)
  if (answer) {
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    world.keep(answer.body.access_token)
  }
  await isWhole(world, answer ? 0 : 1)
  const again = await redeem()
  if (!answer && again.status === 200) {
    world.counts['codes redeemed after the kill']++
    world.keep(again.body.access_token)
    await isWhole(world, 0)
    refused(await redeem())
  } else refused(again)
  // A code that comes twice may have been stolen, so what it gave ends with the second try.
  const given = (answer ?? again).body.access_token
  if (given) world.end(given)
  await isWhole(world, given ? 0 : 1)
  const entered = await web.enter(world.ada, person)
  assert.equal(entered.asked, false, 'the browser that was signed in still is')
  await finish(world, entered)
}

function refused({ status, body }: { status: number; body: Answer['body'] }): void {
  assert.deepEqual([status, body.error, body.access_token], [400, 'invalid_grant', undefined])
}

async function killedWithTokens(world: World): Promise<void> {
  const { refresh_token } = await signIn(world, world.browser())
  await crash(world)
  await isWhole(world, 0)
  world.keep((await client.refreshTokenGrant(world.web.configuration, `${refresh_token}`)).access_token)
}

async function killedRefreshing(world: World, delayMs: number): Promise<void> {
  const { web, keep } = world
  const { access_token, refresh_token } = await signIn(world, world.browser())
  const sentMs = performance.now()
  const answer = await crash(world, web.refresh(refresh_token), delayMs)
  assert.ok(performance.now() - sentMs < GRACE_MS - 5_000, 'the start took so long that the old token may have ended')
  const answers = [...(answer ? [answer] : []), await web.refresh(refresh_token)]
  for (const { status, body } of answers) {
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(signInOf(body.access_token), signInOf(access_token))
    keep(body.access_token)
  }
  await isWhole(world, 0)
  // Whichever answer the app goes on with, it can.
  for (const { body } of answers)
    keep((await client.refreshTokenGrant(web.configuration, body.refresh_token)).access_token)
}

/** Signs out as a person does; who is no longer signed in meets a form that says so already. */
async function signOut({ issuer }: World, person: Browser): Promise<Page> {
  const page = await person.go(`${issuer}/v1/iam/oauth/logout`)
  return person.submit(page, /type="hidden" name="logout"/.test(page.text) ? {} : { logout: 'yes' })
}

async function killedSigningOut(world: World, delayMs: number): Promise<void> {
  const { web, me, rows, issuer } = world
  const person = world.browser()
  const tokens = await signIn(world, person)
  const question = await person.go(`${issuer}/v1/iam/oauth/logout`)
  const answer = await crash(world, person.submit(question, { logout: 'yes' }), delayMs)
  const isListed = (await rows()).some(({ id }) => id === signInOf(tokens.access_token))
  assert.equal(await me(tokens.access_token), isListed ? 200 : 401, 'listed is who can still do something')
  if (answer === null) await signOut(world, person).then(done => assert.match(done.text, /Signed out/))
  else assert.match(answer.text, /Signed out/)
  world.end(tokens.access_token)
  await isWhole(world, 0)
  refused(await web.refresh(tokens.refresh_token))
  assert.match((await person.go((await web.begin()).url)).text, /<form/, 'the browser is signed out')
  await signIn(world, person)
}

/** Each with how often, and within how many milliseconds of what was sent: about as long as the answer takes. */
const MOMENTS = [
  [killedAtForm, 1, 0],
  [killedWithPassword, 2, 60],
  [killedOnWayBack, 3, 20],
  [killedWithCode, 1, 0],
  [killedRedeeming, 2, 40],
  [killedWithTokens, 1, 0],
  [killedRefreshing, 2, 20],
  [killedSigningOut, 2, 30],
] as const

describe(`kill -9 in the middle of a sign-in (repeat with STOA_CRASH_SEED=${seed})`, () => {
  it('leaves no half-made session', { timeout: 300_000 }, async t => {
    const random = seededRandom(seed)
    const below = (bound: number) => random.bytes(4).readUInt32LE() % bound
    const world = await openWorld(t)
    for (const [round, times, spanMs] of MOMENTS) {
      for (let turn = 0; turn < times; turn++) {
        // One out of each part of the time, so that no seed has them all before or all after what they are to hit.
        const part = spanMs / times
        const delayMs = Math.floor(part * turn) + below(Math.ceil(part) + 1)
        world.moment = `${round.name}, ${delayMs} ms`
        await round(world, delayMs)
          .then(() => isWhole(world, 0))
          .catch(cause => {
            throw new Error(`${world.moment}: ${cause.message}`, { cause })
          })
      }
    }
    const { counts, good, over, useless } = world
    const said = Object.entries(counts).map(([what, count]) => `${count} ${what}`)
    t.diagnostic(`${said.join(', ')}; ${good.size} sign-ins with ${[...good.values()].flat().length} tokens are good`)
    t.diagnostic(`${over.length} tokens ended, 0 lost, 0 sets given twice, ${useless.size} sign-ins of no use listed`)
    assert.ok(counts['cut off'] > 0, 'every answer came before the kill; the test proved little')
    assert.deepEqual([...useless], [], 'every sign-in that is listed can be used')
  })
})
