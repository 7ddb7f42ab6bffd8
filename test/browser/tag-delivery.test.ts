// How the browser tag delivers what it recorded: once, in bounded batches, whatever becomes of the page and the server.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { NO_CHROMIUM } from '../client/chromium.ts'
import { eventually } from '../eventually.ts'
import { type Fault, type Site, tagWorld } from './tagged-site.ts'

/** The limits of `POST /v1/event`. */
const [EVENTS_MAX, BYTES_MAX] = [50, 64 * 1024]
/** Most of the time the tests wait for the tag. */
const AT_ONCE = 4
const SENT_MS = 2_500
/** Longer than the tag waits before it sends again what it cannot know to be stored. */
const AGAIN_MS = 9_000

const loaded = (page: Page) => page.waitForFunction('typeof stoa === "function" && !!stoa.q && !Array.isArray(stoa.q)')
/** Captures events `e0`, `e1` and so on, each with a text of that length. */
const capture = (page: Page, count: number, characters = 0) =>
  page.evaluate(`for (let n = 0; n < ${count}; n++) stoa('capture', 'e' + n, { text: 'x'.repeat(${characters}) })`)
const eventsIn = (count: number) => ['$pageview', ...Array.from({ length: count }, (_, n) => `e${n}`)].sort()
const timesSent = (site: Site) => site.sent.flatMap(({ events }) => events.map(({ messageId }) => messageId))

async function opened(shop: Site, attributes?: { after?: string; before?: string }): Promise<Page> {
  const page = await shop.open()
  await page.goto(shop.page('home', '', attributes))
  await loaded(page)
  return page
}

/** Each of these events is stored, and only once. */
async function storedOnce(shop: Site, count: number): Promise<void> {
  const events = await shop.storedAfter(count + 1)
  assert.deepEqual(events.map(({ event }) => event).sort(), eventsIn(count))
}

function requestsWithinLimits(shop: Site): void {
  for (const { events, bytes } of shop.sent) assert.ok(events.length <= EVENTS_MAX && bytes <= BYTES_MAX, `${bytes}`)
}

