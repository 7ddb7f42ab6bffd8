import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../test/host.ts'
import { addPerson, registerApp, startIdentity } from '../../test/identity.ts'
import { manualClock } from '../engines/clock/clock.ts'
import { openGuesses } from './guesses.ts'

const host = await startHost()
const identity = await startIdentity(host)
const web = await registerApp(host, identity, { app: 'web' })
const WRONG = 'wrong-password-here'
const MINUTE_MS = 60_000

/** Tries passwords from an address, in a browser of its own or the one given. */
async function guesser(address: string, browser = identity.browser()) {
  const page = await browser.go((await web.begin({ prompt: 'login' })).url)
  const headers = { 'x-test-address': address }
  return (email: string, password = WRONG) => browser.submit(page, { email, password }, headers)
}

describe('guessing a password', () => {
  it('is possible ten times, and then has to wait a quarter of an hour, right or wrong', async () => {
    const ada = await addPerson(host, 'ada@home.test')
    const guess = await guesser('10.0.0.1')
    for (let turn = 0; turn < 10; turn++) assert.equal((await guess(ada.email)).status, 401)
    const throttled = await guess(ada.email)
    assert.equal(throttled.status, 429)
    assert.match(throttled.text, /Wait 15 minutes/)
    assert.match(throttled.text, /<form/)
    const elsewhere = await guesser('10.0.0.2')
    assert.equal((await elsewhere(ada.email, ada.password)).status, 429, 'whatever the address')
    host.clock.advance(15 * MINUTE_MS)
    assert.ok((await guess(ada.email, ada.password)).url.startsWith(`${web.callback}?code=`))
  })

  it('is told in a header how long to wait', async () => {
    const guess = await guesser('10.0.1.1')
    for (let turn = 0; turn < 10; turn++) await guess('header@home.test')
    const { status, headers } = await guess('header@home.test')
    assert.equal(status, 429)
    assert.equal(headers.get('retry-after'), '900')
  })

  it('is slowed down for addresses nobody has just the same', async () => {
    const guess = await guesser('10.0.2.1')
    const told = []
    for (let turn = 0; turn < 11; turn++) told.push((await guess('nobody@home.test')).status)
    assert.deepEqual(told, [...Array(10).fill(401), 429])
  })

  it('is not easier by writing the address differently', async () => {
    const guess = await guesser('10.0.3.1')
    const ways = ['eve@home.test', 'EVE@home.test', ' eve@home.test', 'Eve@Home.Test ']
    const told = []
    for (let turn = 0; turn < 12; turn++) told.push((await guess(`${ways[turn % ways.length]}`)).status)
    assert.deepEqual(told.slice(10), [429, 429])
  })

  it('is not easier all at once', async () => {
    const guess = await guesser('10.0.4.1')
    const told = await Promise.all(Array.from({ length: 40 }, () => guess('parallel@home.test')))
    const checked = told.filter(({ status }) => status === 401).length
    assert.ok(checked <= 10, `${checked} were checked`)
  })

  it('never locks out a browser in which the owner has signed in before', async () => {
    const owner = await addPerson(host, 'owner@shop.test')
    const { browser } = await web.enter(owner)
    const stranger = await guesser('10.0.5.1')
    const told = []
    for (let turn = 0; turn < 60; turn++) told.push((await stranger(owner.email)).status)
    assert.deepEqual([...new Set(told.slice(10))], [429])
    const known = await guesser('10.0.5.1', browser)
    assert.ok((await known(owner.email, owner.password)).url.startsWith(`${web.callback}?code=`))
  })

  it('is bounded in a known browser as well, and only for the account it knows', async () => {
    const [one, two] = [await addPerson(host, 'one@shop.test'), await addPerson(host, 'two@shop.test')]
    const { browser } = await web.enter(one)
    const guess = await guesser('10.0.6.1', browser)
    const told = []
    for (let turn = 0; turn < 11; turn++) told.push((await guess(one.email)).status)
    assert.deepEqual(told, [...Array(10).fill(401), 429])
    for (let turn = 0; turn < 10; turn++) assert.equal((await guess(two.email)).status, 401)
    assert.equal((await guess(two.email)).status, 429)
  })

  it('locks nobody out of a browser that several people use', async () => {
    const people = [await addPerson(host, 'first@shop.test'), await addPerson(host, 'second@shop.test')]
    const browser = identity.browser()
    for (const person of people) await web.enter(person, browser, { prompt: 'login' }).catch(() => {})
    const stranger = await guesser('10.0.9.1')
    for (const { email } of people) for (let turn = 0; turn < 11; turn++) await stranger(email)
    for (const person of people) {
      const known = await guesser('10.0.9.2', browser)
      assert.notEqual((await known(person.email, person.password)).status, 429, person.email)
    }
  })

  it('of a known browser cannot be made up', async () => {
    const owner = await addPerson(host, 'mark@shop.test')
    const { browser } = await web.enter(await addPerson(host, 'thief@shop.test'))
    const guess = await guesser('10.0.7.1', browser)
    for (let turn = 0; turn < 10; turn++) await guess(owner.email)
    assert.equal((await guess(owner.email, owner.password)).status, 429)
    const forger = identity.browser()
    forger.jar.set('__Host-stoa-id-known', { value: 'a'.repeat(43), path: '/' })
    assert.equal((await (await guesser('10.0.7.2', forger))(owner.email, owner.password)).status, 429)
  })

  it('over many accounts from one address has to wait as well', async () => {
    const guess = await guesser('10.0.8.1')
    const told = await Promise.all(Array.from({ length: 100 }, (_, n) => guess(`spray${n}@home.test`)))
    assert.deepEqual([...new Set(told.map(({ status }) => status))], [401])
    assert.equal((await guess('spray100@home.test')).status, 429)
    const other = await guesser('10.0.8.2')
    assert.equal((await other('spray100@home.test')).status, 401)
  })
})

