// The console as a new owner first uses it; `npm run test:console` has the rest.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consoleSuite, NO_CONSOLE, violations } from './console.ts'

describe('the console', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()

  it('signs an owner in, creates a key that works, and shows what it did', async t => {
    const { signIn, operator, home, baseUrl, org } = await startConsole(t)
    const { page, errors } = await signIn(home, '/')
    await page.getByRole('heading', { name: 'Set up Home' }).waitFor()
    await page.getByRole('link', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('Server')
    await page.locator('.drawer-foot').getByRole('button', { name: 'Create key' }).click()
    const key = (await page.getByLabel('Key', { exact: true }).textContent()) ?? ''
    const sent = await page.evaluate(
      async ([url, authorization]) => {
        const headers = { authorization, 'content-type': 'application/json' }
        return (await fetch(url, { method: 'POST', headers, credentials: 'omit', body: '{"event":"Paid"}' })).status
      },
      [`${baseUrl}/v1/event`, `Bearer ${key}`] as const,
    )
    assert.equal(sent, 200)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('link', { name: 'Events' }).click()
    await page.getByRole('button', { name: 'Paid' }).waitFor()
    assert.equal(new URL(page.url()).pathname, `/o/${org}/events`)
    assert.ok(!(await page.content()).includes(key))
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(errors(), [])
    assert.equal((await operator(`GET /v1/iam/orgs/${org}`)).status, 200)
  })
})
