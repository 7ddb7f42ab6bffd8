// Browser sessions: the cookie and the CSRF token, in a page that the host itself serves.
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { createStoa, type StoaOptions } from '../../client/stoa.ts'
import { SESSION_COOKIE } from '../../src/kit/host/credentials.ts'
import { CSRF_LIFETIME_S } from '../../src/kit/host/csrf.ts'
import { csrfTokens } from '../../tools/generate/client/session.ts'
import { OWN_ORIGINS, startHost } from '../host.ts'
import { NO_CHROMIUM, openChromium } from './chromium.ts'

const CLIENT = join(import.meta.dirname, '../../client/stoa.js')

describe('a browser session', { skip: NO_CHROMIUM }, async () => {
  if (NO_CHROMIUM) return
  const directory = mkdtempSync(join(tmpdir(), 'stoa-page-'))
  after(() => rmSync(directory, { recursive: true }))
  copyFileSync(CLIENT, join(directory, 'stoa.js'))
  writeFileSync(join(directory, 'index.html'), '<!doctype html><title>Page</title>')
  const host = await startHost({ files: [{ path: '/page', directory: pathToFileURL(`${directory}/`) }] })
  const page = await openChromium()
  await page.clock.install({ time: Date.parse('2026-11-15T09:00:00Z') })
  /** Gives the browser the cookie of a new session. */
  const signIn = async () => {
    const { cookie } = await host.signIn(host.home, 30 * 24 * 3_600_000)
    const value = cookie.slice(cookie.indexOf(`${SESSION_COOKIE}=`) + SESSION_COOKIE.length + 1)
    const security = { secure: true, httpOnly: true, sameSite: 'Lax' as const }
    await page.context().addCookies([{ name: SESSION_COOKIE, value, url: host.baseUrl, ...security }])
  }
  await signIn()
  await page.goto(`${host.baseUrl}/page/`)
  const sent: string[] = []
  page.on('request', request => sent.push(`${request.method()} ${new URL(request.url()).pathname}`))

  /** Runs in the page, which makes its client at the first use. */
  const inPage = (call: string) => {
    sent.length = 0
    return page.evaluate(`(async () => {
      const client = await import('/page/stoa.js')
      globalThis.stoa ??= client.createStoa({ baseUrl: location.origin, session: true })
      return (async () => ${call})().catch(error => ({ name: error.name, code: error.code, message: error.message }))
    })()`)
  }
  const requests = () => sent.filter(one => one.includes('/v1/'))
  const projects = async () => {
    const { data } = (await host.call('GET /v1/projects')).body as { data: { slug: string }[] }
    return data.map(({ slug }) => slug)
  }

  it('reads without a token', async () => {
    const me = (await inPage('stoa.getMe()')) as { org: string; credential: { kind: string } }
    assert.deepEqual([me.org, me.credential.kind], ['home', 'session'])
    assert.deepEqual(requests(), ['GET /v1/iam/me'])
  })

  it('fetches one token for all writes', async () => {
    const make = (slug: string) => `stoa.createProject({ slug: '${slug}', name: 'A' })`
    await inPage(`Promise.all([${make('a')}, ${make('b')}])`)
    assert.deepEqual(requests(), ['GET /v1/account/csrf', 'POST /v1/projects', 'POST /v1/projects'])
    await inPage("stoa.deleteProject({ slug: 'b' })")
    assert.deepEqual(requests(), ['DELETE /v1/projects/b'])
    assert.deepEqual(await projects(), ['a'])
  })

  it('fetches another when the first expires', async () => {
    host.clock.advance(CSRF_LIFETIME_S * 1000)
    await page.clock.setSystemTime(host.clock.now())
    await inPage("stoa.createProject({ slug: 'c', name: 'C' })")
    assert.deepEqual(requests(), ['GET /v1/account/csrf', 'POST /v1/projects'])
    assert.deepEqual(await projects(), ['a', 'c'])
  })

  it('fetches another when the host refuses it, once for all calls', async () => {
    host.clock.advance(CSRF_LIFETIME_S * 1000) // The clock of the page is behind.
    const rename = (slug: string) => `stoa.updateProject({ slug: '${slug}', name: 'New' })`
    const all = (await inPage(`Promise.all([${rename('a')}, ${rename('c')}])`)) as { name: string }[]
    assert.deepEqual(
      all.map(one => one.name),
      ['New', 'New'],
    )
    const writes = ['PATCH /v1/projects/a', 'PATCH /v1/projects/c']
    assert.deepEqual(requests().sort(), ['GET /v1/account/csrf', ...writes.flatMap(one => [one, one])])
  })

  it('fails if the session is over, and can be used again after a new sign-in', async () => {
    await page.context().clearCookies()
    const write = "stoa.createProject({ slug: 'd', name: 'D' })"
    assert.equal(((await inPage(write)) as { name: string }).name, 'AuthenticationError')
    await signIn()
    assert.equal(
      ((await inPage(write)) as { slug: string }).slug,
      'd',
      'after a token of the earlier session was refused',
    )
    assert.deepEqual(requests(), ['POST /v1/projects', 'GET /v1/account/csrf', 'POST /v1/projects'])
  })

  it('is how a page acts: a secret key is refused there', async () => {
    const made = (options: string) => `client.createStoa({ baseUrl: location.origin, ${options} }) && 'made'`
    const refused = (await inPage(made("key: 'sk-1'"))) as { name: string; message: string }
    assert.equal(refused.name, 'TypeError')
    assert.match(refused.message, /Every visitor of this page can read the secret key/)
    for (const options of ["key: 'sk-1', dangerouslyAllowBrowser: true", "key: 'eyJ.an.access-token'"]) {
      assert.equal(await inPage(made(options)), 'made')
    }
  })
})

