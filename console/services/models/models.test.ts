import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../../test/console.ts'
import { chatChunks, startModelServer, stream } from '../../../test/model-server.ts'

const PRICE = { input: 100, output: 1_000 }

describe('the screens of models', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()
  it('call a model in the playground, log the call, and route names', async t => {
    const server = await startModelServer(t)
    const { signIn, owner, operator, home } = await startConsole(t)
    const models = [{ id: 'large', price: PRICE }, { id: 'small' }]
    await operator('POST /v1/ai/providers', { name: 'first', baseUrl: `${server.url}/v1`, models })
    t.after(() => operator('DELETE /v1/ai/providers/first'))
    const { page, errors } = await signIn(home, 'models/catalogue')
    await page.getByRole('button', { name: 'large' }).click()
    await page.getByText('$10.00').last().waitFor()
    await page.getByRole('link', { name: 'Try in playground' }).click()

    server.state.answer = stream(chatChunks(['Good ', 'morning']))
    await page.getByRole('textbox', { name: 'System' }).fill('Be short.')
    await page.getByLabel('Message').fill('Hello')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Good morning', { exact: true }).waitFor()
    await page.getByText('1,000 → 200').waitFor()
    await page.getByText('$0.0030').waitFor()
    assert.deepEqual(server.received.at(-1)?.json.messages, [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Hello' },
    ])
    assert.deepEqual(await violations(page), [])

    server.state.answer = stream(chatChunks(['Half']).slice(0, 2), true)
    await page.getByLabel('Message').fill('And now?')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Half', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped').waitFor()
    assert.equal(server.received.at(-1)?.json.messages.length, 4)

    await page.getByRole('link', { name: 'Aliases and fallbacks' }).click()
    await page.getByLabel('Name').fill('fast')
    await page.getByLabel('Model', { exact: true }).fill('small')
    await page.getByRole('button', { name: 'Add alias' }).click()
    await page.getByText('Alias fast saved').waitFor()
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'Remove alias fast' }).click()
    await page.getByText('Alias fast removed').waitFor()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await page.getByRole('button', { name: 'Remove alias fast' }).waitFor()
    assert.deepEqual((await owner('GET /v1/ai/settings')).body.aliases, [{ name: 'fast', model: 'small' }])

    await page.getByRole('link', { name: 'Requests' }).click()
    await page.getByText('interrupted').waitFor()
    await page.getByRole('button', { name: 'Failed' }).click()
    await page.getByText('The client disconnected').waitFor()
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(errors(), [])
  })

  it('are accessible at both widths, light and dark', async t => {
    const server = await startModelServer(t)
    const { signIn, owner, operator, home } = await startConsole(t)
    const models = [{ id: 'large', price: PRICE }]
    await operator('POST /v1/ai/providers', { name: 'first', baseUrl: `${server.url}/v1`, models })
    t.after(() => operator('DELETE /v1/ai/providers/first'))
    await owner('PATCH /v1/ai/settings', { aliases: [{ name: 'fast', model: 'large' }] })
    await owner('POST /v1/chat/completions', { model: 'fast', messages: [{ role: 'user', content: 'Hello' }] })
    for (const viewport of Object.values(WIDTHS)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, errors, context } = await signIn(home, 'models', { viewport, colorScheme })
        await page.getByText('→ large').waitFor()
        assert.deepEqual(await violations(page), [])
        for (const [tab, shown] of [
          ['Playground', 'Instructions and limits'],
          ['Models and prices', '2 models'],
          ['Aliases and fallbacks', 'No fallback'],
        ]) {
          await page.getByRole('link', { name: tab as string }).click()
          await page
            .getByText(shown as string)
            .first()
            .waitFor()
          assert.deepEqual(await violations(page), [], tab)
        }
        assert.deepEqual(errors(), [])
        await context.close()
      }
    }
  })
})