describe('the counts', () => {
  it('of five thousand wrong passwords leave the known browser free and the account bounded', () => {
    const guesses = openGuesses(manualClock('2026-11-15T09:00:00.000Z'))
    const account = 'ada@home.test'
    for (let n = 0; n < 5_000; n++) guesses.count({ account, address: `10.${n >> 8}.${n & 255}.1`, knownBrowser: null })
    assert.equal(guesses.waitS({ account, address: '192.0.2.1', knownBrowser: null }), 900)
    assert.equal(guesses.waitS({ account, address: '192.0.2.1', knownBrowser: 'mark' }), 0)
    assert.equal(guesses.waitS({ account: 'eve@home.test', address: '192.0.2.1', knownBrowser: null }), 0)
  })

  it('of an IPv6 address are those of its network, whose owner has as many as they like', () => {
    const guesses = openGuesses(manualClock('2026-11-15T09:00:00.000Z'))
    const from = (address: string, account: string) => ({ account, address, knownBrowser: null })
    for (let n = 0; n < 100; n++) guesses.count(from(`2001:db8:1:2::${n.toString(16)}`, `a${n}@home.test`))
    for (const same of ['2001:db8:1:2:3:4:5:6', '2001:0DB8:1:2::', '2001:db8:1:2::ffff:ffff']) {
      assert.equal(guesses.waitS(from(same, 'new@home.test')), 900, same)
    }
    for (const other of ['2001:db8:1:3::1', '2001:db8::1', '::1', '192.0.2.1', '::ffff:192.0.2.1']) {
      assert.equal(guesses.waitS(from(other, 'new@home.test')), 0, other)
    }
  })

  it('begin anew when the window is over, not before', () => {
    const clock = manualClock('2026-11-15T09:00:00.000Z')
    const guesses = openGuesses(clock)
    const who = { account: 'ada@home.test', address: '192.0.2.1', knownBrowser: null }
    for (let n = 0; n < 10; n++) guesses.count(who)
    clock.advance(15 * MINUTE_MS - 1)
    assert.equal(guesses.waitS(who), 1)
    clock.advance(1)
    assert.equal(guesses.waitS(who), 0)
    guesses.count(who)
    assert.equal(guesses.waitS(who), 0)
  })
})
