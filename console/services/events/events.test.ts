import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../../test/console.ts'

const SDKS = ['stoa-client', 'posthog-js', 'posthog-node', 'Segment', 'RudderStack', 'Amplitude', 'Mixpanel']

describe('the screens of events', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()
  it('changes the settings, and asks before events are deleted', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const { page, errors } = await signIn(home, 'events/sending')
    await page.getByRole('link', { name: 'Create a publishable key' }).waitFor()
    await page.getByLabel('Remove secrets').check()
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Settings saved').waitFor()
    const settings = async () => (await owner('GET /v1/event/settings')).body
    assert.deepEqual(await settings(), { storeAddresses: false, scrub: true, retentionDays: null })

    await page.getByLabel('Delete events after').fill('90')
    await page.getByRole('button', { name: 'Save settings' }).click()
    const confirm = page.getByRole('button', { name: 'Delete events' })
    assert.equal(await confirm.isDisabled(), true)
    assert.equal((await settings()).retentionDays, null)
    await page.getByRole('textbox', { name: /^Type/ }).fill('90 days')
    await confirm.click()
    await page.getByText('Settings saved').nth(1).waitFor()
    assert.equal((await settings()).retentionDays, 90)

    await page.getByLabel('Delete events after').fill('')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Settings saved').nth(2).waitFor()
    assert.equal((await settings()).retentionDays, null)
    assert.deepEqual(errors(), [])
  })

  it('shows the newest events, from the first one on', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const { page, errors } = await signIn(home, 'events')
    await page.getByRole('heading', { name: 'No event yet' }).waitFor()
    await owner('POST /v1/event', {
      event: 'Order Completed',
      distinctId: 'ada',
      revenue: 12.5,
      currency: 'EUR',
      properties: { plan: 'pro' },
    })
    await page.getByRole('button', { name: 'Order Completed' }).click()
    await page.getByText('12.5 EUR').waitFor()
    await page.getByText('"plan": "pro"').waitFor()
    assert.deepEqual(errors(), [])
  })

  it('shows members the settings', async t => {
    const { signIn, owner } = await startConsole(t)
    const member = { email: 'mia@shop.example', password: 'correct horse battery staple 9' }
    await owner('POST /v1/iam/members', { ...member, role: 'member' })
    const { page, errors } = await signIn(member, 'events/sending')
    await page.getByText('Owners and admins can change this.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Save settings' }).count(), 0)
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(errors(), [])
  })

  for (const [name, viewport] of Object.entries(WIDTHS)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`has a snippet for each SDK on a ${name}, ${colorScheme}`, async t => {
        const { signIn, owner, home, baseUrl } = await startConsole(t)
        const { body: key } = await owner('POST /v1/account/keys', { name: 'Web', type: 'publishable' })
        const { page, errors } = await signIn(home, 'events/sending', { viewport, colorScheme })
        await page.getByText('The key is “Web”').waitFor()
        for (const sdk of SDKS) {
          await page.getByRole('tab', { name: sdk }).click()
          const code = (await page.getByRole('region', { name: 'Code' }).textContent()) ?? ''
          assert.ok(code.includes(key.key) && code.includes(new URL(baseUrl).host), sdk)
        }
        assert.deepEqual(await violations(page), [])
        assert.deepEqual(errors(), [])
      })
    }
  }
})
