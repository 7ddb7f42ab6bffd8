import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../../test/console.ts'
import { eventually } from '../../../test/eventually.ts'

const SCREENS = [
  ['/host/orgs', 'Organisations'],
  ['/host/providers', 'Providers'],
  ['/host/health', 'Health'],
  ['/host/health/dead-letters', 'Health'],
  ['/host/health/tables', 'Health'],
  ['/host/health/mail', 'Health'],
] as const

describe('the screens of superadmins', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()
  const inFoot = (page: Page, name: string) => page.locator('.drawer-foot').getByRole('button', { name })

  it('creates, finds, renames and deletes an organisation, and shows how far the deletion is', async t => {
    const { signIn, operator, superadmin, org } = await startConsole(t)
    const slug = `new-${org}`
    const { page, errors } = await signIn(superadmin, '/host/orgs')
    await page.getByRole('button', { name: 'Create organisation' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Acme')
    await page.getByRole('textbox', { name: 'Slug' }).fill('admin')
    await page.getByLabel("Owner's e-mail address").fill(`owner@${slug}.example`)
    await inFoot(page, 'Create organisation').click()
    await page.getByText('Is in use or was.').waitFor()
    await page.getByRole('textbox', { name: 'Slug' }).fill(slug)
    await inFoot(page, 'Create organisation').click()
    const key = (await page.getByLabel('Key', { exact: true }).textContent()) ?? ''
    assert.match(key, /^sk-/)
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'Done' }).click()
    assert.ok(!(await page.content()).includes(key))

    await page.getByRole('searchbox', { name: 'Find by slug' }).fill(slug.toUpperCase())
    await page.getByText('1 organisation', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Acme' }).click()
    await inFoot(page, 'Rename').click()
    await page.getByLabel('Name', { exact: true }).fill('Acme Ltd')
    await inFoot(page, 'Rename organisation').click()
    await page.getByText(`${slug} is now named Acme Ltd`).waitFor()
    assert.equal((await operator(`GET /v1/iam/orgs/${slug}`)).body.name, 'Acme Ltd')

    await inFoot(page, 'Delete…').click()
    await page.getByText(/It has \d+ rows in \d+ tables/).waitFor()
    assert.deepEqual(await violations(page), [])
    const confirm = page.getByRole('button', { name: 'Delete organisation' })
    assert.equal(await confirm.isDisabled(), true)
    await page.getByRole('textbox', { name: /^Type/ }).fill(slug)
    await confirm.click()
    await page.getByRole('progressbar').waitFor()
    await page.getByText(/\d+ of \d+ tables have none of its data left/).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Rename' }).count(), 0)
    assert.ok((await operator(`GET /v1/iam/orgs/${slug}`)).body.deleted)
    await eventually(
      async () => {
        const bar = page.getByRole('progressbar')
        return [await bar.getAttribute('aria-valuenow'), await bar.getAttribute('aria-valuemax')]
      },
      ([now, max]) => now === max,
    )
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(
      errors().filter(text => !/status of 409/.test(text)),
      [],
    )
  })

  it('adds credit to the organisation from which it came', async t => {
    const { signIn, operator, superadmin, org } = await startConsole(t)
    const { page } = await signIn(superadmin, `/host/orgs?find=${org}&open=${org}`)
    await page.getByRole('link', { name: /Add credit/ }).click()
    await page.getByLabel('Amount').fill('12.50')
    await page.getByLabel('Reason').fill('Paid')
    assert.equal(await page.getByLabel('Organisation', { exact: true }).inputValue(), org)
    await inFoot(page, 'Add credit').click()
    await page.getByText('Credit added').waitFor()
    const { data } = (await operator('GET /v1/iam/audit?what=billing.credit.add')).body
    assert.equal(data.length, 1)
  })

  it('adds, changes and removes a provider, and never shows its key', async t => {
    const { signIn, operator, superadmin } = await startConsole(t, { OPENAI_API_KEY: 'sk-of-the-environment' })
    const { page, errors } = await signIn(superadmin, '/host/providers')
    await page.getByRole('button', { name: 'Add provider' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('big')
    await page.getByLabel('Address').fill('https://models.example.com/v1')
    await page.getByLabel('API key').fill('very-secret-key')
    const first = page.getByRole('group', { name: 'Model 1' })
    await first.getByRole('textbox', { name: 'Model', exact: true }).fill('large')
    await first.getByLabel('Input', { exact: true }).fill('0.29')
    await first.getByLabel('Output').fill('2')
    await first.getByText('More').click()
    await first.getByLabel('Cached input').fill('0.0375')
    await page.getByRole('button', { name: 'Add model' }).click()
    await page
      .getByRole('group', { name: 'Model 2' })
      .getByRole('textbox', { name: 'Model', exact: true })
      .fill('large')
    assert.deepEqual(await violations(page), [])
    await inFoot(page, 'Add provider').click()
    await page.getByText('id occurs twice.').waitFor()
    await page.getByRole('button', { name: 'Remove model 2' }).click()
    await inFoot(page, 'Add provider').click()
    await page.getByText('Provider big added').waitFor()
    const provider = async () => (await operator('GET /v1/ai/providers')).body.data[0]
    const large = { id: 'large', kind: 'chat', price: { input: 29, output: 200, cachedInput: 3.75 } }
    const added = await provider()
    assert.deepEqual([added.name, added.kind, added.hasApiKey, added.models], ['big', 'compatible', true, [large]])

    // What the form does not show stays.
    const bounded = { ...large, price: { ...large.price, cacheWrite: 31 }, rate: 5 }
    await operator('PATCH /v1/ai/providers/big', { models: [bounded] })
    await page.reload()
    await page.getByRole('button', { name: 'big', exact: true }).click()
    await inFoot(page, 'Edit').click()
    assert.equal(await page.getByLabel('API key').inputValue(), '')
    await page.getByRole('group', { name: 'Model 1' }).getByLabel('Output').fill('3')
    await inFoot(page, 'Save provider').click()
    await page.getByText('Provider big saved').waitFor()
    const saved = await provider()
    assert.deepEqual(saved.models, [{ ...bounded, price: { ...bounded.price, output: 300 } }])
    assert.equal(saved.hasApiKey, true)
    await inFoot(page, 'Edit').click()
    await page.getByRole('button', { name: 'Remove key' }).click()
    await inFoot(page, 'Save provider').click()
    await page.locator('.drawer').getByText('None', { exact: true }).waitFor()
    assert.equal((await provider()).hasApiKey, false)

    await page.getByRole('button', { name: 'openai', exact: true }).click()
    await page.getByText('It cannot be changed here.').waitFor()
    for (const name of ['Edit', 'Remove…']) assert.equal(await page.getByRole('button', { name }).count(), 0)
    await page.getByRole('button', { name: 'big', exact: true }).click()
    await inFoot(page, 'Remove…').click()
    await page.getByRole('button', { name: 'Remove provider' }).click()
    await page.getByText('Provider big removed').waitFor()
    assert.deepEqual((await operator('GET /v1/ai/providers')).body.data, [])
    for (const secret of ['very-secret-key', 'sk-of-the-environment']) {
      assert.ok(!(await page.content()).includes(secret))
    }
    assert.deepEqual(
      errors().filter(text => !/status of 400/.test(text)),
      [],
    )
  })

  it('is quiet about what works, and loud about dead letters and a mail server that is down', async t => {
    const { signIn, superadmin } = await startConsole(t)
    const { page, errors } = await signIn(superadmin, '/host/health')
    await page.getByText('All engines answer, and no work is late').waitFor()
    await page.getByText('embedded PostgreSQL', { exact: false }).waitFor()
    assert.equal(await page.locator('.callout').count(), 0)
    const down = {
      engines: [
        { name: 'db', driver: 'PostgreSQL', status: 'full' },
        { name: 'mail', driver: 'SMTP', status: 'down' },
      ],
    }
    await page.route('**/v1/o11y/engines', route => route.fulfill({ json: down }))
    const letters = {
      consumers: [{ name: 'webhooks.fan-out', waiting: 3, deadLetters: 2, behindSince: '2026-01-01T00:00:00.000Z' }],
    }
    await page.route('**/v1/o11y/consumers', route => route.fulfill({ json: letters }))
    const late = { name: 'iam.notices', waiting: 4, keys: 1, held: 0, paused: 0, dueSince: '2026-01-01T00:00:00.000Z' }
    await page.route('**/v1/o11y/queues', route => route.fulfill({ json: { queues: [late] } }))
    await page.reload()
    for (const text of [
      'The mail server does not answer.',
      'The disk of the database is full.',
      'webhooks.fan-out gave up 2 events.',
      'webhooks.fan-out is behind.',
      'iam.notices is late.',
    ]) {
      await page.getByText(text).waitFor()
    }
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(errors(), [])
  })

  it('retries a dead letter', async t => {
    const { signIn, superadmin } = await startConsole(t)
    const { page } = await signIn(superadmin, '/host/health')
    const event = { id: 'evt_1', subject: 'project.domain.verified', tenant: 'acme', time: '2026-11-15T09:30:00.000Z' }
    const one = {
      id: '4711',
      consumer: 'webhooks.fan-out',
      at: '2026-11-15T09:31:00.000Z',
      error: 'the table is gone',
      event,
    }
    let data = [one]
    await page.route('**/v1/o11y/dead-letters?**', route => route.fulfill({ json: { data, next: '' } }))
    await page.route('**/v1/o11y/dead-letters', route => route.fulfill({ json: { data, next: '' } }))
    await page.route('**/v1/o11y/dead-letters/4711/retry', route => {
      data = []
      return route.fulfill({ status: 204 })
    })
    await page.getByRole('link', { name: 'Dead letters' }).click()
    await page.getByRole('button', { name: 'project.domain.verified' }).click()
    await page.getByText('the table is gone').last().waitFor()
    assert.deepEqual(await violations(page), [])
    await inFoot(page, 'Retry event').click()
    await page.getByText('webhooks.fan-out receives the event again').waitFor()
    await page.getByRole('heading', { name: 'No dead letter' }).waitFor()
  })

  it('reads kept mail when asked to, and the audit trail says so', async t => {
    const { signIn, operator, owner, superadmin, org } = await startConsole(t)
    const to = `ada@${org}.example`
    await owner('POST /v1/iam/invites', { email: to, role: 'member' })
    const { page, errors } = await signIn(superadmin, '/host/health/mail')
    const row = page.getByRole('row').filter({ hasText: to })
    await row.getByRole('button').click()
    const trail = async () => (await operator('GET /v1/iam/audit?what=mail.read')).body.data.length
    assert.equal(await trail(), 0)
    await inFoot(page, 'Read mail').click()
    await page.getByText(/https:\/\/\S+\/sign-in\/invitations\//).waitFor()
    assert.equal(await trail(), 1)
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(errors(), [])
  })

  it('are neither offered nor shown to owners of other organisations', async t => {
    const { signIn, home, superadmin } = await startConsole(t)
    const admin = await signIn(superadmin)
    await admin.page.getByRole('navigation', { name: 'Services' }).getByRole('link', { name: 'Health' }).waitFor()
    const { page } = await signIn(home)
    const links = page.getByRole('navigation', { name: 'Services' }).getByRole('link')
    await links.getByText('Members').waitFor()
    const offered = await links.allTextContents()
    for (const name of ['Organisations', 'Providers', 'Health']) assert.ok(!offered.includes(name), offered.join())
    assert.equal(await page.getByRole('heading', { name: 'Host' }).count(), 0)
    const asked: string[] = []
    page.on('request', request => asked.push(new URL(request.url()).pathname))
    for (const [path] of SCREENS) {
      await page.goto(new URL(path, page.url()).href)
      await page.getByRole('heading', { name: 'Only superadmins see this' }).waitFor()
    }
    const OF_HOST = /^\/v1\/(iam\/orgs|ai\/providers|o11y)/
    assert.deepEqual(
      asked.filter(path => OF_HOST.test(path)),
      [],
    )
  })

  for (const [width, viewport] of Object.entries(WIDTHS)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`are accessible on a ${width}, ${colorScheme}`, async t => {
        const { signIn, owner, operator, superadmin, org, baseUrl } = await startConsole(t)
        await owner('POST /v1/iam/invites', { email: 'ada@example.com', role: 'member' })
        await operator('POST /v1/ai/providers', {
          ...{
            name: org,
            baseUrl: 'https://models.example.com/v1',
            models: [{ id: org, price: { input: 1, output: 2 } }],
          },
        })
        const { page, errors } = await signIn(superadmin, '/host/orgs', { viewport, colorScheme })
        const opened = [
          '/host/orgs?open=new',
          `/host/orgs?open=${org}`,
          '/host/providers?open=new',
          `/host/providers?open=${org}`,
        ]
        for (const [path, heading] of SCREENS) {
          await page.goto(baseUrl + path)
          await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
          await page.waitForLoadState('networkidle')
          assert.deepEqual(await violations(page), [], path)
        }
        for (const path of opened) {
          await page.goto(baseUrl + path)
          await page.locator('.drawer h2').waitFor()
          await page.waitForLoadState('networkidle')
          assert.deepEqual(await violations(page), [], path)
        }
        await page.goto(`${baseUrl}/host/health/mail`)
        await page.getByRole('row').filter({ hasText: 'ada@example.com' }).first().getByRole('button').click()
        await page.locator('.drawer h2').waitFor()
        assert.deepEqual(await violations(page), [])
        assert.deepEqual(errors(), [])
      })
    }
  }
})
