import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually, firstRun } from '../../test/eventually.ts'
import { startHost } from '../../test/host.ts'
import { addPerson, registerApp, startIdentity } from '../../test/identity.ts'
import { EngineUnavailable } from '../engines/engines.ts'
import { openMailLimiter, openPasswordLimiter } from './password-limiter.ts'

const host = await startHost()
const identity = await startIdentity(host)
const web = await registerApp(host, identity, { app: 'web' })
const WRONG = 'wrong-password-here'
const MINUTE_MS = 60_000

/** Tries passwords from an address, in a new browser or the given one. */
async function guesser(address: string, browser = identity.browser()) {
  const page = await browser.go((await web.begin({ prompt: 'login' })).url)
  const headers = { 'x-test-address': address }
  return (email: string, password = WRONG) => browser.submit(page, { email, password }, headers)
}

describe('wrong passwords', () => {
  it('throttle an account for 15 minutes after ten attempts, even for the right password', async () => {
    const ada = await addPerson(host, 'ada@home.test')
    const guess = await guesser('10.0.0.1')
    for (let attempt = 0; attempt < 10; attempt++) assert.equal((await guess(ada.email)).status, 401)
    const throttled = await guess(ada.email)
    assert.equal(throttled.status, 429)
    assert.match(throttled.text, /Wait 15 minutes/)
    assert.match(throttled.text, /<form/)
    const elsewhere = await guesser('10.0.0.2')
    assert.equal((await elsewhere(ada.email, ada.password)).status, 429, 'also from another address')
    host.clock.advance(15 * MINUTE_MS)
    assert.ok((await guess(ada.email, ada.password)).url.startsWith(`${web.callback}?code=`))
  })

  it('are answered with Retry-After once throttled', async () => {
    const guess = await guesser('10.0.1.1')
    for (let attempt = 0; attempt < 10; attempt++) await guess('header@home.test')
    const { status, headers } = await guess('header@home.test')
    assert.equal(status, 429)
    assert.equal(headers.get('retry-after'), '900')
  })

  it('are throttled for unknown accounts as well', async () => {
    const guess = await guesser('10.0.2.1')
    const statuses = []
    for (let attempt = 0; attempt < 11; attempt++) statuses.push((await guess('nobody@home.test')).status)
    assert.deepEqual(statuses, [...Array(10).fill(401), 429])
  })

  it('are counted together for different spellings of the e-mail address', async () => {
    const guess = await guesser('10.0.3.1')
    const spellings = ['eve@home.test', 'EVE@home.test', ' eve@home.test', 'Eve@Home.Test ']
    const statuses = []
    for (let attempt = 0; attempt < 12; attempt++)
      statuses.push((await guess(`${spellings[attempt % spellings.length]}`)).status)
    assert.deepEqual(statuses.slice(10), [429, 429])
  })

  it('are limited to ten in parallel as well', async () => {
    const guess = await guesser('10.0.4.1')
    const responses = await Promise.all(Array.from({ length: 40 }, () => guess('parallel@home.test')))
    const checked = responses.filter(({ status }) => status === 401).length
    assert.ok(checked <= 10, `${checked} were checked`)
  })

  it('never lock out a browser in which the owner has signed in before', async () => {
    const owner = await addPerson(host, 'owner@shop.test')
    const { browser } = await web.enter(owner)
    const attacker = await guesser('10.0.5.1')
    const statuses = []
    for (let attempt = 0; attempt < 60; attempt++) statuses.push((await attacker(owner.email)).status)
    assert.deepEqual([...new Set(statuses.slice(10))], [429])
    const known = await guesser('10.0.5.1', browser)
    assert.ok((await known(owner.email, owner.password)).url.startsWith(`${web.callback}?code=`))
  })

  it('are limited in a known browser as well, which is known only for its account', async () => {
    const [one, two] = [await addPerson(host, 'one@shop.test'), await addPerson(host, 'two@shop.test')]
    const { browser } = await web.enter(one)
    const guess = await guesser('10.0.6.1', browser)
    const statuses = []
    for (let attempt = 0; attempt < 11; attempt++) statuses.push((await guess(one.email)).status)
    assert.deepEqual(statuses, [...Array(10).fill(401), 429])
    for (let attempt = 0; attempt < 10; attempt++) assert.equal((await guess(two.email)).status, 401)
    assert.equal((await guess(two.email)).status, 429)
  })

  it('do not lock out people who share a browser', async () => {
    const people = [await addPerson(host, 'first@shop.test'), await addPerson(host, 'second@shop.test')]
    const browser = identity.browser()
    for (const person of people) await web.enter(person, browser, { prompt: 'login' }).catch(() => {})
    const attacker = await guesser('10.0.9.1')
    for (const { email } of people) for (let attempt = 0; attempt < 11; attempt++) await attacker(email)
    for (const person of people) {
      const known = await guesser('10.0.9.2', browser)
      assert.notEqual((await known(person.email, person.password)).status, 429, person.email)
    }
  })

  it('cannot be hidden by a forged cookie of a known browser', async () => {
    const owner = await addPerson(host, 'mark@shop.test')
    const { browser } = await web.enter(await addPerson(host, 'thief@shop.test'))
    const guess = await guesser('10.0.7.1', browser)
    for (let attempt = 0; attempt < 10; attempt++) await guess(owner.email)
    assert.equal((await guess(owner.email, owner.password)).status, 429)
    const forger = identity.browser()
    forger.jar.set('__Host-stoa-id-known', { value: 'a'.repeat(43), path: '/' })
    assert.equal((await (await guesser('10.0.7.2', forger))(owner.email, owner.password)).status, 429)
  })

  it('do not include those that could not be checked', async t => {
    const { email, password } = await addPerson(host, 'unchecked@home.test')
    const { verify } = host.engines.passwords
    t.after(() => {
      host.engines.passwords.verify = verify
    })
    host.engines.passwords.verify = async () => {
      throw new EngineUnavailable('passwords', 'busy')
    }
    const guess = await guesser('10.0.9.1')
    for (let attempt = 0; attempt < 12; attempt++) assert.equal((await guess(email, password)).status, 503)
    host.engines.passwords.verify = verify
    assert.ok((await guess(email, password)).url.startsWith(`${web.callback}?code=`))
  })

  it('throttle an address after 100 attempts on different accounts', async () => {
    const guess = await guesser('10.0.8.1')
    for (let tens = 0; tens < 10; tens++) {
      // Concurrent attempts would wait for each other longer than a page may take.
      const responses = await Promise.all(Array.from({ length: 10 }, (_, n) => guess(`spray${tens}${n}@home.test`)))
      assert.deepEqual([...new Set(responses.map(({ status }) => status))], [401])
    }
    assert.equal((await guess('spray100@home.test')).status, 429)
    const other = await guesser('10.0.8.2')
    assert.equal((await other('spray100@home.test')).status, 401)
  })
})

