import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../../test/console.ts'

describe('Home', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()
  it('shows the first steps until they are done, then figures', async t => {
    const { signIn, owner } = await startConsole(t)
    const { page, errors } = await signIn()
    await page.getByRole('heading', { name: 'Set up Home' }).waitFor()
    await page.getByText('0 of 3 done').waitFor()
    assert.deepEqual(await violations(page), [])
    await owner('POST /v1/account/keys', { name: 'Server' })
    await page.getByText('1 of 3 done').waitFor()
    await page.getByText('Waiting for your first event').waitFor()
    await owner('POST /v1/event', { event: 'Order Completed' })
    await page.getByText('2 of 3 done').waitFor()
    assert.equal((await owner('POST /v1/embeddings', { model: 'local-embed-en', input: 'Hello' })).status, 200)
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor()
    await page.getByText('1 call', { exact: true }).waitFor()
    await page.getByText('Requests by outcome').waitFor()
    await page.getByRole('button', { name: 'Show as table' }).click()
    await page.getByRole('columnheader', { name: 'Refused' }).waitFor()
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(errors(), [])
  })

  it('shows the requests of the range, those that failed apart', async t => {
    const { signIn, owner, home } = await startConsole(t)
    for (let n = 0; n < 3; n++) await owner('GET /v1/projects/none')
    const { page, errors } = await signIn(home, 'home')
    await page.getByRole('button', { name: 'Skip these steps' }).click()
    const failed = page.locator('.tile', { hasText: 'Refused or failed' }).locator('.figure')
    await failed.and(page.locator('[title="3"]')).waitFor()
    await page.getByRole('button', { name: '7 d', exact: true }).click()
    assert.equal(new URL(page.url()).searchParams.get('range'), '7d')
    await failed.and(page.locator('[title="3"]')).waitFor()
    await page.reload()
    await failed.and(page.locator('[title="3"]')).waitFor()
    assert.equal(await page.getByRole('button', { name: '7 d', exact: true }).getAttribute('aria-pressed'), 'true')
    assert.deepEqual(errors(), [])
  })

  it('shows the visitors of the range beside those of the time before, and leads to analytics', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const at = (hours: number) => new Date(Date.now() - 3_600_000 * hours).toISOString()
    const views = [at(1), at(2), at(30)].map((timestamp, n) => ({
      ...{ event: '$pageview', timestamp, distinctId: `visitor-${n}` },
      properties: { $current_url: 'https://shop.example/' },
    }))
    await owner('POST /v1/event', views)
    const { page, errors } = await signIn(home, 'home')
    await page.getByRole('button', { name: 'Skip these steps' }).click()
    const tile = page.locator('.tile', { hasText: 'Visitors' })
    await tile.locator('.figure').and(page.locator('[title="2"]')).waitFor()
    await tile.getByTitle('1 before').getByText('100%').waitFor()
    await tile.locator('.spark').waitFor()
    await tile.getByRole('link', { name: 'Visitors' }).click()
    await page.getByRole('heading', { name: 'Analytics' }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('range'), '24h')
    await page.locator('.overview .tile', { hasText: 'Visitors' }).locator('[title="2"]').waitFor()
    assert.deepEqual(errors(), [])
  })

  it('appears in a browser that stores nothing', async t => {
    const { signIn, baseUrl, home } = await startConsole(t)
    const { page, context } = await signIn(home, 'keys')
    await context.addInitScript(
      `Object.defineProperty(window, 'localStorage', { get: () => { throw new Error('denied') } })`,
    )
    await page.goto(`${baseUrl}/o/${home.org}/home`)
    await page.getByRole('button', { name: 'Skip these steps' }).click()
    await page.getByText('Requests by outcome').waitFor()
  })

  it('names what needs attention', async t => {
    const { signIn, owner } = await startConsole(t)
    const soon = new Date(Date.now() + 86_400_000).toISOString()
    await owner('POST /v1/account/keys', { name: 'Importer', expires: soon })
    const { page } = await signIn()
    await page.getByText('Key Importer expires soon').waitFor()
    await page.getByRole('link', { name: 'Open key' }).click()
    await page.getByRole('heading', { name: 'Importer' }).waitFor()
  })

  for (const [name, viewport] of Object.entries(WIDTHS)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`is accessible on a ${name}, ${colorScheme}`, async t => {
        const { signIn, home } = await startConsole(t)
        const { page } = await signIn(home, '/', { viewport, colorScheme })
        await page.getByRole('heading', { name: 'Set up Home' }).waitFor()
        assert.deepEqual(await violations(page), [])
      })
    }
  }
})
