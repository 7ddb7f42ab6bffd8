import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS, type World } from '../../../test/console.ts'

const errorOf = (type: string, person: string, release: string) => ({
  event: '$exception',
  distinctId: person,
  properties: {
    release,
    $current_url: 'https://shop.example/cart',
    cart: { items: 2 },
    $exception_list: [
      {
        type,
        value: `${type} in the cart`,
        mechanism: { handled: type !== 'TypeError' },
        stacktrace: {
          frames: [
            { function: 'dispatch', filename: 'node_modules/router.js', lineno: 9, in_app: false },
            { function: 'pay', filename: 'src/cart.ts', lineno: 48, colno: 31, in_app: true },
          ],
        },
      },
    ],
  },
})

const ERRORS = [
  errorOf('RangeError', 'user-1', '1.0'),
  errorOf('TypeError', 'user-1', '1.0'),
  errorOf('TypeError', 'user-2', '1.1'),
]

type Owner = World['owner']

/** Waits until the lenses have all errors that were sent. */
async function counted(owner: Owner, wanted: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const { body } = await owner('GET /v1/event/errors?range=all&limit=200')
    const count = body.data.reduce((all: number, one: { count: number }) => all + one.count, 0)
    if (count >= wanted) return
    await new Promise(done => setTimeout(done, 100))
  }
  assert.fail('the lenses do not have what was sent')
}

