import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../../test/console.ts'
import { startModelServer } from '../../../test/model-server.ts'

describe('the screens of billing', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()
  it('add credit, show it, and save alerts and usage', async t => {
    const server = await startModelServer(t)
    const { signIn, owner, operator, home, superadmin } = await startConsole(t)
    const models = [{ id: 'large', price: { input: 100, output: 1_000 } }]
    await operator('POST /v1/ai/providers', { name: 'first', baseUrl: `${server.url}/v1`, models })
    await owner('POST /v1/chat/completions', { model: 'large', messages: [{ role: 'user', content: 'Hello' }] })

    const admin = await signIn(superadmin, '/o/admin/billing')
    await admin.page.getByRole('button', { name: 'Add credit' }).first().click()
    await admin.page.getByLabel('Organisation', { exact: true }).fill(home.org)
    await admin.page.getByLabel('Amount').fill('12.50')
    await admin.page.getByLabel('Reason').fill('Invoice 7')
    await admin.page.locator('.drawer-foot').getByRole('button', { name: 'Add credit' }).click()
    await admin.page.getByText('Credit added').waitFor()
    assert.deepEqual(admin.errors(), [])
    await admin.context.close()

    const { page, errors } = await signIn(home, 'billing')
    await page.getByText('Invoice 7').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Add credit' }).count(), 0)
    assert.deepEqual(await violations(page), [])

    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByRole('button', { name: 'Model', exact: true }).click()
    await page.getByRole('cell', { name: 'large' }).waitFor()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    const saved = await saving
    assert.equal(saved.suggestedFilename(), 'usage-by-model.csv')
    assert.match(readFileSync(await saved.path(), 'utf8'), /large/)
    assert.deepEqual(await violations(page), [])

    await page.getByRole('link', { name: 'Alerts' }).click()
    await page.getByRole('button', { name: 'Add amount' }).click()
    await page.getByLabel('Spending alert 1', { exact: true }).fill('50')
    await page.getByLabel('Balance below').fill('10.5')
    await page.getByRole('button', { name: 'Save alerts' }).click()
    await page.getByText('Alerts saved').waitFor()
    const { body } = await owner('GET /v1/billing/settings')
    assert.deepEqual([body.spendAlerts, body.balanceAlert], [[5_000], 1_050])
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(errors(), [])
  })

  it('are accessible at both widths, light and dark', async t => {
    const { signIn, operator, home } = await startConsole(t)
    await operator('POST /v1/billing/credits', { org: home.org, amount: 5_000, reason: 'Invoice 8' })
    for (const viewport of Object.values(WIDTHS)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, errors, context } = await signIn(home, 'billing', { viewport, colorScheme })
        await page.getByText('Invoice 8').waitFor()
        assert.deepEqual(await violations(page), [])
        for (const [tab, shown] of [
          ['Usage', 'No usage in this range'],
          ['Alerts', 'Save alerts'],
        ]) {
          await page.getByRole('link', { name: tab as string }).click()
          await page.getByText(shown as string).waitFor()
          assert.deepEqual(await violations(page), [], tab)
        }
        assert.deepEqual(errors(), [])
        await context.close()
      }
    }
  })
})
