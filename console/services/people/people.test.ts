import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../../test/console.ts'
import { joinAs } from '../../../test/invited.ts'

const adaOf = (org: string) => ({ email: `ada@${org}.example`, password: 'walnut-desk-twelve-green' })

describe('the screens of members', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()
  it('change roles, and let only owners change owners', async t => {
    const started = await startConsole(t)
    const { signIn, owner, home, org } = started
    const { email } = adaOf(org)
    await joinAs(started, adaOf(org))
    const ada = await signIn(adaOf(org), 'members')
    await ada.page.getByRole('button', { name: home.email }).waitFor()
    for (const name of ['Invite member', 'Invitations']) assert.equal(await ada.page.getByText(name).count(), 0)

    const { page, errors } = await signIn(home, 'members')
    await page.getByRole('button', { name: email }).click()
    await page.getByRole('button', { name: 'Change role' }).click()
    await page.getByLabel('Role', { exact: true }).selectOption('admin')
    assert.deepEqual(await violations(page), [])
    await page.locator('.drawer-foot').getByRole('button', { name: 'Change role' }).click()
    await page.getByText(`${email} is now an admin`).waitFor()

    await ada.page.reload()
    await ada.page.getByRole('button', { name: home.email }).click()
    await ada.page.getByText('Only an owner changes or removes owners.').waitFor()
    assert.equal(await ada.page.getByRole('button', { name: 'Remove…' }).count(), 0)
    await ada.page.getByRole('link', { name: 'Invite member' }).click()
    const offered = ada.page.getByLabel('Role', { exact: true }).locator('option')
    assert.deepEqual(await offered.evaluateAll(all => all.map(one => one.getAttribute('value'))), ['member', 'admin'])

    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByRole('button', { name: 'Remove member' }).click()
    await page.getByText(`${email} removed`).waitFor()
    assert.equal((await owner('GET /v1/iam/members')).body.data.length, 1)
    assert.deepEqual([...errors(), ...ada.errors()], [])
  })

  it('say why a role cannot be changed', async t => {
    const { signIn, home } = await startConsole(t)
    const { page } = await signIn(home, 'members')
    await page.getByRole('button', { name: home.email }).click()
    await page.getByRole('button', { name: 'Change role' }).click()
    await page.getByLabel('Role', { exact: true }).selectOption('member')
    await page.locator('.drawer-foot').getByRole('button', { name: 'Change role' }).click()
    await page.getByText('This is the last owner of the organisation.').waitFor()
    await page.getByText(/^Request req_/).waitFor()
  })

  it('invite and withdraw', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const { page, errors } = await signIn(home, 'members')
    await page.getByRole('link', { name: 'Invite member' }).click()
    await page.getByLabel('E-mail address').fill('grace@example.com')
    await page.getByRole('button', { name: 'Send invitation' }).click()
    await page.getByText('Invitation sent to grace@example.com').waitFor()
    const [invite] = (await owner('GET /v1/iam/invites')).body.data
    assert.deepEqual([invite.email, invite.role], ['grace@example.com', 'member'])
    await page.getByRole('button', { name: 'grace@example.com' }).click()
    await page.getByRole('button', { name: 'Withdraw…' }).click()
    await page.getByRole('button', { name: 'Withdraw invitation' }).click()
    await page.getByRole('heading', { name: 'No open invitation' }).waitFor()
    assert.deepEqual((await owner('GET /v1/iam/invites')).body.data, [])
    assert.deepEqual(errors(), [])
  })

  it('create a workspace, issue a token that works, and delete it', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const { page, errors } = await signIn(home, 'members/workspaces')
    await page.getByRole('button', { name: 'Create workspace' }).first().click()
    await page.getByLabel('Name').fill('Agency')
    await page.locator('.drawer-foot').getByRole('button', { name: 'Create workspace' }).click()
    await page.getByRole('button', { name: 'Issue token' }).click()
    await page.locator('.drawer-foot').getByRole('button', { name: 'Issue token' }).click()
    const token = (await page.getByLabel('Token', { exact: true }).textContent()) ?? ''
    const options = { method: 'POST', credentials: 'omit' as const, body: '{"event": "$pageview"}' }
    assert.equal(await statusOf(page, `/v1/event?ingest_key=${token}`, options), 200)
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByLabel('Type Agency to confirm').fill('Agency')
    await page.getByRole('button', { name: 'Delete workspace' }).click()
    await page.getByText('Workspace Agency deleted').waitFor()
    assert.deepEqual((await owner('GET /v1/iam/workspaces')).body.data, [])
    assert.ok(!(await page.content()).includes(token))
    assert.deepEqual(errors(), [])
  })

  it('are accessible at both widths, light and dark', async t => {
    const { signIn, owner, home, org } = await startConsole(t)
    const { email } = adaOf(org)
    await owner('POST /v1/iam/members', { ...adaOf(org), role: 'member' })
    await owner('POST /v1/iam/invites', { email: 'grace@example.com', role: 'admin' })
    await owner('POST /v1/iam/workspaces', { name: 'Agency' })
    const opened = [
      ['Team', email],
      ['Invitations', 'grace@example.com'],
      ['Workspaces', 'Agency'],
    ] as const
    for (const viewport of Object.values(WIDTHS)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, context, errors } = await signIn(home, 'members', { viewport, colorScheme })
        for (const [tab, thing] of opened) {
          await page.getByRole('navigation', { name: 'Members' }).getByRole('link', { name: tab }).click()
          await page.getByRole('button', { name: thing }).click()
          await page.getByRole('heading', { name: thing }).waitFor()
          assert.deepEqual(await violations(page), [])
          await page.getByRole('button', { name: 'Close (Esc)' }).click()
          assert.deepEqual(await violations(page), [])
        }
        assert.deepEqual(errors(), [])
        await context.close()
      }
    }
  })
})

/** A person who chose the own password. Others cannot become admins. */
const statusOf = (page: Page, path: string, options: object) =>
  page.evaluate(async ([url, how]) => (await fetch(url, how)).status, [path, options] as const)
