import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../../test/console.ts'

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

  for (const [name, viewport] of Object.entries(WIDTHS)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`shows groups and occurrences on a ${name}, ${colorScheme}`, async t => {
        const { signIn, owner, home } = await startConsole(t)
        for (const error of ERRORS) await owner('POST /v1/event', error)
        const { page, errors } = await signIn(home, 'errors', { viewport, colorScheme })
        await page.locator('.egroup').nth(1).waitFor()
        assert.equal(await page.locator('.egroup').count(), 2)
        await page.getByLabel('Find errors').fill('typeerror')
        await page.getByText('RangeError in the cart').first().waitFor({ state: 'detached' })
        assert.equal(await page.evaluate('document.activeElement.type'), 'search')
        assert.deepEqual(await violations(page), [])

        await page.locator('.egroup').first().click()
        const pane = page.locator('.pane')
        assert.deepEqual(await pane.locator('.tile').filter({ hasText: 'Times' }).locator('.figure').textContent(), '2')
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
