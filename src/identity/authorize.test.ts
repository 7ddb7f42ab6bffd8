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

/** One request, no redirect followed. */
async function ask(url: string, init: RequestInit = {}) {
  const answer = await identity.fetch(url, { redirect: 'manual', headers: { accept: 'text/html' }, ...init })
  const location = answer.headers.get('location')
  return { status: answer.status, location, text: await answer.text(), headers: answer.headers }
}

/** The request is refused by telling the app: with the error and what the app sent along, and without a code. */
async function refused(more: More, error: string | RegExp, extra = '') {
  const { url, state } = await web.begin(more)
  const { location, text } = await ask(url + extra)
  // Where the request asked for tokens in the fragment, that is where the error belongs as well.
  const [, mark, told] = `${location}`.match(/^https:\/\/web\.example\.com\/callback([?#])(.*)$/) ?? []
  assert.ok(mark, `${location} ${text}`)
  const query = new URLSearchParams(told)
  assert.match(`${query.get('error')}`, error instanceof RegExp ? error : new RegExp(`^${error}$`))
  if (extra === '') assert.equal(query.get('state'), state)
  assert.equal(query.get('iss'), identity.issuer)
  for (const none of ['code', 'access_token', 'id_token']) assert.equal(query.get(none), null)
  assert.match(query.get('error_description') ?? '', /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/)
}

describe('asking to sign somebody in', () => {
  it('leads back with a code, the state and the issuer, and with nothing else', async () => {
    const { query, state } = await web.enter(ada)
    assert.deepEqual([...query.keys()].toSorted(), ['code', 'iss', 'state'])
    assert.equal(query.get('state'), state)
    assert.equal(query.get('iss'), identity.issuer)
    assert.ok(`${query.get('code')}`.length >= 32)
  })

  it('needs no state, and sends none back then', async () => {
    const { query } = await web.enter(ada, undefined, { state: null })
    assert.deepEqual([...query.keys()].toSorted(), ['code', 'iss'])
  })

  it('works without a nonce, and echoes one that is given', async () => {
    const without = await web.enter(ada, undefined, { nonce: null })
    const { body } = await web.redeem(without.query.get('code'), without.verifier)
    assert.equal(JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url').toString()).nonce, undefined)
    const { claims, nonce } = await web.signIn(ada)
    assert.equal(claims.nonce, nonce)
  })

  it('ignores parameters it does not know and accepts those it cannot honour', async () => {
    const more = { colour: 'green', login_hint: 'ada@home.test', ui_locales: 'de en', claims_locales: 'de' }
    const { claims } = await web.signIn(ada, undefined, { ...more, acr_values: '1 2', display: 'page' })
    assert.equal(claims.sub, ada.user)
  })

  it('takes parameters and scopes in any order', async () => {
    const { url } = await web.begin({ scope: 'email openid profile' })
    const { origin, pathname, searchParams } = new URL(url)
    const turned = new URLSearchParams([...searchParams].toReversed())
    const { location } = await ask(`${origin}${pathname}?${turned}`)
    assert.match(`${location}`, /^\/sign-in\//)
  })

  it('ignores scopes it does not have', async () => {
    const { tokens } = await web.signIn(ada, undefined, { scope: 'openid email admin offline_access' })
    assert.deepEqual(tokens.scope?.split(' ').toSorted(), ['email', 'openid'])
  })

  it('is not possible by POST, which is documented as a deviation', async () => {
    const { url } = await web.begin()
    const { origin, pathname, searchParams } = new URL(url)
    const { status, location } = await ask(`${origin}${pathname}`, { method: 'POST', body: searchParams })
    assert.equal(location, null)
    assert.ok([200, 404, 405].includes(status), `${status}`)
  })

  it('does not lead people of other organisations anywhere by their session', async () => {
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

describe('an answer of another kind', () => {
  it('is refused when none is named', () => refused({ response_type: null }, 'invalid_request'))
  for (const type of ['token', 'id_token', 'id_token token', 'code token', 'code id_token', 'none', 'CODE', '']) {
    it(`is refused when it is '${type}'`, () =>
      refused({ response_type: type }, /^(unsupported_response_type|invalid_request|unauthorized_client)$/))
  }

  it('is never put where scripts of the page read it', async () => {
    const { location } = await ask((await web.begin({ response_mode: 'fragment', prompt: 'none' })).url)
    assert.ok(!`${location}`.includes('code='))
  })
})

describe('where people are sent back to', () => {
  const base = 'https://web.example.com/callback'
  const variants = [
    ...[`${base}/`, `${base}?next=1`, `${base}?`, `${base}#x`, `${base}%2f`, `${base};x`, `${base}%00`, `${base} `],
    ...['https://web.example.com/Callback', 'https://WEB.example.com/callback', 'HTTPS://web.example.com/callback'],
    ...['https://web.example.com:444/callback', 'https://web.example.com:443/callback', 'https://web.example.com'],
    ...['https://ada@web.example.com/callback', 'https://web.example.com@evil.test/callback'],
    ...['https://web.example.com/x/../callback', 'https://web.example.com/x/..;/callback'],
    ...['https://web.example.com//callback', 'https://web.example.com/%63allback', 'https://web.example.com./callback'],
    ...['https://web.example.com.evil.test/callback', 'https://evil.test/https://web.example.com/callback'],
    ...['https://evil.test\\@web.example.com/callback', '//web.example.com/callback', '/callback', 'callback'],
    ...[
      'http://web.example.com/callback',
      'javascript:alert(1)//web.example.com/callback',
      'https://*.example.com/callback',
    ],
    ...['https://till.example.com/callback', `${base},https://evil.test`, `${base}\r\nlocation: https://evil.test`],
  ]
  for (const redirect of variants) {
    it(`is never ${JSON.stringify(redirect)}`, async () => {
      for (const more of [{}, { prompt: 'none' }, { response_type: 'token' }] as More[]) {
        const { status, location, text } = await ask((await web.begin({ ...more, redirect_uri: redirect })).url)
        assert.equal(location, null)
        assert.equal(status, 400)
        assert.doesNotMatch(text, /evil|alert\(1\)|till\.example/)
      }
    })
  }

  it('has to be named, even when the app has one callback only', async () => {
    for (const redirect of [null, '']) {
      const { status, location } = await ask((await web.begin({ redirect_uri: redirect })).url)
      assert.deepEqual([status, location], [400, null])
    }
  })

  it('is nowhere for a client nobody registered', async () => {
    for (const id of ['home-nothing', 'HOME-WEB', '', '../web', '<script>alert(1)</script>']) {
      const { status, location, text } = await ask((await web.begin({ client_id: id })).url)
      assert.deepEqual([status, location], [400, null])
      assert.doesNotMatch(text, /<script|alert\(1/)
    }
    const missing = await ask((await web.begin({ client_id: null })).url)
    assert.deepEqual([missing.status, missing.location], [400, null])
    assert.deepEqual(identity.failures.splice(0), [])
  })
})

describe('a NUL, which PostgreSQL keeps in no text,', () => {
  for (const name of ['client_id', 'state', 'nonce', 'login_hint', 'ui_locales', 'redirect_uri', 'scope']) {
    it(`does no harm in ${name}`, async () => {
      const { status } = await ask((await web.begin({ [name]: 'a\0b' })).url)
      assert.deepEqual(identity.failures.splice(0), [])
      assert.ok([303, 400].includes(status), `${status}`)
    })
  }
})

describe('a browser that is signed in already', () => {
  it('is not assumed: prompt=none answers login_required', () => refused({ prompt: 'none' }, 'login_required'))

  it('comes back at once as the same person, with the time of the first sign-in', async () => {
    const first = await web.signIn(ada, undefined, { max_age: '10000' })
    for (const more of [{ prompt: 'none', max_age: '10000' }, { max_age: '10000' }] as More[]) {
      const again = await web.signIn(ada, first.browser, more)
      assert.equal(again.asked, false)
      assert.equal(again.claims.sub, first.claims.sub)
      assert.equal(again.claims.auth_time, first.claims.auth_time)
    }
    const other = await till.signIn(ada, first.browser)
    assert.deepEqual([other.asked, other.claims.sub, other.claims.aud], [false, ada.user, till.id])
  })

  it('is asked anew with prompt=login, and when the sign-in is older than max_age', async () => {
    const { browser, claims } = await web.signIn(ada, undefined, { max_age: '10000' })
    await new Promise(resolve => setTimeout(resolve, 2_100))
    for (const more of [{ prompt: 'login', max_age: '10000' }, { max_age: '1' }, { max_age: '0' }] as More[]) {
      const page = await browser.go((await web.begin(more)).url)
      assert.match(page.text, /<form/, JSON.stringify(more))
    }
    const again = await web.signIn(ada, browser, { prompt: 'login', max_age: '10000' })
    assert.equal(again.asked, true)
    assert.ok(Number(again.claims.auth_time) > Number(claims.auth_time))
  })

  it('cannot pass prompt=login by going back to the app without signing in', async () => {
    const { browser } = await web.signIn(ada)
    const page = await browser.go((await web.begin({ prompt: 'login' })).url)
    const resumed = await browser.go(page.url.replace('/sign-in/', '/v1/iam/oauth/authorize/'))
    assert.ok(!resumed.url.includes('code='), resumed.url)
  })

  it('may become somebody else by signing in anew', async () => {
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

  it('can be asked for by id_token_hint, and is not taken for somebody else', async () => {
    const eve = await addPerson(host, 'mallory@home.test')
    const [first, other] = [await web.signIn(ada), await web.signIn(eve)]
    const hint = (token: string | undefined) => ({ prompt: 'none', id_token_hint: `${token}` })
    assert.equal((await web.signIn(ada, first.browser, hint(first.tokens.id_token))).claims.sub, ada.user)
    const wrong = await first.browser.go((await web.begin(hint(other.tokens.id_token))).url)
    assert.equal(new URL(wrong.url).searchParams.get('error'), 'login_required')
  })

  it('is not found by a hint that is forged, an access token or none at all', async () => {
    const { tokens, browser } = await web.signIn(ada)
    const [head, body = '', sign] = `${tokens.id_token}`.split('.')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const changed = Buffer.from(body, 'base64url').toString().replace(ada.user, 'usr_somebody')
    const forged = `${head}.${Buffer.from(changed).toString('base64url')}.${sign}`
    for (const hint of [forged, `${none}.${body}.`, tokens.access_token, 'x.y.z', '<script>']) {
      const page = await browser.go((await web.begin({ prompt: 'none', id_token_hint: hint })).url)
      assert.equal(new URL(page.url).searchParams.get('error'), 'invalid_request', hint)
    }
    assert.deepEqual(identity.failures.splice(0), [])
  })
})

describe('a request that is not ours to read', () => {
  it('by value is refused', () => refused({ request: 'e30.e30.' }, 'request_not_supported'))
  it('by reference is refused, and nobody fetches it', () =>
    refused({ request_uri: 'https://web.example.com/request' }, 'request_uri_not_supported'))
  it('with a registration is refused', () => refused({ registration: '{}' }, 'registration_not_supported'))
  it('with a prompt nobody knows is refused', () => refused({ prompt: 'dance' }, 'invalid_request'))
  it('with prompt none and login is refused', () => refused({ prompt: 'none login' }, 'invalid_request'))
  it('with a max_age below zero is refused', () => refused({ max_age: '-1' }, 'invalid_request'))
  it('for another API is refused', () => refused({ resource: 'https://evil.test' }, 'invalid_target'))
  it('with scopes of illegal letters is refused', () => refused({ scope: 'openid "<script>"' }, 'invalid_scope'))
  it('without the scope openid gets no ID token or is refused', async () => {
    const page = await identity.browser().go((await web.begin({ scope: 'email' })).url)
    assert.ok(page.url.includes('error=') || page.text.includes('<form'), page.url)
  })

  for (const name of ['scope', 'state', 'nonce', 'code_challenge', 'response_type', 'prompt']) {
    it(`with ${name} twice is refused`, () => refused({ prompt: 'none' }, 'invalid_request', `&${name}=x`))
  }
  it('with client_id or redirect_uri twice leads nowhere new', async () => {
    const { url } = await web.begin()
    for (const twice of ['client_id=home-till', 'redirect_uri=https://evil.test/']) {
      for (const both of [`${url}&${twice}`, url.replace('?', `?${twice}&`)]) {
        const { location, status } = await ask(both)
        assert.ok(location === null || location.startsWith(`${web.callback}?error=invalid_request`), `${location}`)
        assert.ok([303, 400].includes(status))
      }
    }
  })
})

describe('the proof key', () => {
  const good = 'a'.repeat(43)
  it('has to be there', () => refused({ code_challenge: null, code_challenge_method: null }, 'invalid_request'))
  it('has to be there when a method is', () => refused({ code_challenge: null }, 'invalid_request'))
  it('is not taken plain', () => refused({ code_challenge: good, code_challenge_method: 'plain' }, 'invalid_request'))
  it('is not taken plain by silence', () => refused({ code_challenge_method: null }, 'invalid_request'))
  for (const method of ['s256', 'S512', 'none', '']) {
    it(`is not taken by the method '${method}'`, () => refused({ code_challenge_method: method }, 'invalid_request'))
  }
  const bad = ['', 'short', 'a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(42)}!`, `${'a'.repeat(42)}=`, 'é'.repeat(43)]
  for (const challenge of bad) {
    it(`is not '${challenge.slice(0, 6)}…' of ${challenge.length}`, () =>
      refused({ code_challenge: challenge }, 'invalid_request'))
  }
})
