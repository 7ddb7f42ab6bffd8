import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../test/host.ts'
import { addPerson, registerApp, startIdentity } from '../../test/identity.ts'

const host = await startHost()
const identity = await startIdentity(host)
const ada = await addPerson(host, 'ada@home.test')
const web = await registerApp(host, identity, { app: 'web' })
const till = await registerApp(host, identity, { app: 'till' })

type More = Record<string, string | null>

/** Sends one request without following redirects. */
async function request(url: string, init: RequestInit = {}) {
  const response = await identity.fetch(url, { redirect: 'manual', headers: { accept: 'text/html' }, ...init })
  const location = response.headers.get('location')
  return { status: response.status, location, text: await response.text(), headers: response.headers }
}

/** Asserts that the app gets the error with its state and the issuer, and no code or token. */
async function assertRefused(more: More, error: string | RegExp, extra = '') {
  const { url, state } = await web.begin(more)
  const { location, text } = await request(url + extra)
  // The error is in the fragment if the tokens would have been.
  const [, separator, parameters] = `${location}`.match(/^https:\/\/web\.example\.com\/callback([?#])(.*)$/) ?? []
  assert.ok(separator, `${location} ${text}`)
  const query = new URLSearchParams(parameters)
  assert.match(`${query.get('error')}`, error instanceof RegExp ? error : new RegExp(`^${error}$`))
  if (extra === '') assert.equal(query.get('state'), state)
  assert.equal(query.get('iss'), identity.issuer)
  for (const name of ['code', 'access_token', 'id_token']) assert.equal(query.get(name), null)
  assert.match(query.get('error_description') ?? '', /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/)
}

describe('an authorization request', () => {
  it('redirects back with exactly a code, the state and the issuer', async () => {
    const { query, state } = await web.enter(ada)
    assert.deepEqual([...query.keys()].toSorted(), ['code', 'iss', 'state'])
    assert.equal(query.get('state'), state)
    assert.equal(query.get('iss'), identity.issuer)
    assert.ok(`${query.get('code')}`.length >= 32)
  })

  it('works without a state, and then returns none', async () => {
    const { query } = await web.enter(ada, undefined, { state: null })
    assert.deepEqual([...query.keys()].toSorted(), ['code', 'iss'])
  })

  it('works without a nonce, and returns a given one', async () => {
    const without = await web.enter(ada, undefined, { nonce: null })
    const { body } = await web.redeem(without.query.get('code'), without.verifier)
    assert.equal(JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url').toString()).nonce, undefined)
    const { claims, nonce } = await web.signIn(ada)
    assert.equal(claims.nonce, nonce)
  })

  it('ignores unknown parameters and accepts unsupported optional ones', async () => {
    const more = { colour: 'green', login_hint: 'ada@home.test', ui_locales: 'de en', claims_locales: 'de' }
    const { claims } = await web.signIn(ada, undefined, { ...more, acr_values: '1 2', display: 'page' })
    assert.equal(claims.sub, ada.user)
  })

  it('accepts parameters and scopes in any order', async () => {
    const { url } = await web.begin({ scope: 'email openid profile' })
    const { origin, pathname, searchParams } = new URL(url)
    const reversed = new URLSearchParams([...searchParams].toReversed())
    const { location } = await request(`${origin}${pathname}?${reversed}`)
    assert.match(`${location}`, /^\/sign-in\//)
  })

  it('ignores unknown scopes', async () => {
    const { tokens } = await web.signIn(ada, undefined, { scope: 'openid email admin offline_access' })
    assert.deepEqual(tokens.scope?.split(' ').toSorted(), ['email', 'openid'])
  })

  it('cannot be sent by POST, a documented deviation', async () => {
    const { url } = await web.begin()
    const { origin, pathname, searchParams } = new URL(url)
    const { status, location } = await request(`${origin}${pathname}`, { method: 'POST', body: searchParams })
    assert.equal(location, null)
    assert.ok([200, 404, 405].includes(status), `${status}`)
  })

  it('does not sign in members of other organisations by their session', async () => {
    const bob = await addPerson(host, 'bob@other.test', host.other.key)
    const theirs = await registerApp(host, identity, { app: 'books', as: host.other.key })
    const { browser } = await theirs.signIn(bob)
    const page = await browser.go((await web.begin()).url)
    assert.deepEqual(identity.failures.splice(0), [])
    assert.ok(!page.url.startsWith(web.callback), page.url)
    assert.equal(page.status, 200, page.text.slice(-120))
    const { searchParams } = new URL((await browser.go((await web.begin({ prompt: 'none' })).url)).url)
    assert.match(`${searchParams.get('error')}`, /^(login|interaction|consent)_required$|^access_denied$/)
    assert.deepEqual(identity.failures.splice(0), [])
  })
})

describe('the response type', () => {
  it('is required', () => assertRefused({ response_type: null }, 'invalid_request'))
  for (const type of ['token', 'id_token', 'id_token token', 'code token', 'code id_token', 'none', 'CODE', '']) {
    it(`cannot be '${type}'`, () =>
      assertRefused({ response_type: type }, /^(unsupported_response_type|invalid_request|unauthorized_client)$/))
  }

  it('never puts a code into the fragment', async () => {
    const { location } = await request((await web.begin({ response_mode: 'fragment', prompt: 'none' })).url)
    assert.ok(!`${location}`.includes('code='))
  })
})

describe('the redirect URI', () => {
  const base = 'https://web.example.com/callback'
  const variants = [
    `${base}/`,
    `${base}?next=1`,
    `${base}?`,
    `${base}#x`,
    `${base}%2f`,
    `${base};x`,
    `${base}%00`,
    `${base} `,
    'https://web.example.com/Callback',
    'https://WEB.example.com/callback',
    'HTTPS://web.example.com/callback',
    'https://web.example.com:444/callback',
    'https://web.example.com:443/callback',
    'https://web.example.com',
    'https://ada@web.example.com/callback',
    'https://web.example.com@evil.test/callback',
    'https://web.example.com/x/../callback',
    'https://web.example.com/x/..;/callback',
    'https://web.example.com//callback',
    'https://web.example.com/%63allback',
    'https://web.example.com./callback',
    'https://web.example.com.evil.test/callback',
    'https://evil.test/https://web.example.com/callback',
    'https://evil.test\\@web.example.com/callback',
    '//web.example.com/callback',
    '/callback',
    'callback',
    'http://web.example.com/callback',
    'javascript:alert(1)//web.example.com/callback',
    'https://*.example.com/callback',
    'https://till.example.com/callback',
    `${base},https://evil.test`,
    `${base}\r\nlocation: https://evil.test`,
  ]
  for (const redirect of variants) {
    it(`cannot be ${JSON.stringify(redirect)}`, async () => {
      for (const more of [{}, { prompt: 'none' }, { response_type: 'token' }] as More[]) {
        const { status, location, text } = await request((await web.begin({ ...more, redirect_uri: redirect })).url)
        assert.equal(location, null)
        assert.equal(status, 400)
        assert.doesNotMatch(text, /evil|alert\(1\)|till\.example/)
      }
    })
  }

  it('is required, even if the app has only one', async () => {
    for (const redirect of [null, '']) {
      const { status, location } = await request((await web.begin({ redirect_uri: redirect })).url)
      assert.deepEqual([status, location], [400, null])
    }
  })

  it('is not used for an unknown client', async () => {
    for (const id of ['home-nothing', 'HOME-WEB', '', '../web', '<script>alert(1)</script>']) {
      const { status, location, text } = await request((await web.begin({ client_id: id })).url)
      assert.deepEqual([status, location], [400, null])
      assert.doesNotMatch(text, /<script|alert\(1/)
    }
    const missing = await request((await web.begin({ client_id: null })).url)
    assert.deepEqual([missing.status, missing.location], [400, null])
    assert.deepEqual(identity.failures.splice(0), [])
  })
})

describe('a NUL character, which PostgreSQL cannot store in text,', () => {
  for (const name of ['client_id', 'state', 'nonce', 'login_hint', 'ui_locales', 'redirect_uri', 'scope']) {
    it(`causes no server error in ${name}`, async () => {
      const { status } = await request((await web.begin({ [name]: 'a\0b' })).url)
      assert.deepEqual(identity.failures.splice(0), [])
      assert.ok([303, 400].includes(status), `${status}`)
    })
  }
})

describe('a browser session', () => {
  it('is required for prompt=none, which otherwise answers login_required', () =>
    assertRefused({ prompt: 'none' }, 'login_required'))

  it('returns the same person without a form, with the time of the first sign-in', async () => {
    const first = await web.signIn(ada, undefined, { max_age: '10000' })
    for (const more of [{ prompt: 'none', max_age: '10000' }, { max_age: '10000' }] as More[]) {
      const again = await web.signIn(ada, first.browser, more)
      assert.equal(again.sawForm, false)
      assert.equal(again.claims.sub, first.claims.sub)
      assert.equal(again.claims.auth_time, first.claims.auth_time)
    }
    const other = await till.signIn(ada, first.browser)
    assert.deepEqual([other.sawForm, other.claims.sub, other.claims.aud], [false, ada.user, till.id])
  })

  it('shows the form again with prompt=login, and if the sign-in is older than max_age', async () => {
    const { browser, claims } = await web.signIn(ada, undefined, { max_age: '10000' })
    await new Promise(resolve => setTimeout(resolve, 2_100))
    for (const more of [{ prompt: 'login', max_age: '10000' }, { max_age: '1' }, { max_age: '0' }] as More[]) {
      const page = await browser.go((await web.begin(more)).url)
      assert.match(page.text, /<form/, JSON.stringify(more))
    }
    const again = await web.signIn(ada, browser, { prompt: 'login', max_age: '10000' })
    assert.equal(again.sawForm, true)
    assert.ok(Number(again.claims.auth_time) > Number(claims.auth_time))
  })

  it('cannot skip prompt=login by resuming without signing in', async () => {
    const { browser } = await web.signIn(ada)
    const page = await browser.go((await web.begin({ prompt: 'login' })).url)
    const resumed = await browser.go(page.url.replace('/sign-in/', '/v1/iam/oauth/authorize/'))
    assert.ok(!resumed.url.includes('code='), resumed.url)
  })

  it('can change to another person by signing in again', async () => {
    const eve = await addPerson(host, 'eve@home.test')
    const { browser } = await web.signIn(ada)
    const form = await browser.go((await web.begin({ prompt: 'login' })).url)
    let page = await browser.submit(form, eve)
    assert.doesNotMatch(page.text, /<script/)
    assert.match(`${page.headers.get('content-security-policy')}`, /form-action 'self' https:\/\/web\.example\.com/)
    page = await browser.submit(page, {})
    assert.ok(page.url.startsWith(`${web.callback}?code=`), page.url)
    assert.equal((await web.signIn(eve, browser, { prompt: 'none' })).claims.sub, eve.user)
  })

  it('can be selected by id_token_hint, and a hint for another person answers login_required', async () => {
    const eve = await addPerson(host, 'mallory@home.test')
    const [first, other] = [await web.signIn(ada), await web.signIn(eve)]
    const hint = (token: string | undefined) => ({ prompt: 'none', id_token_hint: `${token}` })
    assert.equal((await web.signIn(ada, first.browser, hint(first.tokens.id_token))).claims.sub, ada.user)
    const wrong = await first.browser.go((await web.begin(hint(other.tokens.id_token))).url)
    assert.equal(new URL(wrong.url).searchParams.get('error'), 'login_required')
  })

  it('is not returned for a hint that is forged, an access token or not a token', async () => {
    const { tokens, browser } = await web.signIn(ada)
    const [head, body = '', signature] = `${tokens.id_token}`.split('.')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const changed = Buffer.from(body, 'base64url').toString().replace(ada.user, 'usr_somebody')
    const forged = `${head}.${Buffer.from(changed).toString('base64url')}.${signature}`
    for (const hint of [forged, `${none}.${body}.`, tokens.access_token, 'x.y.z', '<script>']) {
      const page = await browser.go((await web.begin({ prompt: 'none', id_token_hint: hint })).url)
      assert.equal(new URL(page.url).searchParams.get('error'), 'invalid_request', hint)
    }
    assert.deepEqual(identity.failures.splice(0), [])
  })
})

describe('an authorization request with unsupported parameters', () => {
  it('refuses a request object by value', () => assertRefused({ request: 'e30.e30.' }, 'request_not_supported'))
  it('refuses a request object by reference', () =>
    assertRefused({ request_uri: 'https://web.example.com/request' }, 'request_uri_not_supported'))
  it('refuses a registration', () => assertRefused({ registration: '{}' }, 'registration_not_supported'))
  it('refuses an unknown prompt', () => assertRefused({ prompt: 'dance' }, 'invalid_request'))
  it('refuses prompt none together with login', () => assertRefused({ prompt: 'none login' }, 'invalid_request'))
  it('refuses a negative max_age', () => assertRefused({ max_age: '-1' }, 'invalid_request'))
  it('refuses another resource than the API', () => assertRefused({ resource: 'https://evil.test' }, 'invalid_target'))
  it('refuses scopes with illegal characters', () => assertRefused({ scope: 'openid "<script>"' }, 'invalid_scope'))
  it('without the scope openid shows the form or an error', async () => {
    const page = await identity.browser().go((await web.begin({ scope: 'email' })).url)
    assert.ok(page.url.includes('error=') || page.text.includes('<form'), page.url)
  })

  for (const name of ['scope', 'state', 'nonce', 'code_challenge', 'response_type', 'prompt']) {
    it(`refuses ${name} given twice`, () => assertRefused({ prompt: 'none' }, 'invalid_request', `&${name}=x`))
  }
  it('does not redirect elsewhere if client_id or redirect_uri is given twice', async () => {
    const { url } = await web.begin()
    for (const second of ['client_id=home-till', 'redirect_uri=https://evil.test/']) {
      for (const both of [`${url}&${second}`, url.replace('?', `?${second}&`)]) {
        const { location, status } = await request(both)
        assert.ok(location === null || location.startsWith(`${web.callback}?error=invalid_request`), `${location}`)
        assert.ok([303, 400].includes(status))
      }
    }
  })
})

describe('the PKCE challenge', () => {
  const good = 'a'.repeat(43)
  it('is required', () => assertRefused({ code_challenge: null, code_challenge_method: null }, 'invalid_request'))
  it('is required if there is a method', () => assertRefused({ code_challenge: null }, 'invalid_request'))
  it('cannot be plain', () =>
    assertRefused({ code_challenge: good, code_challenge_method: 'plain' }, 'invalid_request'))
  it('cannot be plain by omitting the method', () => assertRefused({ code_challenge_method: null }, 'invalid_request'))
  for (const method of ['s256', 'S512', 'none', '']) {
    it(`cannot have the method '${method}'`, () => assertRefused({ code_challenge_method: method }, 'invalid_request'))
  }
  const bad = ['', 'short', 'a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(42)}!`, `${'a'.repeat(42)}=`, 'é'.repeat(43)]
  for (const challenge of bad) {
    it(`cannot be '${challenge.slice(0, 6)}…' of ${challenge.length} characters`, () =>
      assertRefused({ code_challenge: challenge }, 'invalid_request'))
  }
})