describe('the tag delivers', { skip: NO_CHROMIUM, concurrency: AT_ONCE }, async () => {
  if (NO_CHROMIUM) return
  const { site } = await tagWorld()

  it('more than 50 events, and more than 64 KiB, in several requests', async t => {
    const shop = await site(t)
    const page = await opened(shop)
    await capture(page, 120)
    await storedOnce(shop, 120)
    requestsWithinLimits(shop)
    const large = await site(t)
    await capture(await opened(large), 10, 20_000)
    await storedOnce(large, 10)
    requestsWithinLimits(large)
    assert.ok(large.sent.length >= 4)
    assert.equal(new Set(timesSent(shop)).size, timesSent(shop).length, 'nothing was sent twice')
    assert.deepEqual(shop.troubles, [])
  })

  it('texts of several bytes a character within the limit of bytes', async t => {
    const shop = await site(t)
    const page = await opened(shop)
    await page.evaluate(`for (let n = 0; n < 8; n++) stoa('capture', 'e' + n, { text: '€'.repeat(6000) })`)
    await storedOnce(shop, 8)
    requestsWithinLimits(shop)
  })

  for (const [way, leave] of Object.entries({
    'another page of the site': (page: Page, shop: Site) =>
      page.goto(shop.page('next', '', {}).replace('/next', '/none')),
    'a page elsewhere': (page: Page) => page.goto('about:blank'),
    'closing the tab': (page: Page) => page.close({ runBeforeUnload: true }),
  })) {
    it(`what was captured just before ${way}`, async t => {
      const shop = await site(t)
      const page = await opened(shop)
      await capture(page, 3)
      await leave(page, shop)
      await storedOnce(shop, 3)
      for (const { cookie } of shop.sent) assert.equal(cookie, undefined)
    })
  }

  it('what was captured while another page replaces it', async t => {
    const shop = await site(t)
    const page = await opened(shop)
    await page.evaluate(
      `addEventListener('pagehide', () => stoa('capture', 'e1')); stoa('capture', 'e0'); location.href = '/none'`,
    )
    await storedOnce(shop, 2)
  })

  it('more than a closing page may send, with the next page of the site', async t => {
    const shop = await site(t)
    const page = await opened(shop)
    await capture(page, 10, 20_000)
    await page.goto(shop.page('next'))
    await loaded(page)
    const events = await shop.storedAfter(12)
    assert.deepEqual(events.map(({ event }) => event).sort(), ['$pageview', ...eventsIn(10)].sort())
    requestsWithinLimits(shop)
  })

  const cases: [what: string, faults: Fault[]][] = [
    ['answers 503', [{ status: 503 }, { status: 503 }]],
    ['answers 500 after it stored them', [{ status: 500, isPassed: true }]],
    ['closes the connection', [{ closes: true }, { closes: true }, { closes: true }]],
    ['closes the connection after it stored them', [{ closes: true, isPassed: true }]],
  ]
  for (const [what, faults] of cases) {
    it(`once, to a server that ${what}`, async t => {
      const shop = await site(t)
      shop.faults.push(...faults)
      const page = await opened(shop)
      await capture(page, 60)
      await storedOnce(shop, 60)
      await wait(AGAIN_MS)
      await storedOnce(shop, 60)
      assert.deepEqual(shop.troubles, [])
    })
  }

  for (const status of [429, 503]) {
    it(`no earlier than Retry-After of a ${status} says, also what is captured meanwhile`, async t => {
      const shop = await site(t)
      shop.faults.push({ status, retryAfter: 4, delayMs: 500 })
      const page = await opened(shop)
      await eventually(
        () => shop.sent.length,
        length => length > 0,
      )
      await capture(page, 2)
      await storedOnce(shop, 2)
      const [first, second] = shop.sent
      assert.ok((second?.atMs ?? 0) - (first?.atMs ?? 0) >= 4_000)
    })
  }

  it('what the server could not take before the page was left', async t => {
    const shop = await site(t)
    shop.faults.push({ status: 503, retryAfter: 60 })
    const page = await opened(shop)
    await capture(page, 2)
    await wait(SENT_MS)
    assert.equal(shop.sent.length, 1)
    await page.goto(shop.page('next'))
    const events = await shop.storedAfter(4)
    assert.deepEqual(events.map(({ event }) => event).sort(), ['$pageview', ...eventsIn(2)].sort())
  })

  it('only the events again that were dropped, once', async t => {
    const shop = await site(t)
    const page = await opened(shop)
    await shop.storedAfter(1)
    shop.sent.length = 0
    await page.evaluate(`stoa('capture', 'Fine'); stoa('capture', 'x'.repeat(201)); stoa('capture', 'Fine too')`)
    await shop.storedAfter(3)
    await wait(AGAIN_MS)
    const sizes = shop.sent.map(({ events }) => events.length)
    assert.deepEqual(sizes, [3, 1])
    assert.equal(shop.sent[1]?.events[0]?.event.length, 201)
  })

  const blind = async (t: TestContext, faults: Fault[]) => {
    const shop = await site(t, 'away')
    shop.faults.push(...faults)
    const page = await opened(shop)
    await capture(page, 3)
    await storedOnce(shop, 3)
    await wait(AGAIN_MS)
    await capture(page, 1)
    await shop.storedAfter(5)
    await wait(AGAIN_MS)
    await storedTwice(shop)
  }
  const storedTwice = async (shop: Site) => {
    assert.equal((await shop.stored()).length, 5)
    const counts = Map.groupBy(timesSent(shop), id => id)
    assert.deepEqual(
      [...counts.values()].map(({ length }) => length),
      [2, 2, 2, 2, 2],
    )
    assert.deepEqual(shop.troubles, [])
  }

  it('once more with the same ids where it may not read the answers', t => blind(t, []))

  it('to another origin that it may read, each event once', async t => {
    const shop = await site(t, 'allowed')
    const methods = new Set<string>()
    const ids: string[] = []
    const page = await shop.open()
    page.on('request', request => {
      if (request.method() === 'GET') return
      methods.add(request.method())
      const { events } = JSON.parse(request.postData() ?? '{"events":[]}') as { events: { messageId: string }[] }
      ids.push(...events.map(({ messageId }) => messageId))
    })
    await page.goto(shop.page('home'))
    await loaded(page)
    await capture(page, 3)
    await storedOnce(shop, 3)
    await wait(AGAIN_MS)
    assert.deepEqual([...methods], ['POST'], 'no preflight')
    assert.ok(ids.length >= 3)
    assert.equal(new Set(ids).size, ids.length, 'no second attempt')
    assert.deepEqual(shop.troubles, [])
  })

  it('what a server that was down for long left in the queue: the newest, within a bound', async t => {
    const shop = await site(t, 'edge', 'data-debug')
    shop.isDown = true
    shop.faults.push({ status: 503, retryAfter: 3 })
    const page = await shop.open()
    const notes: string[] = []
    page.on('console', message => {
      if (message.text().includes('oldest')) notes.push(message.text())
    })
    await page.goto(shop.page('home'))
    await loaded(page)
    await capture(page, 100, 10_000)
    await wait(SENT_MS)
    await capture(page, 100, 10_000)
    assert.equal(notes.length, 1, 'it says so once')
    shop.isDown = false
    await wait(AGAIN_MS * 2)
    const events = await shop.stored()
    assert.ok(events.length >= 40 && events.length <= 60, `${events.length} are stored`)
    assert.ok(events.some(({ event }) => event === 'e99') && !events.some(({ event }) => event === 'e0'))
    requestsWithinLimits(shop)
  })

  it('nothing more to a server that refuses its key', async t => {
    const shop = await site(t)
    shop.faults.push({ status: 403 })
    const page = await opened(shop)
    await wait(SENT_MS)
    await capture(page, 60)
    await wait(SENT_MS)
    assert.equal(shop.sent.length, 1)
  })
})
