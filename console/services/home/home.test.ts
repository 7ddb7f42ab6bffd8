import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../../test/console.ts'

describe('Home', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()
  it('shows the first steps until they are done, then figures', async t => {
    const { signIn, owner } = await startConsole(t)
    const { page, errors } = await signIn()
    await page.getByRole('heading', { name: 'Set up Home' }).waitFor()
    await page.getByText('0 of 2 done').waitFor()
    assert.deepEqual(await violations(page), [])
    await owner('POST /v1/account/keys', { name: 'Server' })
    await page.getByText('1 of 2 done').waitFor()
    assert.equal((await owner('POST /v1/embeddings', { model: 'local-embed-en', input: 'Hello' })).status, 200)
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor()
    await page.getByText(/^Model calls in /).waitFor()
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(errors(), [])
  })

  it('names what needs attention', async t => {
    const { signIn, owner } = await startConsole(t)
    const soon = new Date(Date.now() + 86_400_000).toISOString()
    await owner('POST /v1/account/keys', { name: 'Importer', expires: soon })
    const { page } = await signIn()
    await page.getByText('Key Importer expires soon').waitFor()
    await page.getByRole('link', { name: 'Open key' }).click()
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
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
