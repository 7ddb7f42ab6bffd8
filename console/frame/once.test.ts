// What is pressed twice is done once, and what is shown once is neither lost without a question nor shown for something else.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consoleSuite, NO_CONSOLE, violations } from '../../test/console.ts'

describe('what is created or shown once', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()

  it('is created once by a double click', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const { page } = await signIn(home, 'keys?open=new')
    await page.getByLabel('Name').fill('Double')
    await page.locator('.drawer-foot').getByRole('button', { name: 'Create key' }).dblclick()
    await page.getByLabel('Key', { exact: true }).waitFor()
    const { data } = (await owner('GET /v1/account/keys?status=active')).body
    assert.equal(data.filter(({ name }: { name: string }) => name === 'Double').length, 1)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.locator('.drawer').waitFor({ state: 'detached' })
  })

  it('asks before a secret is left that was not copied', async t => {
    const { signIn, home } = await startConsole(t)
    const { page } = await signIn(home, 'keys', { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('Kept')
    await page.locator('.drawer-foot').getByRole('button', { name: 'Create key' }).click()
    const secret = page.getByLabel('Key', { exact: true })
    await secret.waitFor()
    const dialog = page.getByRole('dialog', { name: 'Leave without the secret?' })
    for (const leave of [() => page.goBack(), () => page.keyboard.press('Escape')]) {
      await leave()
      await dialog.waitFor()
      assert.deepEqual(await violations(page), [])
      await dialog.getByRole('button', { name: 'Stay' }).click()
      assert.match((await secret.textContent()) ?? '', /^sk-/)
    }
    await page.locator('.secret').getByRole('button', { name: 'Copy' }).click()
    await page.locator('.secret').getByText('Copied').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.drawer').waitFor({ state: 'detached' })
  })

  it('is not shown beside the next item', async t => {
    const { signIn, owner, home } = await startConsole(t)
    for (const name of ['second', 'first']) await owner('POST /v1/account/keys', { name })
    const { page } = await signIn(home, 'keys')
    await page.getByRole('button', { name: 'first', exact: true }).click()
    await page.getByRole('button', { name: 'Rotate…' }).click()
    await page.getByRole('button', { name: 'Rotate key' }).click()
    await page.getByLabel('Key', { exact: true }).waitFor()
    await page.keyboard.press('j')
    await page.getByRole('button', { name: 'Leave', exact: true }).click()
    await page.locator('.drawer h2', { hasText: 'second' }).waitFor()
    assert.equal(await page.locator('.secret').count(), 0)
  })
})
