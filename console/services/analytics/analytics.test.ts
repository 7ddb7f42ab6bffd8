import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS, type World } from '../../../test/console.ts'

const DAY_MS = 86_400_000
const at = (days: number, seconds = 0) => new Date(Date.now() - days * DAY_MS + 1_000 * seconds - 60_000).toISOString()
const view = (days: number, distinctId: string, path: string, more: object = {}, seconds = 0) => ({
  ...{ event: '$pageview', timestamp: at(days, seconds), distinctId },
  properties: { $current_url: `https://shop.example${path}`, ...more },
})

/** Four visitors in the last 30 days, of which one has two views, and two visitors before. */
const EVENTS = [
  view(1, 'ada', '/', { $referrer: 'https://search.example/q', $browser: 'Firefox', country: 'AT' }),
  view(1, 'ada', '/shop', { $browser: 'Firefox', country: 'AT' }, 4),
  view(2, 'bob', '/', { utm_source: 'letter', utm_campaign: 'spring', $browser: 'Chrome', country: 'DE' }),
  view(2, 'cyd', '/shop', { $browser: 'Chrome', country: 'DE' }),
  view(9, 'dan', '/', { $browser: 'Chrome', country: 'DE' }),
  { event: 'Order paid', timestamp: at(1, 8), distinctId: 'ada', revenue: 12.5, currency: 'EUR' },
  view(40, 'eve', '/'),
  view(41, 'fay', '/'),
]

async function send({ owner }: World, events: object[] = EVENTS): Promise<void> {
  const { status, body } = await owner('POST /v1/event', events)
  assert.deepEqual([status, body.accepted], [200, events.length], JSON.stringify(body))
  for (let tries = 0; tries < 100; tries++) {
    const { body: overview } = await owner('GET /v1/event/overview?range=all')
    if (overview.events >= events.length) return
    await new Promise(done => setTimeout(done, 100))
  }
  assert.fail('the lenses do not have what was sent')
}

const tile = (page: Page, label: string) => page.locator('.overview .tile').filter({ hasText: label })
const figureOf = async (page: Page, label: string) => (await tile(page, label).locator('.figure').textContent()) ?? ''
const paramsOf = (page: Page) => new URL(page.url()).searchParams
const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const rowsOf = (page: Page, name: string) => panel(page, name).locator('.bars li').allTextContents()
const linesOf = (page: Page) => page.locator('.course .ln').count()

