import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../../test/console.ts'
import { startReceiver } from '../../../test/webhook-receiver.ts'

describe('the screens of webhooks', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()
  async function startWorld(t: TestContext) {
    const receiver = await startReceiver()
    t.after(receiver.close)
    const world = await startConsole(t, {
      STOA_OUTBOUND_ALLOW: '127.0.0.1',
      STOA_OUTBOUND_CA: join(process.env.STOA_TEST_TLS as string, 'ca.pem'),
    })
    return { ...world, receiver }
  }

  it('brings what the host refuses into view', async t => {
    const { signIn, home } = await startConsole(t)
    const { page } = await signIn(home, 'webhooks?open=new')
    await page.getByRole('textbox', { name: 'Address' }).fill('https://hooks.example.com/')
    await page.getByPlaceholder('Find, or the name').fill('event..paid')
    await page.getByRole('button', { name: 'Add pattern' }).click()
    await page.getByText('Failed deliveries').scrollIntoViewIfNeeded()
    await page.getByLabel('Events of this host').scrollIntoViewIfNeeded()
    await page.locator('.drawer-foot').getByRole('button', { name: 'Add endpoint' }).click()
    const alert = page.getByRole('alert')
    await alert.waitFor()
    const [says, foot] = [await alert.boundingBox(), await page.locator('.drawer-foot').boundingBox()]
    assert.ok(says && foot && says.y + says.height <= foot.y, JSON.stringify([says, foot]))
  })

  it('adds an endpoint, tests it, resends, rotates the secret and deletes it', async t => {
    const { signIn, owner, home, receiver } = await startWorld(t)
    const { page, errors } = await signIn(home, 'webhooks')
    await page.getByRole('button', { name: 'Add endpoint' }).first().click()
    await page.getByRole('textbox', { name: 'Address' }).fill(`${receiver.url}/stoa`)
    await page.getByRole('textbox', { name: /^Name/ }).fill('Warehouse')
    await page.getByPlaceholder('Find, or the name').fill('key.created')
    await page.getByRole('button', { name: 'Example of account.key.created' }).click()
    await page.getByText('"specversion"').waitFor()
    await page.getByRole('checkbox', { name: 'account.key.created' }).check()
    await page.getByPlaceholder('Find, or the name').fill('event.>')
    await page.getByRole('button', { name: 'Add pattern' }).click()
    await page.getByPlaceholder('Find, or the name').fill('Order Completed')
    await page.getByRole('button', { name: 'Add pattern' }).click()
    await page.getByRole('button', { name: 'Remove event.order_completed' }).click()
    await page.getByLabel('Failed deliveries').selectOption('long')
    assert.deepEqual(await violations(page), [])
    await page.locator('.drawer-foot').getByRole('button', { name: 'Add endpoint' }).click()
    const secret = (await page.getByLabel('Secret', { exact: true }).textContent()) ?? ''
    assert.match(secret, /^whsec_/)
    assert.deepEqual(await violations(page), [])
    const [made] = (await owner('GET /v1/webhooks')).body.data
    assert.deepEqual(
      [made.description, made.events, made.retry],
      ['Warehouse', ['account.key.created', 'event.>'], 'long'],
    )

    await page.getByRole('link', { name: 'Open endpoint' }).click()
    await page.getByRole('button', { name: 'Leave', exact: true }).click() // Without having copied the secret.
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('Delivered after 1 attempt').waitFor()
    assert.equal(receiver.received.length, 1)
    await page.getByRole('button', { name: 'Resend R' }).click()
    await page.getByText('Delivery sent again').waitFor()
    assert.equal(receiver.received.length, 2)
    await page.getByText('resent', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Rotate secret…' }).click()
    await page.getByRole('button', { name: 'Rotate secret', exact: true }).click()
    assert.notEqual(await page.getByLabel('Secret', { exact: true }).textContent(), secret)
    await page.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Edit…' }).click()
    await page.getByRole('button', { name: 'Remove event.>' }).click()
    await page.getByRole('button', { name: 'Remove account.key.created' }).click()
    await page.getByRole('button', { name: 'Save endpoint' }).click()
    await page.getByText('Endpoint saved').waitFor()
    assert.deepEqual((await owner(`GET /v1/webhooks/${made.id}`)).body.events, [])

    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Disable…' }).click()
    await page.getByRole('button', { name: 'Disable endpoint' }).click()
    await page.getByText('Endpoint disabled').waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    const confirm = page.getByRole('button', { name: 'Delete endpoint' })
    assert.equal(await confirm.isDisabled(), true)
    await page.getByRole('textbox', { name: /^Type/ }).fill(`127.0.0.1:${receiver.port}`)
    await confirm.click()
    await page.getByText('Endpoint Warehouse deleted').waitFor()
    await page.getByText('No endpoint yet').waitFor()
    assert.ok(!(await page.content()).includes(secret))
    assert.deepEqual(errors(), [])
  })

  for (const [name, viewport] of Object.entries(WIDTHS)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`shows a failed delivery on a ${name}, ${colorScheme}`, async t => {
        const { signIn, owner, home, receiver } = await startWorld(t)
        receiver.state.answer = response => void response.writeHead(503).end('{"error":"upstream"}')
        const { body: made } = await owner('POST /v1/webhooks', { url: receiver.url, description: 'Warehouse' })
        await owner(`POST /v1/webhooks/${made.id}/test`)
        const { page, errors } = await signIn(home, 'webhooks', { viewport, colorScheme })
        await page.getByRole('link', { name: 'Warehouse' }).waitFor()
        assert.deepEqual(await violations(page), [])
        await page.getByRole('link', { name: 'Warehouse' }).click()
        await page.locator('td .main').first().click()
        await page.getByText('"upstream"').first().waitFor()
        await page.getByText('It answered 503.').first().waitFor()
        assert.deepEqual(await violations(page), [])
        assert.deepEqual(errors(), [])
      })
    }
  }

  it('is only read by members', async t => {
    const { signIn, owner, receiver } = await startWorld(t)
    const member = { email: 'mia@shop.example', password: 'correct horse battery staple 9' }
    await owner('POST /v1/iam/members', { ...member, role: 'member' })
    const { body: made } = await owner('POST /v1/webhooks', { url: receiver.url, description: 'Warehouse' })
    await owner(`POST /v1/webhooks/${made.id}/test`)
    const { page, errors } = await signIn(member, 'webhooks')
    await page.getByRole('link', { name: 'Warehouse' }).click()
    await page.locator('td .main').first().click()
    await page.getByText('Owners and admins also see').waitFor()
    for (const name of ['Add endpoint', 'Send test', 'More', 'Resend R']) {
      assert.equal(await page.getByRole('button', { name }).count(), 0, name)
    }
    assert.deepEqual(errors(), [])
  })
})
