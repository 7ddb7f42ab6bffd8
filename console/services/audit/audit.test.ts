import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../../test/console.ts'
import { ACTIONS, changesOf } from './words.ts'

const ENTRY = { id: '1', at: '2026-11-17T12:00:00.000Z', credential: 'stoa', what: 'x', on: 'y', ip: '', requestId: '' }

describe('entries of the audit trail', () => {
  it('are told in words', () => {
    const changes = {
      name: { from: 'Home', to: 'Meridian Goods' },
      blocked: { from: false, to: true },
      redirectUris: { from: ['https://a.example/'], to: [] },
      budget: { to: { month: 5_000, total: 0 } },
      spendAlerts: { from: [], to: [4_000] },
      rate: { to: 5_000 },
      logo: { to: null },
    }
    const money = (cents: number) => `$${cents / 100}`
    assert.deepEqual(changesOf({ ...ENTRY, changes }, money), [
      { field: 'Name', says: 'changed from', from: 'Home', to: 'Meridian Goods' },
      { field: 'Blocked', says: 'changed from', from: 'no', to: 'yes' },
      { field: 'Redirect URIs', says: 'removed, was', from: 'https://a.example/' },
      { field: 'Budget', says: 'set to', to: 'month $50, total none' },
      { field: 'Spend alerts', says: 'set to', to: '$40' },
      { field: 'Rate', says: 'set to', to: (5_000).toLocaleString() },
    ])
    assert.deepEqual(changesOf(ENTRY, money), [])
  })
})

describe('the screen of the audit trail', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()
  it('finds entries by person, action and time, and shows their changes', async t => {
    const { signIn, owner, home } = await startConsole(t)
    await owner(`PATCH /v1/iam/orgs/${home.org}`, { name: 'Meridian Goods' })
    await owner('POST /v1/projects', { slug: 'web-shop', name: 'Web shop' })
    const { page, errors } = await signIn(home, 'audit')
    await page.getByRole('button', { name: ACTIONS['project.create'] as string }).waitFor()
    await page.getByLabel('Action').selectOption('org.update')
    await page.getByText('1 entry').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('what'), 'org.update')
    await page.getByRole('button', { name: 'Organisation renamed' }).click()
    await page.getByText('Name changed from Home to Meridian Goods').waitFor()

    await page.getByRole('button', { name: 'Show this person' }).click()
    await page.getByRole('button', { name: 'Close (Esc)' }).click()
    await page.getByLabel('Since').selectOption('hour')
    await page.getByLabel('Action').selectOption('app.delete')
    await page.getByText('No entry matches').waitFor()
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('button', { name: 'Organisation renamed' }).waitFor()
    assert.equal(new URL(page.url()).search, '')
    assert.deepEqual(errors(), [])
  })

  it('is not offered to members', async t => {
    const { signIn, owner } = await startConsole(t)
    const ada = { email: 'ada@example.com', password: 'walnut-desk-twelve-green' }
    await owner('POST /v1/iam/members', { ...ada, role: 'member' })
    const { page } = await signIn(ada, 'keys')
    await page.getByRole('link', { name: 'API keys' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Audit trail' }).count(), 0)
  })

  it('is accessible at both widths, light and dark', async t => {
    const { signIn, owner, home } = await startConsole(t)
    for (let n = 0; n < 3; n++) await owner('POST /v1/projects', { slug: `shop-${n}`, name: `Shop ${n}` })
    for (const viewport of Object.values(WIDTHS)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, context, errors } = await signIn(home, 'audit', { viewport, colorScheme })
        const entry = page.getByRole('button', { name: 'Project created' }).first()
        await entry.waitFor()
        assert.deepEqual(await violations(page), [])
        await entry.click()
        await page.getByText('Name set to Shop 2').waitFor()
        assert.deepEqual(await violations(page), [])
        assert.deepEqual(errors(), [])
        await context.close()
      }
    }
  })
})
