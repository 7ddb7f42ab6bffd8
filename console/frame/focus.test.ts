// Where the focus is, and what asks before text is lost, by the keyboard alone.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../test/console.ts'

/** The text of what has the focus, or its name. */
const focusOf = (page: Page) =>
  page.evaluate<string>(
    `((one) => one === document.body ? 'body' : one.ariaLabel || one.labels?.[0]?.textContent || one.textContent)(document.activeElement)`,
  )
async function focusIs(page: Page, name: string): Promise<void> {
  const giveUpAt = Date.now() + 30_000
  let at = await focusOf(page)
  while (at !== name && Date.now() < giveUpAt) {
    await page.waitForTimeout(20)
    at = await focusOf(page)
  }
  assert.equal(at, name)
}

/** Presses Tab until that has the focus. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const passed: string[] = []
  for (let tries = 0; tries < 80; tries++) {
    const at = await focusOf(page)
    if (typeof name === 'string' ? at === name : name.test(at)) return
    passed.push(at)
    await page.keyboard.press('Tab')
  }
  assert.fail(`${name} is not reached by Tab: ${passed.join(', ')}`)
}

describe('the focus', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()

  async function withKeys(t: TestContext, options = {}) {
    const world = await startConsole(t)
    for (const name of ['c', 'b', 'a']) await world.owner('POST /v1/account/keys', { name })
    const signed = await world.signIn(world.home, 'keys', options)
    await signed.page.getByRole('button', { name: 'a', exact: true }).waitFor()
    return { ...world, ...signed }
  }

  it('goes back to the row when its drawer is closed by Esc, the button or Back', async t => {
    const { page, errors } = await withKeys(t)
    for (const close of ['Escape', 'button', 'Back']) {
      await tabTo(page, 'a')
      await page.keyboard.press('Enter')
      await focusIs(page, 'a')
      await page.locator('.drawer h2', { hasText: 'a' }).waitFor()
      if (close === 'Escape') await page.keyboard.press('Escape')
      if (close === 'Back') await page.goBack()
      if (close === 'button') {
        await tabTo(page, 'Close (Esc)')
        await page.keyboard.press('Enter')
      }
      await page.locator('.drawer').waitFor({ state: 'detached' })
      await focusIs(page, 'a')
      assert.equal(await page.evaluate(`document.activeElement.closest('tr') !== null`), true, close)
    }
    assert.deepEqual(errors(), [])
  })

  it('goes to the row that was opened last', async t => {
    const { page } = await withKeys(t)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.drawer h2', { hasText: 'a' }).waitFor()
    await page.keyboard.press('j')
    await page.locator('.drawer h2', { hasText: 'b' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.drawer').waitFor({ state: 'detached' })
    await focusIs(page, 'b')
  })

  it('goes back to the row from a pane, on a phone too', async t => {
    for (const viewport of Object.values(WIDTHS)) {
      const { page } = await withDelivery(t, viewport)
      await page.keyboard.press('j')
      const row = await focusOf(page)
      await page.keyboard.press('Enter')
      await page.locator('.pane h2', { hasText: row }).waitFor()
      if (viewport === WIDTHS.phone) {
        await page.keyboard.press('Shift+Tab')
        await focusIs(page, 'Back to the list')
        await page.keyboard.press('Enter')
      } else await page.keyboard.press('Escape')
      await page.locator('.pane').waitFor({ state: 'detached' })
      await focusIs(page, row)
    }
  })

  it('goes back to the button when its dialog is closed', async t => {
    const { page } = await withKeys(t)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.drawer h2:focus').waitFor()
    for (const close of ['Escape', 'Cancel']) {
      await tabTo(page, 'Revoke…')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor()
      if (close === 'Escape') await page.keyboard.press('Escape')
      else {
        await tabTo(page, 'Cancel')
        await page.keyboard.press('Enter')
      }
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await focusIs(page, 'Revoke…')
    }
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Command menu' }).waitFor()
    await page.keyboard.press('Escape')
    await focusIs(page, 'Revoke…')
  })

  it('goes to the next row after a deletion', async t => {
    const { page, errors } = await withKeys(t)
    await page.keyboard.press('j')
    for (const [name, next] of [
      ['a', 'b'],
      ['b', 'c'],
    ] as const) {
      await focusIs(page, name)
      await page.keyboard.press('Enter')
      await page.locator('.drawer h2', { hasText: name }).waitFor()
      await tabTo(page, 'Revoke…')
      await page.keyboard.press('Enter')
      await tabTo(page, 'Revoke key')
      await page.keyboard.press('Enter')
      await page.getByText(`Key ${name} revoked`).waitFor()
      await page.locator('.drawer').waitFor({ state: 'detached' })
      await focusIs(page, next)
      assert.equal(new URL(page.url()).searchParams.get('open'), null)
    }
    assert.deepEqual(errors(), [])
  })

  it('goes to the heading of a screen that a row leads to', async t => {
    const { page } = await withDelivery(t, WIDTHS.desktop)
    await page.goto(page.url().replace(/webhooks\/.*/, 'webhooks'))
    await page.getByRole('link', { name: 'Warehouse' }).waitFor()
    await page.keyboard.press('j')
    assert.match(await focusOf(page), /^Warehouse/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Warehouse' }).waitFor()
    await focusIs(page, 'Warehouse')
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1')
    assert.deepEqual(await violations(page), [])
  })

  async function withDelivery(t: TestContext, viewport: (typeof WIDTHS)['phone']) {
    const world = await startConsole(t)
    const { body: made } = await world.owner('POST /v1/webhooks', {
      url: 'https://hooks.example.com',
      description: 'Warehouse',
    })
    await world.owner(`POST /v1/webhooks/${made.id}/test`)
    const signed = await world.signIn(world.home, `webhooks/${made.id}`, { viewport })
    await signed.page.getByRole('button', { name: 'webhook.test' }).waitFor()
    return { ...world, ...signed }
  }
})