describe('a page of another origin that the host allows', { skip: NO_CHROMIUM }, () => {
  it('can create, and read the headers of the answer', async () => {
    const host = await startHost()
    const page = await openChromium()
    const [origin] = OWN_ORIGINS as [string]
    await page.route(`${origin}/**`, route =>
      route.request().url().endsWith('.js')
        ? route.fulfill({ path: CLIENT, contentType: 'text/javascript' })
        : route.fulfill({ body: '<!doctype html><title>Page</title>', contentType: 'text/html' }),
    )
    await page.goto(origin)
    const answer = await page.evaluate(`(async () => {
      const { createStoa } = await import('/stoa.js')
      const options = { baseUrl: '${host.baseUrl}', key: '${host.home.key}', dangerouslyAllowBrowser: true }
      const call = createStoa(options).createProject({ slug: 'a', name: 'A' })
      const { data, response, requestId } = await call.withResponse()
      return [data.slug, response.status, requestId.slice(0, 4)]
    })()`)
    assert.deepEqual(answer, ['a', 201, 'req_'])
  })
})

describe('the CSRF token', () => {
  it('is renewed once for calls that are refused at the same time', async () => {
    let count = 0
    const token = csrfTokens(async () => ({ csrfToken: `token ${++count}`, expiresIn: 600 }))
    assert.equal(await token(null), 'token 1')
    assert.deepEqual(await Promise.all([token('token 1'), token('token 1'), token(null)]), [
      'token 2',
      'token 2',
      'token 1',
    ])
    assert.equal(await token('token 1'), 'token 2', 'it is another one already')
  })

  it('is fetched again after a failure', async () => {
    let count = 0
    const token = csrfTokens(async () => {
      if (++count === 1) throw new Error('no connection')
      return { csrfToken: 'token', expiresIn: 600 }
    })
    await assert.rejects(Promise.all([token(null), token(null)]), /no connection/)
    assert.equal(await token(null), 'token')
    assert.equal(count, 2)
  })
})

describe('the options of a client', () => {
  it('are checked', () => {
    const baseUrl = 'https://localhost:8443'
    assert.throws(() => createStoa({ baseUrl, key: 'sk-1', session: true }), /not both/)
    assert.throws(() => createStoa({ baseUrl: 'localhost:8443' }), /must start with https/)
    assert.throws(() => createStoa({ baseUrl: '/v1' }), TypeError)
    assert.throws(() => createStoa({ baseUrl: 'ftp://localhost' }), /must start with https/)
    for (const end of ['?', '?a=1', '/#', '/v1#a']) {
      assert.throws(() => createStoa({ baseUrl: baseUrl + end }), /no path, query or fragment; write `baseUrl: 'https:/)
    }
  })

  it('are not repeated by errors if they are secret', () => {
    const refused = (options: StoaOptions, message: RegExp) =>
      assert.throws(
        () => createStoa(options),
        error => {
          assert.ok(error instanceof TypeError)
          assert.match(error.message, message)
          assert.doesNotMatch(inspect(error), /VERYSECRET/)
          return true
        },
      )
    const baseUrl = 'https://localhost:8443'
    for (const key of ['sk-VERYSECRET\nline2', 'sk-VERYSECRET ', 'sk-VERYSECRETé', 'sk-VERYSECRET\0', '']) {
      refused({ baseUrl, key }, /`key` must be visible ASCII/)
    }
    for (const one of ['https://user:VERYSECRET@localhost', 'https://VERYSECRET@localhost']) {
      refused({ baseUrl: one }, /must not contain a user or password/)
    }
    refused({ baseUrl: 'https://user:VERYSECRET@localhost:99999' }, /must start with https/)
  })
})