describe('wrong passwords at two processes on one database', () => {
  it('are limited to ten together, in parallel as well', async () => {
    const second = await startIdentity(host)
    const other = await registerApp(host, second, { app: 'other' })
    const ada = await addPerson(host, 'ada@two.test')
    const browser = second.browser()
    const shown = await browser.go((await other.begin()).url)
    const guessThere = (email: string, password = WRONG) =>
      browser.submit(shown, { email, password }, { 'x-test-address': '10.1.0.2' })
    const guessHere = await guesser('10.1.0.1')
    const tries = Array.from({ length: 12 }, () => [guessHere(ada.email), guessThere(ada.email)]).flat()
    const checked = (await Promise.all(tries)).filter(({ status }) => status === 401)
    assert.equal(checked.length, 10)
    assert.equal((await guessThere(ada.email, ada.password)).status, 429)
  })
})

describe('the password limiter', () => {
  const limiter = openPasswordLimiter(host.engines)
  const tries = async (...attempt: Parameters<typeof limiter.count>) => (await limiter.count(...attempt)).waitS

  it('throttles an account after wrong passwords from many addresses, but not a known browser', async () => {
    const account = 'ada@many.test'
    const from = (n: number) => limiter.count({ account, address: `10.9.${n}.1`, knownBrowser: null })
    await Promise.all(Array.from({ length: 80 }, (_, n) => from(n)))
    assert.equal(await tries({ account, address: '192.0.2.1', knownBrowser: null }), 900)
    assert.equal(await tries({ account, address: '192.0.2.1', knownBrowser: 'mark' }), 0)
    assert.equal(await tries({ account: 'eve@many.test', address: '192.0.2.1', knownBrowser: null }), 0)
  })

  it('counts IPv6 addresses by their /64 network', async () => {
    const from = (address: string, account: string) => ({ account, address, knownBrowser: null })
    for (let n = 0; n < 100; n++) await tries(from(`2001:db8:1:2::${n.toString(16)}`, `a${n}@six.test`))
    for (const same of ['2001:db8:1:2:3:4:5:6', '2001:0DB8:1:2::', '2001:db8:1:2::ffff:ffff']) {
      assert.equal(await tries(from(same, 'new@six.test')), 900, same)
    }
    for (const other of ['2001:db8:1:3::1', '2001:db8::1', '::1', '192.0.2.1', '::ffff:192.0.2.1']) {
      assert.equal(await tries(from(other, 'new@six.test')), 0, other)
    }
  })

  it('resets at the end of the window, not before', async () => {
    const who = { account: 'ada@reset.test', address: '192.0.2.9', knownBrowser: null }
    for (let n = 0; n < 10; n++) assert.equal(await tries(who), 0)
    host.clock.advance(15 * MINUTE_MS - 1)
    assert.equal(await tries(who), 1)
    host.clock.advance(1)
    for (let n = 0; n < 10; n++) assert.equal(await tries(who), 0)
    assert.equal(await tries(who), 900)
  })

  it('does not count refused attempts, neither of a full account for the address nor the other way round', async () => {
    const from = (account: string, address = '10.8.0.1') => ({ account, address, knownBrowser: null })
    await Promise.all(Array.from({ length: 80 }, () => tries(from('full@both.test'))))
    const others = Array.from({ length: 90 }, (_, n) => tries(from(`a${n}@both.test`)))
    assert.deepEqual([...new Set(await Promise.all(others))], [0])
    for (let n = 0; n < 20; n++) assert.equal(await tries(from('spared@both.test')), 900)
    assert.equal(await tries(from('spared@both.test', '10.8.0.2')), 0)
  })

  it('admits ten mails an hour per network, over all processes', async () => {
    const beside = await startHost({ beside: host })
    const limiters = [openMailLimiter(host.engines), openMailLimiter(beside.engines)]
    const asked = Array.from({ length: 30 }, (_, n) => limiters[n % 2]?.('192.0.2.0'))
    const waits = await Promise.all(asked)
    assert.equal(waits.filter(wait => wait === 0).length, 10)
    assert.ok(
      waits.every(wait => wait === 0 || wait === 3600),
      `${waits}`,
    )
    assert.equal(await limiters[0]?.('192.0.2.64'), 0)
    host.clock.advance(60 * MINUTE_MS)
    assert.equal(await limiters[0]?.('192.0.2.0'), 0)
  })

  it('keeps nothing of right passwords, and deletes the counts of windows that have ended', async t => {
    const own = await startHost({ runsBackground: true }, t)
    const ownLimiter = openPasswordLimiter(own.engines)
    const rows = () => own.db`select from guesses`
    for (const knownBrowser of [null, 'mark']) {
      const who = { account: 'ada@home.test', address: '10.7.0.1', knownBrowser }
      await (await ownLimiter.count(who)).forget()
    }
    assert.equal((await rows()).length, 0)
    await ownLimiter.count({ account: 'ada@home.test', address: '10.7.0.1', knownBrowser: null })
    assert.equal((await rows()).length, 2)
    await firstRun(own.db, 'retention of iam')
    own.clock.advance(15 * MINUTE_MS)
    await eventually(rows, ({ length }) => length === 0)
  })
})
