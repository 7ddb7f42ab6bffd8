import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../../test/console.ts'

describe('the screen of keys', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()
  it('creates, shows, rotates and revokes a key', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const { page, errors } = await signIn(home, 'keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('Importer')
    await page.getByLabel('Read only').check()
    await page.getByLabel('Monthly budget').fill('12.50')
    await page.getByLabel('Expires').selectOption('In 30 days')
    assert.deepEqual(await violations(page), [])
    await page.locator('.drawer-foot').getByRole('button', { name: 'Create key' }).click()
    const secret = (await page.getByLabel('Key', { exact: true }).textContent()) ?? ''
    assert.match(secret, /^sk-\w{40,}$/)
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'Done' }).click()

    const [made] = (await owner('GET /v1/account/keys?status=active')).body.data
    assert.deepEqual([made.name, made.limit, made.budget.month], ['Importer', ['read:*'], 1250])
    await page.getByRole('button', { name: 'Importer' }).click()
    assert.equal(new URL(page.url()).searchParams.get('open'), made.id)
    assert.equal(Math.round((Date.parse(made.expires) - Date.now()) / 86_400_000), 30)
    await page.locator('.drawer').getByText('Read only').waitFor()

    await page.getByRole('button', { name: 'Edit' }).click()
    assert.equal(await page.getByLabel('Monthly budget').inputValue(), '12.5')
    await page.getByLabel('Monthly budget').fill('50')
    await page.getByLabel('Expires').selectOption('Never')
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'Save key' }).click()
    await page.getByText('$50.00 a month').waitFor()
    const [changed] = (await owner('GET /v1/account/keys?status=active')).body.data
    assert.deepEqual([changed.budget.month, changed.expires, changed.limit], [5_000, undefined, ['read:*']])
    await page.getByRole('button', { name: 'Rotate…' }).click()
    await page.getByRole('button', { name: 'Rotate key' }).click()
    const next = await page.getByLabel('Key', { exact: true }).textContent()
    assert.match(next ?? '', /^sk-/)
    assert.notEqual(next, secret)

    await page.getByRole('button', { name: 'Revoke…' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('Key Importer revoked').waitFor()
    assert.equal((await owner('GET /v1/account/keys?status=revoked')).body.data[0].name, 'Importer')
    await page.getByRole('button', { name: 'Importer' }).waitFor({ state: 'detached' })
    assert.ok(!(await page.content()).includes(secret))
    assert.deepEqual(errors(), [])
  })

  it('shows a long name and many limits within a phone', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const limit = Array.from({ length: 20 }, (_, n) => `project:project-${n}`)
    const { status, body } = await owner('POST /v1/account/keys', { name: 'W'.repeat(100), limit })
    assert.equal(status, 201, JSON.stringify(body))
    const { page } = await signIn(home, `keys?open=${body.id}`, { viewport: WIDTHS.phone })
    await page.getByRole('heading', { name: 'WWW' }).waitFor()
    for (const part of ['.drawer', '.drawer-head', '.drawer .lims'])
      assert.ok(
        await page
          .locator(part)
          .evaluate((one: { scrollWidth: number; clientWidth: number }) => one.scrollWidth <= one.clientWidth + 1),
        part,
      )
    await page.locator('.drawer').getByText('project-19').waitFor()
    await page.getByRole('button', { name: 'Close (Esc)' }).click()
  })

  for (const [name, viewport] of Object.entries(WIDTHS)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`is accessible on a ${name}, ${colorScheme}`, async t => {
        const { signIn, owner, home } = await startConsole(t)
        for (let n = 0; n < 3; n++) await owner('POST /v1/account/keys', { name: `Key ${n}`, limit: ['read:*'] })
        const { page, errors } = await signIn(home, 'keys', { viewport, colorScheme })
        await page.getByRole('button', { name: 'Key 1' }).waitFor()
        assert.deepEqual(await violations(page), [])
        await page.getByRole('button', { name: 'Key 1' }).click()
        await page.getByRole('heading', { name: 'Key 1' }).waitFor()
        assert.deepEqual(await violations(page), [])
        assert.deepEqual(errors(), [])
      })
    }
  }
})
