import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS, type World } from '../../../test/console.ts'
import { eventually } from '../../../test/eventually.ts'

const at = (hours: number) => new Date(Date.now() - 3_600_000 * hours).toISOString()
const view = (hours: number, distinctId: string, path: string) => ({
  ...{ event: '$pageview', timestamp: at(hours), distinctId },
  properties: { $current_url: `https://shop.example${path}`, plan: 'pro' },
})
const SENT = [
  view(1, 'ada', '/shop'),
  view(2, 'bob', '/'),
  view(50, 'eve', '/'),
  { event: 'Order Completed', timestamp: at(1), distinctId: 'ada', revenue: 12.5, currency: 'EUR' },
]

/** Sends them, and waits until the lenses have them. */
async function send({ owner }: World, events: object[]): Promise<void> {
  for (let from = 0; from < events.length; from += 50) await owner('POST /v1/event', events.slice(from, from + 50))
  for (let tries = 0; tries < 100; tries++) {
    if ((await owner('GET /v1/event/overview?range=all')).body.events >= events.length) return
    await new Promise(done => setTimeout(done, 100))
  }
  assert.fail('the lenses do not have what was sent')
}

const SDKS = ['stoa-client', 'posthog-js', 'posthog-node', 'Segment', 'RudderStack', 'Amplitude', 'Mixpanel']

