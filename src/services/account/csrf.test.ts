import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type RequestOptions, startHost } from '../../../test/host.ts'
import { rawConnection } from '../../../test/raw-connection.ts'

const host = await startHost()
let count = 0
const write = (headers: Record<string, string>, as: RequestOptions['as'] = null) =>
  host.call('POST /v1/projects', { as, headers, body: { slug: `p${count++}`, name: 'P' } })
const tokenFor = async (headers: Record<string, string>) =>
  (await host.call('GET /v1/account/csrf', { as: null, headers })).body.csrfToken as string

const browser = await host.signIn(host.home)
const token = await tokenFor(browser)
const others = [await tokenFor(await host.signIn(host.home)), await tokenFor(await host.signIn(host.other))] as const

describe('a browser session', () => {
  it('reads as its user without a token', async () => {
    const { status, body } = await host.call('GET /v1/account/keys', { as: null, headers: browser })
    assert.equal(status, 200)
    assert.equal(body.data[0].creator, host.home.email)
  })

  it('gets a token and its lifetime', async () => {
    const { status, body } = await host.call('GET /v1/account/csrf', { as: null, headers: browser })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body).sort(), ['csrfToken', 'expiresIn'])
    assert.equal(body.expiresIn, 43_200)
  })

  it('writes with the token, and the audit trail names the session', async () => {
    const answer = await write({ ...browser, 'x-csrf-token': token })
    assert.equal(answer.status, 201, answer.text)
    const [row] = await host.db<{ credential: string }>`select credential from audit order by id desc limit 1`
    assert.match(row?.credential ?? '', /^ses_/)
  })

  const swapped = (text: string, at: number) => text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
  for (const [title, headers] of Object.entries<Record<string, string>>({
    'no token': {},
    'an empty token': { 'x-csrf-token': '' },
    'a token of another session of the same person': { 'x-csrf-token': others[0] },
    'a token of another person': { 'x-csrf-token': others[1] },
    'a token with one letter changed': { 'x-csrf-token': swapped(token, token.length - 5) },
    'a token with a later time': { 'x-csrf-token': token.replace(/^\d+/, made => String(Number(made) + 60)) },
    'a token with a character appended': { 'x-csrf-token': `${token}x` },
    'a token with a truncated MAC': { 'x-csrf-token': token.slice(0, -1) },
    'the cookie as the token': { 'x-csrf-token': browser.cookie.split('=').at(-1) as string },
    'the token in another header': { 'x-nothing': token },
  })) {
    it(`answers 403 and writes nothing with ${title}`, async () => {
      const before = count
      const answer = await write({ ...browser, ...headers })
      assert.equal(answer.status, 403)
      assert.equal(answer.body.error.code, 'csrf_token_required')
      assert.match(answer.body.error.message, /GET \/v1\/account\/csrf/)
      assert.equal((await host.call(`GET /v1/projects/p${before}`)).status, 404)
    })
  }

  it('needs the token for every method that writes', async () => {
    for (const route of ['PATCH /v1/projects/p0', 'DELETE /v1/projects/p0', 'DELETE /v1/account/keys/key_x']) {
      const answer = await host.call(route, { as: null, headers: browser })
      assert.equal(answer.body.error.code, 'csrf_token_required', route)
    }
    assert.equal((await host.call('HEAD /v1/projects', { as: null, headers: browser })).status, 200)
  })

  it('is ignored when there is a bearer credential, valid or not', async () => {
    assert.equal((await write(browser, host.other.key)).status, 201, 'a bearer needs no token')
    const { body } = await host.call('GET /v1/account/keys', { as: host.other.key, headers: browser })
    assert.equal(body.data[0].creator, host.other.email)
    const unknown = await host.call('GET /v1/projects', { as: 'nonsense', headers: browser })
    assert.equal(unknown.status, 401)
  })

  it('is refused with 401 when the cookie is unknown, sent twice, empty, or has another name', async () => {
    const [, pair = ''] = browser.cookie.split('; ')
    for (const cookie of [
      `${pair}x`,
      `${pair}; ${pair}`,
      pair.replace(/=.*/, '='),
      pair.replace('__Host-', ''),
      '',
      ';;=',
    ]) {
      const answer = await host.call('GET /v1/projects', { as: null, headers: { cookie } })
      assert.equal(answer.status, 401, cookie)
    }
  })

  it('is found by its exact cookie name only, not by one that a sibling domain may set', async () => {
    const [, pair = ''] = browser.cookie.split('; ')
    for (const [bytes, status] of [
      [` ${pair}`, 200],
      [`\t${pair}\t`, 200],
      [`\xa0${pair}`, 401],
      [`a=1; \xa0\xa0${pair}`, 401],
      [`${pair}\xa0`, 401],
    ] as const) {
      const { socket, closed } = await rawConnection(host.port, { tls: true })
      const head = `GET /v1/projects HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncookie:${bytes}\r\n\r\n`
      socket.write(Buffer.from(head, 'latin1'))
      assert.match(await closed, new RegExp(`^HTTP/1.1 ${status}`), JSON.stringify(bytes.slice(0, 12)))
    }
  })

  it('is refused when the cookie contains a valid key', async () => {
    const cookie = `__Host-stoa-session=${host.home.key}`
    assert.equal((await host.call('GET /v1/projects', { as: null, headers: { cookie } })).status, 401)
  })

  it('ends immediately with the membership, and when it expires', async () => {
    const fred = await host.member(host.home.org, 'member')
    const session = await host.signIn(fred)
    assert.equal((await host.call('GET /v1/projects', { as: null, headers: session })).status, 200)
    await host.db`delete from members where user_id = ${fred.user}`
    await host.db.waitForNotifications()
    assert.equal((await host.call('GET /v1/projects', { as: null, headers: session })).status, 401)

    const short = await host.signIn(host.home, 1_000)
    host.clock.advance(999)
    assert.equal((await host.call('GET /v1/projects', { as: null, headers: short })).status, 200)
    host.clock.advance(1)
    assert.equal((await host.call('GET /v1/projects', { as: null, headers: short })).status, 401)
  })
})

describe('a role change', () => {
  it('takes effect immediately for a cached session', async () => {
    const gus = await host.member(host.home.org, 'admin')
    const headers = await host.signIn(gus)
    const read = async () => (await host.call('GET /v1/iam/audit', { as: null, headers })).status
    assert.equal(await read(), 200)
    await host.db`update members set role = 'member' where user_id = ${gus.user}`
    await host.db.waitForNotifications()
    assert.equal(await read(), 403)
  })
})

describe('a CSRF token', () => {
  it('is valid if the clock that issued it is up to a minute fast', async () => {
    const early = await tokenFor(browser)
    host.clock.advance(-60_000)
    assert.equal((await write({ ...browser, 'x-csrf-token': early })).status, 201)
    host.clock.advance(-1_000)
    assert.equal((await write({ ...browser, 'x-csrf-token': early })).status, 403)
    host.clock.advance(61_000)
  })

  it('is valid for twelve hours, and not if issued in the future', async () => {
    const long = await host.signIn(host.home, 100 * 3_600_000)
    const fresh = await tokenFor(long)
    host.clock.advance(43_200_000 - 1_000)
    assert.equal((await write({ ...long, 'x-csrf-token': fresh })).status, 201)
    host.clock.advance(1_000)
    assert.equal((await write({ ...long, 'x-csrf-token': fresh })).status, 403)
    const early = await tokenFor(long)
    host.clock.advance(-120_000)
    assert.equal((await write({ ...long, 'x-csrf-token': early })).status, 403)
  })
})
