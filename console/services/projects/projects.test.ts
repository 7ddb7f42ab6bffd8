import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../../test/console.ts'
import { startNameServer } from '../../../test/name-server.ts'

describe('the screens of projects', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()
  it('create and rename a project, verify and detach its domain, and delete it', async t => {
    const names = await startNameServer()
    t.after(names.close)
    const { signIn, owner, home } = await startConsole(t, { STOA_DNS: names.address })
    const { page, errors } = await signIn(home, 'projects')
    await page.getByRole('button', { name: 'Create project' }).first().click()
    await page.getByLabel('Name').fill('Web shop')
    assert.equal(await page.getByLabel('Slug').inputValue(), 'web-shop')
    await page.locator('.drawer-foot').getByRole('button', { name: 'Create project' }).click()
    await page.getByText('Project Web shop created').waitFor()

    await page.getByRole('button', { name: 'Web shop', exact: true }).click()
    await page.getByLabel('Name').fill('Shop')
    await page.getByRole('button', { name: 'Rename project' }).click()
    await page.getByText('Project renamed to Shop').waitFor()
    assert.equal((await owner('GET /v1/projects/web-shop')).body.name, 'Shop')

    await page.getByRole('link', { name: 'Domains of Shop' }).first().click()
    await page.getByRole('button', { name: 'Attach domain' }).first().click()
    await page.getByLabel('Domain', { exact: true }).fill('shop.example.com')
    await page.locator('.drawer-foot').getByRole('button', { name: 'Attach domain' }).click()
    await page.getByText('There is no TXT record at').waitFor()
    assert.deepEqual(await violations(page), [])
    const [{ records }] = (await owner('GET /v1/projects/web-shop/domains')).body.data
    assert.equal(await page.getByText(records[0].value).count(), 1)
    names.names.set(records[0].name, { TXT: [[records[0].value]] })
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('shop.example.com is live').waitFor()
    await page.getByText('Verified.').waitFor()

    await page.getByRole('button', { name: 'Detach…' }).click()
    await page.getByRole('button', { name: 'Detach domain' }).click()
    await page.getByText('shop.example.com detached').waitFor()
    assert.deepEqual((await owner('GET /v1/projects/web-shop/domains')).body.data, [])

    await page.getByLabel('Breadcrumb').getByRole('link', { name: 'Projects' }).click()
    await page.getByRole('button', { name: 'Shop', exact: true }).click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    const remove = page.getByRole('button', { name: 'Delete project' })
    assert.equal(await remove.isDisabled(), true)
    assert.deepEqual(await violations(page), [])
    await page.getByLabel('Type Shop to confirm').fill('Shop')
    await remove.click()
    await page.getByText('Project Shop deleted').waitFor()
    assert.deepEqual((await owner('GET /v1/projects')).body.data, [])
    assert.deepEqual(errors(), [])
  })

  it('are accessible at both widths, light and dark', async t => {
    const { signIn, owner, home } = await startConsole(t)
    await owner('POST /v1/projects', { slug: 'web-shop', name: 'Web shop' })
    await owner('POST /v1/projects/web-shop/domains', { host: 'shop.example.com' })
    for (const viewport of Object.values(WIDTHS)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, errors, context } = await signIn(home, 'projects', { viewport, colorScheme })
        await page.getByRole('button', { name: 'Web shop', exact: true }).click()
        await page.getByLabel('Name').waitFor()
        assert.deepEqual(await violations(page), [])
        await page.getByRole('button', { name: 'Close (Esc)' }).click()
        await page.getByRole('link', { name: 'Domains of Web shop' }).click()
        await page.getByText('shop.example.com').first().waitFor()
        assert.deepEqual(await violations(page), [])
        assert.deepEqual(errors(), [])
        await context.close()
      }
    }
  })
})