describe('the screen of errors', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()
  it('says how to send the first error, and shows it when it is there', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const { body: key } = await owner('POST /v1/account/keys', { name: 'Web', type: 'publishable' })
    const { page, errors } = await signIn(home, 'errors')
    await page.getByRole('heading', { name: 'No error yet' }).waitFor()
    await page.getByText(key.key).waitFor()
    for (const name of ['TypeScript', 'posthog-js']) await page.getByRole('tab', { name }).click()
    assert.deepEqual(await violations(page), [])
    await owner('POST /v1/event', ERRORS[1])
    await page.locator('.egroup').waitFor() // By itself.
    await owner('POST /v1/event', ERRORS[0])
    await page.getByRole('button', { name: 'Show 1 new' }).click()
    assert.equal(await page.locator('.egroup').count(), 2)
    assert.deepEqual(errors(), [])
  })

  it('shows the groups of a time, filters them, and keeps both in the address', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const before = new Date(Date.now() - 3 * 86_400_000).toISOString()
    await owner('POST /v1/event', { ...errorOf('OldError', 'user-3', '0.9'), timestamp: before })
    for (const error of ERRORS) await owner('POST /v1/event', error)
    await counted(owner, 4)
    const { page, errors } = await signIn(home, 'errors')
    const group = (type: string) => page.locator('.egroup').filter({ hasText: type })
    await page.getByText('2 groups, 3 errors').waitFor()
    assert.match((await group('TypeError').textContent()) ?? '', /2 people · 1\.0 · 1\.12 /)
    assert.equal(await group('OldError').count(), 0)
    await page.getByRole('button', { name: '24 hours' }).click()
    await page.getByRole('button', { name: '7 days' }).click()
    await page.getByText('3 groups, 4 errors').waitFor()
    await group('OldError').click()
    await page.locator('.pane').getByText('src/cart.ts:48:31').waitFor()
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByLabel('Field').selectOption('Release')
    await page.getByLabel('Value').fill('1.1')
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByText('1 group, 1 error').waitFor()
    const params = new URL(page.url()).searchParams
    assert.deepEqual([params.get('range'), params.getAll('where')], ['7d', ['release:is:1.1']])
    await page.goBack()
    await page.getByText('3 groups, 4 errors').waitFor()
    await page.getByRole('heading', { name: 'OldError' }).waitFor()
    await page.getByRole('button', { name: '7 days' }).click()
    await page.getByRole('button', { name: 'Today' }).click()
    await group('OldError').waitFor({ state: 'detached' })
    assert.deepEqual(errors(), [])
  })

  it('leads to errors of other times, and says what failed', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const before = new Date(Date.now() - 3 * 86_400_000).toISOString()
    await owner('POST /v1/event', { ...errorOf('OldError', 'user-3', '0.9'), timestamp: before })
    await counted(owner, 1)
    const { page } = await signIn(home, 'errors')
    await page.getByRole('heading', { name: 'No error in this time' }).waitFor()
    await page.getByRole('button', { name: 'Show all time' }).click()
    await page.locator('.egroup').filter({ hasText: 'OldError' }).waitFor()
    const error = { code: 'warehouse_unreachable', message: 'Try again.', type: 'api_error', request_id: 'req_42' }
    await page.route('**/v1/event/errors*', route => route.fulfill({ status: 503, json: { error } }))
    await page.reload()
    await page.getByRole('heading', { name: 'The errors could not be loaded' }).waitFor()
    await page.getByText('req_42').waitFor()
    await page.unroute('**/v1/event/errors*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('.egroup').filter({ hasText: 'OldError' }).waitFor()
  })

  it('shows a group whose errors were deleted, and reads further pages', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const at = (minutes: number) => new Date(Date.now() - 60_000 * minutes).toISOString()
    const many = Array.from({ length: 60 }, (_, n) => ({
      ...errorOf(`Error${n}`, 'user-1', '1.0'),
      timestamp: at(90 - n),
    }))
    for (const from of [0, 30]) await owner('POST /v1/event', many.slice(from, from + 30))
    await counted(owner, 60)
    const { page, errors } = await signIn(home, 'errors')
    await page.getByText('The newest 50 groups, 50 errors').waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('60 groups, 60 errors').waitFor()
    const error = { code: 'not_found', message: 'There is none.', type: 'not_found_error', request_id: 'req_42' }
    await page.route('**/v1/errors/*', route => route.fulfill({ status: 404, json: { error } }))
    await page.locator('.egroup').nth(1).click()
    await page.getByText('The errors of this group were deleted').waitFor()
    await page.unroute('**/v1/errors/*')
    await page.locator('.egroup').nth(2).click()
    await page.getByRole('heading', { name: 'Newest occurrence' }).waitFor()
    assert.deepEqual(
      errors().filter(text => !text.includes('404')),
      [],
    )
  })

  for (const [name, viewport] of Object.entries(WIDTHS)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`shows groups and occurrences on a ${name}, ${colorScheme}`, async t => {
        const { signIn, owner, home } = await startConsole(t)
        for (const error of ERRORS) await owner('POST /v1/event', error)
        await counted(owner, ERRORS.length)
        const { page, errors } = await signIn(home, 'errors', { viewport, colorScheme })
        await page.locator('.egroup').nth(1).waitFor()
        assert.equal(await page.locator('.egroup').count(), 2)
        await page.getByLabel('Find errors').fill('typeerror')
        await page.locator('.egroup').getByText('RangeError in the cart').waitFor({ state: 'detached' })
        assert.equal(await page.evaluate('document.activeElement.type'), 'search')
        assert.deepEqual(await violations(page), [])

        await page.locator('.egroup').first().click()
        const pane = page.locator('.pane')
        const figure = (label: string) =>
          pane.locator('.tile').filter({ hasText: label }).locator('.figure').textContent()
        assert.deepEqual([await figure('Times'), await figure('People')], ['2', '2'])
        assert.equal(await pane.locator('.tile .figure [title]').last().getAttribute('title'), '1.0, 1.1')
        assert.match((await pane.getByRole('img').getAttribute('aria-label')) ?? '', /^2 in the time .* time zone UTC$/)
        await pane.getByText('unhandled').waitFor()
        await pane.getByText('src/cart.ts:48:31').waitFor()
        assert.equal(await pane.locator('.frames').getByText('dispatch').count(), 0)
        await pane.getByRole('button', { name: 'All frames' }).click()
        await pane.locator('.frames').getByText('dispatch').waitFor()
        await pane.locator('.kv').getByText('user-2').waitFor()
        await pane.getByRole('button', { name: 'Older occurrence' }).click()
        await pane.getByText('Occurrence 2 of 2').waitFor()
        await pane.locator('.kv').getByText('user-1').waitFor()
        await pane.getByText('"items"').waitFor()
        assert.deepEqual(await violations(page), [])
        const url = new URL(page.url())
        assert.deepEqual([...url.searchParams.keys()].sort(), ['error', 'find', 'open'])
        assert.deepEqual(errors(), [])
      })
    }
  }
})