describe('the screen of analytics', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()

  it('says how to begin, and changes by itself when the first visitor is there', async t => {
    const world = await startConsole(t)
    const { page, errors } = await world.signIn(world.home, 'analytics')
    await page.getByRole('heading', { name: 'No visitor yet' }).waitFor()
    await page.getByRole('link', { name: 'Send events' }).waitFor()
    assert.deepEqual(await violations(page), [])
    await send(world, EVENTS.slice(0, 2))
    await tile(page, 'Visitors').waitFor()
    assert.equal(await figureOf(page, 'Visitors'), '1')
    assert.deepEqual(errors(), [])
  })

  it('has the figures that were sent, and those of the time before', async t => {
    const world = await startConsole(t)
    await send(world)
    const { page, errors } = await world.signIn(world.home, 'analytics')
    await tile(page, 'Revenue').waitFor()
    const figures = ['Visitors', 'Visits', 'Page views', 'Views per visit', 'Bounce rate', 'Visit length', 'Events']
    const shown = []
    for (const label of figures) shown.push(await figureOf(page, label))
    assert.deepEqual(shown, ['4', '4', '5', '1.25', '75%', '2 s', '6'])
    assert.equal(await figureOf(page, 'Revenue'), '€12.50')
    assert.match((await tile(page, 'Visitors').locator('.delta').textContent()) ?? '', /100% more/)
    assert.equal(await tile(page, 'Visitors').locator('.delta').getAttribute('title'), '2 before')
    await page.getByText(/^Compared with .* · Time zone: UTC$/).waitFor()
    await page.locator('.course .ln.dash').waitFor({ state: 'attached' })
    assert.equal(await linesOf(page), 2)

    await page.getByRole('button', { name: 'Compare' }).click()
    await page.locator('.course .ln.dash').waitFor({ state: 'detached' })
    await tile(page, 'Visitors').locator('.delta').waitFor({ state: 'detached' })
    assert.equal(paramsOf(page).get('compare'), 'false')
    await page.goBack()
    await page.locator('.course .ln.dash').waitFor({ state: 'attached' })

    await tile(page, 'Bounce rate').click()
    await page.getByRole('heading', { name: 'Bounce rate' }).waitFor()
    assert.equal(paramsOf(page).get('figure'), 'bounce')
    await tile(page, 'Views per visit').click()
    await page.getByRole('heading', { name: 'Views per visit' }).waitFor()
    await page.getByRole('button', { name: 'Show as table' }).click()
    await page.getByRole('cell', { name: '2.00' }).first().waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Views per visit' }).waitFor()
    assert.deepEqual(errors(), [])
  })

  it('filters by the row of a table, in the address, and Back undoes it', async t => {
    const world = await startConsole(t)
    await send(world)
    const { page, errors } = await world.signIn(world.home, 'analytics')
    await panel(page, 'Sources').getByRole('button', { name: 'letter' }).waitFor()
    assert.deepEqual(await rowsOf(page, 'Countries'), ['Germany3 visitors75%', 'Austria1 visitors25%'])
    await panel(page, 'Sources').getByRole('button', { name: 'letter' }).click()
    await page.getByText('Source isletter').waitFor()
    await tile(page, 'Visitors').locator('.figure').getByText('1', { exact: true }).waitFor()
    assert.deepEqual(paramsOf(page).getAll('where'), ['source:is:letter'])
    await panel(page, 'Countries').getByRole('button', { name: 'Germany' }).click()
    await page.getByText('Country isGermany').waitFor()
    assert.deepEqual(paramsOf(page).getAll('where'), ['source:is:letter', 'country:is:DE'])
    await page.getByRole('button', { name: 'Copy as code' }).click()
    await page.getByText('where=source%3Ais%3Aletter&where=country%3Ais%3ADE').waitFor()
    await page.keyboard.press('Escape')
    await page.goBack()
    await page.getByText('Country isGermany').waitFor({ state: 'detached' })
    assert.deepEqual(paramsOf(page).getAll('where'), ['source:is:letter'])
    await page.getByRole('button', { name: 'Remove the filter: Source is letter' }).click()
    await tile(page, 'Visitors').locator('.figure').getByText('4', { exact: true }).waitFor()
    assert.deepEqual(paramsOf(page).getAll('where'), [])

    await panel(page, 'Sources').getByRole('button', { name: 'Campaign' }).click()
    await panel(page, 'Sources').getByRole('button', { name: 'spring' }).waitFor()
    assert.equal(paramsOf(page).get('sources'), 'campaign')
    assert.deepEqual(errors(), [])
  })

  it('adds and removes filters by their words', async t => {
    const world = await startConsole(t)
    await send(world)
    const { page, errors } = await world.signIn(world.home, 'analytics')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    const form = page.getByRole('group', { name: 'Add a filter' })
    await form.getByLabel('Field').selectOption('Page')
    await form.getByLabel('Condition').selectOption('starts with')
    await form.getByLabel('Value').fill('/sh')
    assert.deepEqual(await violations(page), [])
    await form.getByRole('button', { name: 'Add filter' }).click()
    await tile(page, 'Visitors').locator('.figure').getByText('2', { exact: true }).waitFor()
    assert.deepEqual(paramsOf(page).getAll('where'), ['path:starts:/sh'])
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await form.getByLabel('Field').selectOption('Property')
    await form.getByLabel('Name of the property').fill('plan')
    await form.getByLabel('Condition').selectOption('is set')
    await form.getByRole('button', { name: 'Add filter' }).click()
    await page.getByRole('heading', { name: 'No event matches' }).waitFor()
    assert.deepEqual(paramsOf(page).getAll('where'), ['path:starts:/sh', 'properties.plan:set'])
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await tile(page, 'Visitors').locator('.figure').getByText('4', { exact: true }).waitFor()
    assert.deepEqual(errors(), [])
  })

  it('chooses a part of the time by dragging over the chart, and Esc goes back', async t => {
    const world = await startConsole(t)
    await send(world)
    const { page, errors } = await world.signIn(world.home, 'analytics')
    await page.locator('.course .ln').first().waitFor({ state: 'attached' })
    const plot = page.getByRole('slider')
    const { x, y, width, height } = (await plot.boundingBox()) as {
      x: number
      y: number
      width: number
      height: number
    }
    const drag = async (from: number, to: number) => {
      await page.mouse.move(x + from * width, y + height / 2)
      await page.mouse.down()
      await page.mouse.move(x + (from + (to - from) / 2) * width, y + height / 2)
      await page.mouse.move(x + to * width, y + height / 2)
    }
    await drag(22 / 29, 27 / 29)
    await page.locator('.brush').waitFor()
    await page.mouse.up()
    await page.getByRole('button', { name: 'Reset' }).waitFor()
    // Of the thirty days until today, those with the places 22 to 27.
    const day = (ago: number) => new Date(Math.floor(Date.now() / DAY_MS - ago) * DAY_MS).toISOString()
    assert.deepEqual([paramsOf(page).get('from'), paramsOf(page).get('to')], [day(7), day(1)])
    await tile(page, 'Visitors').locator('.figure').getByText('2', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await tile(page, 'Visitors').locator('.figure').getByText('4', { exact: true }).waitFor()
    assert.deepEqual([paramsOf(page).get('from'), paramsOf(page).get('to')], [null, null])

    await plot.focus()
    await page.keyboard.press('End')
    await page.keyboard.press('Shift+ArrowLeft')
    await page.locator('.tip').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Reset' }).waitFor()
    assert.deepEqual([paramsOf(page).get('from'), paramsOf(page).get('to')], [day(1), day(-1)])
    await page.getByRole('button', { name: 'Reset' }).click()
    await page.getByRole('button', { name: '30 days' }).waitFor()
    assert.deepEqual(errors(), [])
  })

  it('has a choice of times, also of days of the zone of the organisation', async t => {
    const world = await startConsole(t)
    await send(world)
    await world.owner('PATCH /v1/event/settings', { zone: 'Asia/Kathmandu' })
    const { page, errors } = await world.signIn(world.home, 'analytics')
    await page.getByText(/Time zone: Asia\/Kathmandu$/).waitFor()
    await page.getByRole('button', { name: '30 days' }).click()
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'All time' }).click()
    await tile(page, 'Visitors').locator('.figure').getByText('6', { exact: true }).waitFor()
    assert.equal(paramsOf(page).get('range'), 'all')
    await page.getByRole('button', { name: 'All time' }).click()
    await page.getByLabel('First day').fill('2026-01-05')
    await page.getByLabel('Last day').fill('2026-01-06')
    await page.getByRole('button', { name: 'Show these days' }).click()
    await page.getByRole('heading', { name: 'No event in this time' }).waitFor()
    assert.equal(paramsOf(page).get('from'), '2026-01-04T18:15:00.000Z')
    assert.equal(paramsOf(page).get('to'), '2026-01-06T18:15:00.000Z')
    await page.getByRole('button', { name: 'Show all time' }).click()
    await tile(page, 'Visitors').locator('.figure').getByText('6', { exact: true }).waitFor()
    assert.deepEqual(errors(), [])
  })

  it('has a point for each quarter of a short time, and none for hours to come', async t => {
    const world = await startConsole(t)
    await send(world)
    const { page, errors } = await world.signIn(world.home, `analytics?from=${at(1)}&to=${at(1 - 2 / 24)}`)
    await page.locator('.course .ln').first().waitFor({ state: 'attached' })
    // Two hours begin and end within a quarter.
    assert.match((await page.getByRole('slider').getAttribute('aria-valuemax')) ?? '', /^[78]$/)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: '30 days' }).click()
    await page.getByRole('button', { name: 'Today' }).click()
    await page.locator('.course .x span', { hasText: '23:00' }).waitFor()
    await page.getByRole('button', { name: 'Show as table' }).click()
    const own = await page.locator('.course tbody td:nth-child(2)').allTextContents()
    assert.equal(own.length, 24)
    assert.equal(own.filter(text => text === '—').length, 23 - new Date().getUTCHours())
    assert.deepEqual(errors(), [])
  })

  it('draws a line for each of the five values with the most visitors', async t => {
    const world = await startConsole(t)
    const many = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((path, n) =>
      Array.from({ length: 7 - n }, (_, who) => view(1, `visitor-${who}`, `/${path}`)),
    )
    await send(world, many)
    const { page, errors } = await world.signIn(world.home, 'analytics')
    await page.getByLabel('Broken down by').selectOption('Page')
    await page.locator('.legend').waitFor()
    assert.deepEqual(await page.locator('.legend > span').allTextContents(), ['/a', '/b', '/c', '/d', '/e'])
    assert.equal(await linesOf(page), 5)
    assert.equal(paramsOf(page).get('by'), 'path')
    await page.getByRole('heading', { name: 'Visitors by page' }).waitFor()
    await page.getByRole('button', { name: 'Show as table' }).click()
    await page.getByRole('columnheader', { name: '/e' }).waitFor()
    await page.getByRole('cell', { name: '3', exact: true }).first().waitFor()
    assert.deepEqual(errors(), [])
  })

  it('says that a number is an estimate', async t => {
    const world = await startConsole(t)
    await send(world)
    const { body } = await world.owner('GET /v1/event/overview?range=30d')
    const { page, errors } = await world.signIn(world.home, 'keys')
    const estimate = { ...body, visitors: 48_210, distinct: { method: 'sketch', error: 0.016 } }
    await page.route('**/v1/event/overview*', route => route.fulfill({ json: estimate }))
    await page.getByRole('link', { name: 'Analytics' }).click()
    await page.getByTitle('An estimate, which may be off by 1.6%').waitFor()
    assert.equal(await figureOf(page, 'Visitors'), 'about 48,210')
    assert.deepEqual(errors(), [])
  })

  it('says what to do when the figures cannot be read', async t => {
    const world = await startConsole(t)
    await send(world)
    const { page } = await world.signIn(world.home, 'keys')
    const message = 'The warehouse of events does not answer. Try again later.'
    const error = { code: 'warehouse_unreachable', message, type: 'api_error', request_id: 'req_42' }
    await page.route('**/v1/event/overview*', route => route.fulfill({ status: 503, json: { error } }))
    await page.getByRole('link', { name: 'Analytics' }).click()
    await page.getByRole('heading', { name: 'The figures could not be loaded' }).waitFor({ timeout: 30_000 })
    await page.getByText(message).waitFor()
    await page.getByText('req_42').waitFor()
    assert.deepEqual(await violations(page), [])
    await page.unroute('**/v1/event/overview*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await tile(page, 'Visitors').waitFor()

    await page.route('**/v1/event/top*', route => route.fulfill({ status: 503, json: { error } }))
    await page.reload()
    await panel(page, 'Pages').getByRole('alert').waitFor({ timeout: 30_000 })
    assert.equal(await figureOf(page, 'Visitors'), '4')
  })

  for (const [name, viewport] of Object.entries(WIDTHS)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`is accessible and fits on a ${name}, ${colorScheme}`, async t => {
        const world = await startConsole(t)
        await send(world)
        const member = { email: `mia@${world.org}.example`, password: 'correct horse battery staple 9' }
        await world.owner('POST /v1/iam/members', { ...member, role: 'member' })
        const { page, errors } = await world.signIn(member, 'analytics', { viewport, colorScheme })
        await panel(page, 'Devices').getByRole('button', { name: 'Chrome' }).waitFor()
        await page.getByRole('slider').hover()
        await page.locator('.tip').waitFor()
        assert.deepEqual(await violations(page), [])
        const wide = await page.evaluate<string[]>(
          `[document.documentElement, document.querySelector('.body')].filter(one => one.scrollWidth > one.clientWidth).map(one => one.tagName)`,
        )
        assert.deepEqual(wide, [])
        assert.deepEqual(errors(), [])
      })
    }
  }
})