describe('the screens of events', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()
  it('changes the settings, and asks before events are deleted', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const { page, errors } = await signIn(home, 'events/sending')
    await page.getByRole('link', { name: 'Create a publishable key' }).waitFor()
    await page.getByLabel('Remove secrets').check()
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Settings saved').waitFor()
    const settings = async () => (await owner('GET /v1/event/settings')).body
    const before = { zone: 'UTC', storeAddresses: false, scrub: true, retentionDays: null }
    assert.deepEqual(await settings(), before)

    await page.getByLabel('Time zone').fill('Mars/Olympus')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Must be a time zone such as').waitFor()
    await page.getByLabel('Time zone').fill('Europe/Vienna')
    await page.getByRole('button', { name: 'Save settings' }).click()
    // Not by the messages, which disappear after some seconds.
    const after = await eventually(settings, ({ zone }) => zone !== 'UTC')
    assert.deepEqual(after, { ...before, zone: 'Europe/Vienna' })
    await page.reload()

    await page.getByLabel('Delete events after').fill('90')
    await page.getByRole('button', { name: 'Save settings' }).click()
    const confirm = page.getByRole('button', { name: 'Delete events' })
    assert.equal(await confirm.isDisabled(), true)
    assert.equal((await settings()).retentionDays, null)
    await page.getByRole('textbox', { name: /^Type/ }).fill('90 days')
    await confirm.click()
    await eventually(settings, ({ retentionDays }) => retentionDays === 90)
    await page.reload()

    await page.getByLabel('Delete events after').fill('')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await eventually(settings, ({ retentionDays }) => retentionDays === null)
    // The zone that does not exist is refused.
    assert.deepEqual(
      errors().filter(one => !/status of 400/.test(one)),
      [],
    )
  })

  it('shows the newest events, from the first one on', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const { page, errors } = await signIn(home, 'events')
    await page.getByRole('heading', { name: 'No event yet' }).waitFor()
    await owner('POST /v1/event', {
      event: 'Order Completed',
      distinctId: 'ada',
      revenue: 12.5,
      currency: 'EUR',
      properties: { plan: 'pro' },
    })
    await page.getByRole('button', { name: 'Order Completed' }).click()
    await page.getByText('12.5 EUR').waitFor()
    await page.getByText('"plan": "pro"').waitFor()
    assert.deepEqual(errors(), [])
  })

  it('lists the names of a time, and leads to the events with one of them', async t => {
    const world = await startConsole(t)
    await send(world, SENT)
    const { page, errors } = await world.signIn(world.home, 'events/names')
    const rows = () => page.locator('tbody tr').allTextContents()
    const sent = page.getByRole('link', { name: '$pageview' })
    await sent.waitFor()
    const [first, second, ...more] = await rows()
    assert.match(first ?? '', /^\$pageview2 events2 people/)
    assert.match(second ?? '', /^Order Completed1 event1 person/)
    assert.deepEqual(more, [])
    await page.getByRole('button', { name: '24 hours' }).click()
    await page.getByRole('button', { name: '7 days' }).click()
    await page.getByText('3 events').waitFor()
    assert.deepEqual(await violations(page), [])
    await sent.click()
    await page.getByText('Event isPage view').waitFor()
    await page.getByText('3 events').waitFor()
    const params = new URL(page.url()).searchParams
    assert.deepEqual([params.get('range'), params.getAll('where')], ['7d', ['event:is:$pageview']])
    assert.deepEqual(errors(), [])
  })

  it('finds the events of a time, shows all of one, and exports them by a command', async t => {
    const world = await startConsole(t)
    await send(world, SENT)
    const { page, errors } = await world.signIn(world.home, 'events/search')
    await page.getByText('3 events').waitFor()
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByLabel('Value').fill('/shop')
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByText('1 event', { exact: true }).waitFor()
    await page.getByRole('button', { name: '$pageview' }).click()
    const pane = page.locator('.pane')
    await pane.getByText('"plan"').waitFor()
    assert.equal(
      await pane.locator('dt', { hasText: 'Page' }).locator('xpath=following-sibling::dd[1]').textContent(),
      '/shop',
    )
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'Export…' }).click()
    const code = page.getByRole('dialog').getByRole('region')
    const command = (await code.textContent()) ?? ''
    assert.match(command, /\/v1\/event\/export\?range=24h&where=path%3Ais%3A%2Fshop&format=csv"/)
    assert.deepEqual(await violations(page), [])
    await page.getByRole('tab', { name: 'JSON lines' }).click()
    assert.match((await code.textContent()) ?? '', /format=ndjson/)
    // What the command asks for is what the list shows.
    const path = /export\S+(?=")/.exec(command)?.[0] ?? ''
    const { status, body } = await world.owner(`GET /v1/event/${path.replace('csv', 'ndjson')}`)
    assert.deepEqual([status, body.properties?.plan], [200, 'pro'])
    await page.getByRole('button', { name: 'Close' }).click()
    await page.goBack()
    await pane.waitFor({ state: 'detached' })
    await page.goBack()
    await page.getByText('3 events').waitFor()
    assert.deepEqual(errors(), [])
  })

  it('reads further pages, and says what failed', async t => {
    const world = await startConsole(t)
    await send(
      world,
      Array.from({ length: 160 }, (_, n) => view(n / 60, `visitor-${n}`, `/${n}`)),
    )
    const { page } = await world.signIn(world.home, 'events/search')
    // The list reads on by itself near its end.
    const end = page.getByText('160 events', { exact: true })
    for (let tries = 0; tries < 200 && !(await end.isVisible()); tries++) {
      await page.locator('.paging').scrollIntoViewIfNeeded()
      await page.waitForTimeout(100)
    }
    await end.waitFor()
    const error = { code: 'warehouse_unreachable', message: 'Try again.', type: 'api_error', request_id: 'req_42' }
    for (const [screen, lens] of [
      ['search', 'events'],
      ['names', 'insights/events'],
    ]) {
      await page.route(`**/v1/event/${lens}*`, route => route.fulfill({ status: 503, json: { error } }))
      await page.goto(`${world.baseUrl}/o/${world.org}/events/${screen}`)
      await page.getByRole('heading', { name: /could not be loaded/ }).waitFor()
      await page.getByText('req_42').waitFor()
      await page.unroute(`**/v1/event/${lens}*`)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.locator('tbody tr').first().waitFor()
    }
  })

  for (const [name, viewport] of Object.entries(WIDTHS)) {
    it(`fit on a ${name}`, async t => {
      const world = await startConsole(t)
      await send(world, SENT)
      const { page, errors } = await world.signIn(world.home, 'events/names', { viewport, colorScheme: 'dark' })
      for (const screen of ['names', 'search']) {
        await page.goto(`${world.baseUrl}/o/${world.org}/events/${screen}`)
        await page.locator('tbody tr').nth(1).waitFor()
        assert.deepEqual(await violations(page), [])
        const wide = await page.evaluate<number>(
          `Math.max(...[document.documentElement, document.querySelector('h1').closest('.body, .split > div')].map(one => one.scrollWidth - one.clientWidth))`,
        )
        assert.equal(wide, 0, screen)
      }
      assert.deepEqual(errors(), [])
    })
  }

  it('shows members the settings', async t => {
    const { signIn, owner } = await startConsole(t)
    const member = { email: 'mia@shop.example', password: 'correct horse battery staple 9' }
    await owner('POST /v1/iam/members', { ...member, role: 'member' })
    const { page, errors } = await signIn(member, 'events/sending')
    await page.getByText('Owners and admins can change this.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Save settings' }).count(), 0)
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(errors(), [])
  })

  for (const [name, viewport] of Object.entries(WIDTHS)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`has a snippet for each SDK on a ${name}, ${colorScheme}`, async t => {
        const { signIn, owner, home, baseUrl } = await startConsole(t)
        const { body: key } = await owner('POST /v1/account/keys', { name: 'Web', type: 'publishable' })
        const { page, errors } = await signIn(home, 'events/sending', { viewport, colorScheme })
        await page.getByText('The key is “Web”').waitFor()
        for (const sdk of SDKS) {
          await page.getByRole('tab', { name: sdk }).click()
          const code = (await page.getByRole('region', { name: 'Code' }).textContent()) ?? ''
          assert.ok(code.includes(key.key) && code.includes(new URL(baseUrl).host), sdk)
        }
        assert.deepEqual(await violations(page), [])
        assert.deepEqual(errors(), [])
      })
    }
  }
})
