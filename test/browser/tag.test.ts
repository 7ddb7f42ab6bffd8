// The browser tag in Chromium, on pages with a strict content security policy, against the real host: what it records, and
// what it never does.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { NO_CHROMIUM } from '../client/chromium.ts'
import { catchUp } from '../warehouse.ts'
import { type Site, type Stored, tagWorld } from './tagged-site.ts'

/** Most of the time the tests wait for the tag. */
const AT_ONCE = 4
/** Longer than the tag waits before it sends. */
const SENT_MS = 2_500
const AUTOCAPTURED = ['$click', '$input', '$change', '$submit', '$view']

/** The tag has taken over the calls. */
const loaded = (page: Page) => page.waitForFunction('typeof stoa === "function" && !!stoa.q && !Array.isArray(stoa.q)')
const call = (page: Page, ...args: unknown[]) => page.evaluate(`stoa(...${JSON.stringify(args)})`)
const namesOf = (events: readonly Stored[]) => events.map(({ event }) => event)
const pathOf = ({ properties }: Stored) => new URL(String(properties.$current_url)).pathname

async function opened(site: Site, ...args: Parameters<Site['page']>): Promise<Page> {
  const page = await site.open()
  await page.goto(site.page(...args))
  await loaded(page)
  return page
}

describe('the tag', { skip: NO_CHROMIUM, concurrency: AT_ONCE }, async () => {
  if (NO_CHROMIUM) return
  const { site, host } = await tagWorld()
  const nothingStored = async (shop: Site) => {
    await wait(SENT_MS)
    assert.deepEqual([shop.sent, await shop.stored()], [[], []])
  }

  it('records a page view for each address, through the History API too', async t => {
    const shop = await site(t)
    const page = await opened(shop, 'home')
    await page.evaluate(`
      history.pushState({ n: 1 }, '', '/a')
      history.pushState({}, '', '/a')
      history.replaceState({ n: 2 }, '', '/a#part')
      history.pushState({}, '', '/b')`)
    await page.goBack()
    const views = await shop.storedAfter(4)
    assert.deepEqual([...new Set(namesOf(views))], ['$pageview'])
    assert.deepEqual(views.map(pathOf), [new URL(shop.page('home')).pathname, '/a', '/b', '/a'])
    assert.deepEqual(await page.evaluate('history.state'), { n: 2 })
    const [first] = views as [Stored]
    assert.deepEqual([first.properties.$browser, first.properties.$device_type], ['Chrome', 'desktop'])
    assert.equal(new Set(views.map(one => one.session_id)).size, 1)
    assert.equal(new Set(views.map(one => one.anonymous_id)).size, 1)
    assert.deepEqual(shop.troubles, [])
  })

  it('keeps the campaign of an address, and nothing else of its query or fragment', async t => {
    const shop = await site(t)
    const page = await shop.open()
    await page.goto(`${shop.page('home')}?q=my-illness&utm_source=news&utm_campaign=May#token=abc`)
    const [view] = (await shop.storedAfter(1)) as [Stored]
    assert.ok(String(view.properties.$current_url).endsWith('/home?utm_source=news&utm_campaign=May'))
  })

  it('records the five events of elements, and nothing that a person typed', async t => {
    const shop = await site(t)
    const typed = 'typed-secret-91'
    const page = await opened(
      shop,
      'form',
      `<form id="order" action="/nothing">
        <input name="id"><textarea id="note"></textarea>
        <input type="password" id="password"><input id="card" data-stoa-private>
        <div data-stoa-private><input id="inside"></div>
        <div contenteditable="true" id="editor"></div>
        <select name="size"><option>S<option>${typed}</select>
        <label><input type="checkbox" id="terms"> Terms</label>
        <button id="pay" type="submit" data-stoa="pay">Pay</button>
      </form><p id="shown"></p>`,
      { after: `addEventListener('submit', event => event.preventDefault())` },
    )
    for (const field of ['[name=id]', '#note', '#password', '#card', '#inside', '#editor']) {
      await page.locator(field).click()
      await page.keyboard.type(typed)
    }
    await page.locator('select').selectOption(typed)
    await page.locator('#terms').check()
    await page.evaluate(`shown.textContent = note.value`)
    await page.locator('#shown').click()
    await page.locator('#pay').click()
    await wait(SENT_MS)
    const events = await shop.stored()
    const elements = events.filter(({ event }) => event !== '$pageview')
    assert.deepEqual([...new Set(namesOf(elements))].sort(), [...AUTOCAPTURED].sort())
    const of = (event: string, name: '$el_id' | '$el_name' | '$el_label') =>
      elements.filter(one => one.event === event).flatMap(({ properties }) => properties[name] ?? [])
    assert.deepEqual(of('$input', '$el_name'), ['id', 'size'])
    assert.deepEqual(of('$input', '$el_id'), ['note', 'terms'])
    assert.deepEqual(of('$change', '$el_name'), ['id', 'size'])
    assert.deepEqual(of('$submit', '$el_id'), ['order'])
    assert.deepEqual(of('$click', '$el_label'), ['pay'])
    const text = JSON.stringify([events, (await shop.log()).map(({ envelope }) => envelope)])
    for (const never of [typed, 'password', 'card', 'inside', 'editor']) assert.ok(!text.includes(never), never)
    assert.deepEqual(shop.troubles, [])
  })

  it('names a form whose fields hide its properties', async t => {
    const shop = await site(t)
    const page = await opened(
      shop,
      'hiding',
      `<form id="order"><input name="getAttribute"><input name="matches"><input name="localName"><input name="id"></form>`,
      { after: `addEventListener('submit', event => event.preventDefault())` },
    )
    await page.evaluate(`document.forms[0].requestSubmit()`)
    const submitted = (await shop.storedAfter(3)).find(({ event }) => event === '$submit')
    assert.deepEqual([submitted?.properties.$el_tag, submitted?.properties.$el_id], ['form', 'order'])
  })

  it('records no field of a form that is sent in an address', async t => {
    const shop = await site(t)
    const page = await opened(shop, 'search', `<form method="get"><input name="q"><button>Find</button></form>`)
    await page.locator('[name=q]').fill('my-illness-17')
    await Promise.all([page.waitForURL(/my-illness-17/), page.locator('button').click()])
    await loaded(page)
    await page.reload()
    await wait(SENT_MS)
    const events = await shop.stored()
    assert.equal(events.filter(({ event }) => event === '$pageview').length, 3)
    assert.ok(!JSON.stringify(events).includes('my-illness'))
  })

  it('records an element that is seen once for each page, also one that is added later', async t => {
    const shop = await site(t)
    const page = await opened(shop, 'offers', `<p data-stoa="offer">Offer</p><div style="height: 3000px"></div>`)
    await shop.storedAfter(2)
    await page.evaluate(`const late = document.body.appendChild(document.createElement('section'))
      late.dataset.stoa = 'late'; late.textContent = 'Late'`)
    await wait(1_000)
    assert.equal((await shop.stored()).length, 2, 'it is below what is visible')
    await page.evaluate('scrollTo(0, 100000)')
    await page.evaluate('scrollTo(0, 100000)')
    const views = (await shop.storedAfter(3)).filter(({ event }) => event === '$view')
    assert.deepEqual(
      views.map(({ properties }) => properties.$el_label),
      ['offer', 'late'],
    )
  })

  it('sends errors and rejections with their stack to the errors view', async t => {
    const shop = await site(t)
    const page = await opened(shop, 'broken', '<button>Pay</button>', {
      after: `function checkout() { null.total }
        function pay() { checkout() }
        addEventListener('click', pay)
        function loop(n) { throw new Error('loop ' + n) }
        function reject() { return Promise.reject(new RangeError('too many')) }`,
    })
    await page.locator('button').click()
    await page.evaluate('void reject()')
    await page.evaluate(`setTimeout(() => { throw 'a text' })`)
    await page.evaluate(`for (let n = 0; n < 50; n++) setTimeout(loop, 0, n)`)
    await wait(SENT_MS)
    await catchUp(host)
    const { data } = (await host.call('GET /v1/errors?limit=200', { as: shop.as })).body
    type Listed = {
      exception: {
        type: string
        message: string
        handled: boolean
        frames: { function?: string; line: number; file: string }[]
      }
    }
    const found = (type: string, message: RegExp) => {
      const one = (data as Listed[]).find(({ exception }) => exception.type === type && message.test(exception.message))
      assert.ok(one, `${type} ${message} is not among ${JSON.stringify(data).slice(0, 2000)}`)
      return one.exception
    }
    const thrown = found('TypeError', /total/)
    assert.deepEqual(
      thrown.frames.map(frame => frame.function),
      ['checkout', 'pay'],
    )
    assert.deepEqual([thrown.handled, thrown.frames[0]?.file], [false, shop.page('broken')])
    assert.equal(found('RangeError', /too many/).frames[0]?.function, 'reject')
    found('Error', /a text/)
    const looped = (data as Listed[]).filter(({ exception }) => exception.message.startsWith('loop'))
    assert.equal(looped.length, 5, 'an error in a loop is recorded a few times')
  })

  it('takes over the calls from before it was loaded, with their times', async t => {
    const shop = await site(t)
    await opened(shop, 'early', '', {
      after: `stoa('identify', 'user-1', { plan: 'pro' }); stoa('capture', 'Early', { n: 1, revenue: 12.5, currency: 'EUR' }); const until = Date.now() + 600; while (Date.now() < until);`,
    })
    const events = await shop.storedAfter(3)
    assert.deepEqual(namesOf(events), ['$identify', 'Early', '$pageview'])
    assert.deepEqual(
      events.map(one => one.distinct_id),
      ['user-1', 'user-1', 'user-1'],
    )
    const [, early, view] = events as [Stored, Stored, Stored]
    assert.equal(early.properties.n, 1)
    assert.ok(Date.parse(view.timestamp) - Date.parse(early.timestamp) >= 590)
    const { body } = await host.call('GET /v1/event', { as: shop.as })
    assert.ok(
      body.data.some((one: { revenue?: number; currency?: string }) => one.revenue === 12.5 && one.currency === 'EUR'),
    )
  })

  it('identifies a person, keeps two persons apart, and forgets on reset', async t => {
    const shop = await site(t)
    const page = await opened(shop, 'people')
    await call(page, 'identify', 'ada')
    await call(page, 'identify', 'ada')
    await call(page, 'capture', 'One')
    await call(page, 'identify', 'grace')
    await call(page, 'capture', 'Two')
    await call(page, 'reset')
    await call(page, 'capture', 'Three')
    await call(page, 'page', { section: 'x' })
    const events = await shop.storedAfter(7)
    assert.deepEqual(namesOf(events), ['$pageview', '$identify', 'One', '$identify', 'Two', 'Three', '$pageview'])
    const [before, ada, one, grace, two, three] = events as [Stored, Stored, Stored, Stored, Stored, Stored]
    assert.deepEqual([before.distinct_id, ada.distinct_id, one.distinct_id], [null, 'ada', 'ada'])
    assert.equal(before.anonymous_id, ada.anonymous_id)
    assert.deepEqual([grace.distinct_id, two.distinct_id, three.distinct_id], ['grace', 'grace', null])
    assert.equal(new Set([ada, grace, three].map(event => event.anonymous_id)).size, 3)
    assert.equal(new Set([ada, grace, three].map(event => event.session_id)).size, 3)
  })

  it('begins another session after 30 minutes of silence, and not before', async t => {
    const shop = await site(t)
    const page = await opened(shop, 'session')
    const silent = (minutes: number) =>
      page.evaluate(`const kept = JSON.parse(localStorage.stoa); kept.last -= ${minutes} * 60000
        localStorage.stoa = JSON.stringify(kept)`)
    await page.evaluate(
      `{ const kept = JSON.parse(localStorage.stoa); kept.last -= 29 * 60000; localStorage.stoa = JSON.stringify(kept) }`,
    )
    await call(page, 'capture', 'Same')
    await silent(31)
    await call(page, 'capture', 'Other')
    const [view, same, other] = (await shop.storedAfter(3)) as [Stored, Stored, Stored]
    assert.equal(view.session_id, same.session_id)
    assert.notEqual(same.session_id, other.session_id)
    assert.equal(same.anonymous_id, other.anonymous_id)
  })

  it('keeps the visitor in the other pages of the site, without a cookie', async t => {
    const shop = await site(t)
    const page = await opened(shop, 'one')
    await page.goto(shop.page('two'))
    const views = await shop.storedAfter(2)
    assert.equal(new Set(views.map(one => one.anonymous_id)).size, 1)
    assert.deepEqual([await shop.context.cookies(), await page.evaluate('document.cookie')], [[], ''])
  })

  for (const [signal, script] of Object.entries({
    'Do Not Track': `Object.defineProperty(navigator, 'doNotTrack', { value: '1' })`,
    'Global Privacy Control': `Object.defineProperty(navigator, 'globalPrivacyControl', { value: true })`,
  })) {
    it(`stores and sends nothing with ${signal}`, async t => {
      const shop = await site(t)
      await shop.context.addInitScript(script)
      const page = await opened(shop, 'private', '<button>Buy</button>', { after: `stoa('capture', 'Early')` })
      await page.locator('button').click()
      await call(page, 'identify', 'ada')
      await page.goto(shop.page('private'))
      await nothingStored(shop)
      assert.equal(await page.evaluate('localStorage.length'), 0)
    })
  }

  it('stores and sends nothing after optOut, until optIn, on later pages too', async t => {
    const shop = await site(t)
    const page = await opened(shop, 'out', '<button>Buy</button>')
    await shop.storedAfter(1)
    shop.sent.length = 0
    await page.evaluate(`stoa('capture', 'No'); stoa('optOut'); stoa('capture', 'No')`)
    await page.locator('button').click()
    await page.goto(shop.page('out', '<button>Buy</button>', { after: `stoa('capture', 'No')` }))
    await loaded(page)
    await page.locator('button').click()
    await wait(SENT_MS)
    assert.deepEqual([shop.sent, (await shop.stored()).length], [[], 1])
    assert.ok(!/anon|session|user/.test(String(await page.evaluate('JSON.stringify(localStorage)'))))
    await call(page, 'optIn')
    await call(page, 'capture', 'Yes')
    await call(page, 'optIn')
    await call(page, 'capture', 'Yes')
    const events = await shop.storedAfter(3)
    assert.deepEqual(namesOf(events), ['$pageview', 'Yes', 'Yes'])
    assert.equal(new Set(events.map(one => one.anonymous_id)).size, 2, 'optIn keeps the visitor')
  })

  it('sends nothing if the page opts out before it is loaded', async t => {
    const shop = await site(t)
    const page = await opened(shop, 'out', '', { after: `stoa('capture', 'No'); stoa('optOut')` })
    await nothingStored(shop)
    assert.ok(!/anon|session|user/.test(String(await page.evaluate('JSON.stringify(localStorage)'))))
  })

  it('works where the browser blocks storage', async t => {
    const shop = await site(t)
    await shop.context.addInitScript(
      `Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('blocked', 'SecurityError') } })`,
    )
    const page = await opened(shop, 'blocked')
    await call(page, 'identify', 'ada')
    await call(page, 'capture', 'One')
    const events = await shop.storedAfter(3)
    assert.equal(new Set(events.map(one => one.session_id)).size, 1)
    assert.equal(events.at(-1)?.distinct_id, 'ada')
    await call(page, 'optOut')
    await call(page, 'capture', 'No')
    await wait(SENT_MS)
    assert.equal((await shop.stored()).length, 3)
    assert.deepEqual(shop.troubles, [])
  })

  it('works on a page that freezes prototypes and its history', async t => {
    const shop = await site(t)
    const page = await opened(shop, 'frozen', '<button>Buy</button>', {
      before: `for (const one of [Object, Array, Function, String, Promise, Map, Element, History, EventTarget])
        Object.freeze(one.prototype)
        Object.freeze(history)`,
    })
    await page.evaluate(`history.pushState({}, '', '/elsewhere')`)
    await page.locator('button').click()
    assert.deepEqual(namesOf(await shop.storedAfter(3)), ['$pageview', '$pageview', '$click'])
    assert.deepEqual(shop.troubles, [])
  })

  it('works on a page whose own fetch throws, and leaves the functions of a page alone', async t => {
    const shop = await site(t)
    const page = await opened(shop, 'own', '', {
      before: `window.fetch = () => { throw new Error('no fetch here') }
        const { pushState } = history
        history.pushState = function (...args) { pushState.apply(this, args); return 'own' }`,
    })
    const answers = `[history.pushState({}, '', '/next'), (() => { try { fetch('/x') } catch (error) { return error.message } })()]`
    assert.deepEqual(await page.evaluate(answers), ['own', 'no fetch here'])
    const thrown = `(() => { try { history.pushState({}, '', 'https://elsewhere.example/') } catch (error) { return error.name } })()`
    assert.equal(await page.evaluate(thrown), 'SecurityError')
    assert.equal((await shop.storedAfter(2)).length, 2)
    assert.deepEqual(shop.troubles, [])
  })

  it('never throws into the page, whatever is passed to it', async t => {
    const shop = await site(t)
    const page = await opened(shop, 'odd')
    await page.evaluate(`
      const loop = {}; loop.loop = loop
      for (const args of [[], [null], ['toString'], ['__proto__'], ['capture'], ['capture', ''], ['capture', 5], ['capture', 'x', loop],
        ['capture', 'x', { n: 1n }], ['capture', 'Large', { text: 'x'.repeat(70000) }], ['identify'], ['identify', {}], ['identify', Symbol()],
        ['capture', 'Text', 'properties'], ['capture', 'Getter', { get a() { throw new Error('no') } }]]) stoa(...args)`)
    await call(page, 'capture', 'Fine')
    const events = await shop.storedAfter(3)
    assert.deepEqual(namesOf(events), ['$pageview', 'Text', 'Fine'])
    assert.deepEqual(shop.troubles, [])
  })

  it('records once if it is included twice, and leaves out what `data-off` names', async t => {
    const shop = await site(t, 'edge', 'data-off="$click $view"')
    const page = await shop.open()
    const address = shop.page('twice', '<form><button type="button">Buy</button></form>')
    await page.route(address, async route => {
      const answer = await route.fetch()
      const html = await answer.text()
      const [line = ''] = html.match(/<script async.*?<\/script>/) ?? []
      await route.fulfill({ response: answer, body: html.replace(line, line + line) })
    })
    await page.goto(address)
    await loaded(page)
    await page.locator('button').click()
    await wait(SENT_MS)
    assert.deepEqual(namesOf(await shop.stored()), ['$pageview'])
  })

  it('waits with the page view of a page that is loaded in advance', async t => {
    const shop = await site(t)
    await shop.context.addInitScript(`let ahead = true
      Object.defineProperty(document, 'prerendering', { get: () => ahead })
      window.activate = () => { ahead = false; document.dispatchEvent(new Event('prerenderingchange')) }`)
    const page = await shop.open()
    await page.goto(shop.page('ahead', '', { after: `stoa('capture', 'Early')` }))
    await nothingStored(shop)
    await page.evaluate('activate()')
    assert.deepEqual(namesOf(await shop.storedAfter(2)), ['Early', '$pageview'])
  })
})