describe('text that is not saved', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()
  const ask = (page: Page) => page.getByRole('dialog', { name: 'Discard what you typed?' })

  async function withText(t: TestContext) {
    const world = await startConsole(t)
    const { page, errors } = await world.signIn(world.home, 'projects')
    page.setDefaultTimeout(8_000)
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await page.keyboard.press('n')
    await page.locator('.drawer form').waitFor()
    await tabTo(page, /^Name/)
    await page.keyboard.type('Web shop')
    return { ...world, page, errors }
  }
  const typed = (page: Page) => page.locator('.drawer').getByLabel('Name', { exact: true }).inputValue()

  it('is asked for by Esc, the button, Back, another row and other screens, and stays', async t => {
    const { page, errors } = await withText(t)
    const ways: [string, () => Promise<unknown>][] = [
      ['Esc', () => page.keyboard.press('Escape')],
      ['the button', () => page.getByRole('button', { name: 'Close (Esc)' }).press('Enter')],
      ['Back', () => page.goBack()],
      ['the navigation', () => page.getByRole('link', { name: 'Members' }).press('Enter')],
      ['the breadcrumb', () => page.getByLabel('Breadcrumb').getByRole('link').press('Enter')],
    ]
    const url = page.url()
    for (const [name, go] of ways) {
      await go()
      await ask(page)
        .waitFor()
        .catch(() => assert.fail(`${name} does not ask`))
      assert.deepEqual(name === 'Esc' ? await violations(page) : [], [])
      await page.keyboard.press('Escape')
      await ask(page).waitFor({ state: 'detached' })
      assert.equal(await typed(page), 'Web shop', name)
      assert.equal(page.url(), url)
    }
    await page.getByLabel('Breadcrumb').getByRole('link').press('Enter')
    await ask(page).getByRole('button', { name: 'Discard' }).press('Enter')
    await page.getByRole('heading', { name: 'Set up Home' }).waitFor()
    assert.deepEqual(errors(), [])
  })

  it('is asked for by the browser when the page is left', async t => {
    const { page } = await withText(t)
    const asked = new Promise<string>(done =>
      page.once('dialog', dialog => {
        done(dialog.type())
        void dialog.dismiss()
      }),
    )
    await page.evaluate('setTimeout(() => location.reload(), 0)')
    assert.equal(await asked, 'beforeunload')
    assert.equal(await typed(page), 'Web shop')
  })

  it('is not asked for when it is saved or cancelled, or when nothing was typed', async t => {
    const { page, errors } = await withText(t)
    await page.getByRole('button', { name: 'Cancel' }).press('Enter')
    await page.locator('.drawer').waitFor({ state: 'detached' })
    await page.keyboard.press('n')
    await page.locator('.drawer form').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.drawer').waitFor({ state: 'detached' })
    await page.keyboard.press('n')
    await page.locator('.drawer').getByLabel('Name', { exact: true }).fill('Second')
    await page.locator('.drawer').getByLabel('Slug').fill('second')
    await page.keyboard.press('Enter')
    await page.getByText('Project Second created').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Members' }).press('Enter')
    await page.getByRole('heading', { name: 'Members' }).waitFor()
    assert.equal(await ask(page).count(), 0)
    assert.deepEqual(errors(), [])
  })

  it('is asked for after saving failed', async t => {
    const { page } = await withText(t)
    await page.route('**/v1/projects', route =>
      route.request().method() === 'POST'
        ? route.fulfill({
            status: 400,
            json: { error: { code: 'invalid_input', message: 'No.', type: 'x', request_id: 'req_1' } },
          })
        : route.continue(),
    )
    await page.locator('.drawer').getByLabel('Slug').fill('web-shop')
    await page.keyboard.press('Enter')
    await page.getByText('No.').waitFor()
    await page.keyboard.press('Escape')
    await ask(page).getByRole('button', { name: 'Keep editing' }).press('Enter')
    assert.equal(await typed(page), 'Web shop')
  })
})
