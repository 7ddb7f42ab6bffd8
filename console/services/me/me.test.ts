import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../../test/console.ts'

describe('the own account', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()

  it('changes name, password and address', async t => {
    const { signIn, home, org, data, baseUrl } = await startConsole(t)
    const elsewhere = await signIn(home, 'keys')
    const { page, errors } = await signIn(home, 'keys')
    await page.getByRole('link', { name: home.email }).click()
    await page.getByRole('heading', { name: home.email }).waitFor()
    await page.getByRole('button', { name: 'Change name' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada Lovelace')
    await page.locator('.drawer-foot').getByRole('button', { name: 'Change name' }).click()
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor()

    const password = 'another walnut desk 9'
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByLabel('Current password').fill('a wrong one')
    await page.getByLabel('New password').fill(password)
    await page.locator('.drawer-foot').getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Is not your current password.').waitFor()
    await page.getByLabel('Current password').fill(home.password)
    await page.locator('.drawer-foot').getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed. Your other sign-ins have ended').waitFor()
    await elsewhere.page.getByRole('button', { name: 'Revoked' }).click()
    await elsewhere.page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()

    const email = `ada@${org}.example`
    await page.getByRole('button', { name: 'Change address' }).click()
    await page.getByLabel('New address').fill(email)
    await page.getByLabel('Current password').fill(password)
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByText(`A link was sent to ${email}`).waitFor()
    await page.getByText(`Until then you sign in with ${home.email}.`).waitFor()
    const mails = readdirSync(`${data}/mail`).map(name => readFileSync(`${data}/mail/${name}`, 'utf8'))
    const [link = ''] = mails.find(text => text.includes(`To: ${email}`))?.match(/^https:.*(?=\r$)/m) ?? []
    await page.goto(link)
    await page.getByRole('button', { name: 'Use this address' }).click()
    await page.getByText(`You now sign in with ${email}.`).waitFor()
    const again = await signIn({ email, password }, '/me')
    assert.equal(again.page.url(), `${baseUrl}/me`)
    await again.page.getByText('Confirmed', { exact: true }).waitFor()
    assert.deepEqual(
      [...errors(), ...again.errors()].filter(text => !text.includes('400')),
      [],
    )
  })

  it('accepts and declines invitations, switches, and leaves one organisation', async t => {
    const { signIn, home, operator, owner, baseUrl, org } = await startConsole(t)
    const other = { email: `grace@${org}.example`, password: 'walnut-desk-twelve-green' }
    const { key } = (await operator('POST /v1/iam/orgs', { slug: `${org}-b`, name: 'Berlin', owner: other })).body
    const asGrace = { authorization: `Bearer ${key}` }
    const { page, errors } = await signIn(home, 'keys')
    const invite = () => operator('POST /v1/iam/invites', { email: home.email, role: 'admin' }, asGrace)
    await invite()
    await page.goto(`${baseUrl}/me`)
    await page.getByRole('button', { name: 'Decline Berlin' }).click()
    await page.getByRole('button', { name: 'Decline invitation' }).click()
    await page.getByText('Invitation to Berlin declined').waitFor()
    await page.getByRole('heading', { name: 'Invitations to you' }).waitFor({ state: 'detached' })
    await invite()
    await page.reload()
    await page.getByRole('button', { name: 'Accept Berlin' }).click()
    await page.getByText('You joined Berlin').waitFor()
    await page.getByRole('link', { name: 'Switch to Berlin' }).click()
    await page.getByRole('link', { name: 'Open Berlin' }).waitFor()
    assert.equal(page.url(), `${baseUrl}/me`)
    const members = async () => (await operator('GET /v1/iam/members', undefined, asGrace)).body.data.length
    assert.equal(await members(), 2)

    await page.getByRole('button', { name: 'Leave Berlin' }).click()
    await page.getByText('You sign in again to one of your other organisations.').waitFor()
    assert.ok(await page.getByRole('button', { name: 'Leave organisation' }).isDisabled())
    await page.getByLabel(`Type ${org}-b to confirm`).fill(`${org}-b`)
    await page.getByRole('button', { name: 'Leave organisation' }).click()
    await page.waitForURL(`${baseUrl}/o/${org}/home`)
    assert.equal(await members(), 1)

    await page.goto(`${baseUrl}/me`)
    await page.getByRole('button', { name: 'Leave Home' }).click()
    await page.getByText('You belong to no other organisation').waitFor()
    await page.getByLabel(`Type ${org} to confirm`).fill(org)
    await page.getByRole('button', { name: 'Leave organisation' }).click()
    await page.getByText('This is the last owner of the organisation.').waitFor()
    assert.equal((await owner('GET /v1/iam/members')).body.data.length, 1)
    assert.deepEqual(
      errors().filter(text => !text.includes('409')),
      [],
    )
  })

  it('ends a sign-in elsewhere, and signs out without leaving anything behind Back', async t => {
    const { signIn, home, owner, baseUrl, org } = await startConsole(t)
    const elsewhere = await signIn(home, 'keys')
    const { page, errors } = await signIn(home, 'keys')
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    await page.goto(`${baseUrl}/me/sessions`)
    const rows = page.locator('tbody tr')
    await page.getByText('This browser').waitFor()
    assert.equal(await rows.filter({ hasText: 'This browser' }).count(), 1)
    await rows.filter({ hasText: 'Another one' }).getByRole('button').click()
    await page.getByRole('button', { name: 'End sign-in…' }).click()
    await page.getByRole('button', { name: 'End sign-in', exact: true }).click()
    await rows.nth(1).waitFor({ state: 'detached' })
    await elsewhere.page.reload()
    await elsewhere.page.getByLabel('Password').waitFor()

    await rows.first().getByRole('button').click()
    await page.locator('.drawer-foot').getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Password').waitFor()
    assert.deepEqual((await owner('GET /v1/iam/sessions')).body.data, [])
    await page.goBack()
    await page.getByLabel('Password').waitFor()
    await page.goto(`${baseUrl}/o/${org}/keys`)
    await page.getByLabel('Password').waitFor()
    assert.deepEqual(errors(), [])
  })

  it('deletes the account, after the address was typed', async t => {
    const { signIn, home, operator, owner, baseUrl, org } = await startConsole(t)
    const { page, errors } = await signIn(home, 'keys')
    await page.goto(`${baseUrl}/me`)
    const remove = async () => {
      await page.getByRole('button', { name: 'Delete account…' }).click()
      await page.getByText('You leave your organisation.').waitFor()
      assert.ok(await page.getByRole('button', { name: 'Delete account', exact: true }).isDisabled())
      await page.getByLabel(`Type ${home.email} to confirm`).fill(home.email)
      await page.getByRole('button', { name: 'Delete account', exact: true }).click()
    }
    await remove()
    await page.getByText(`You are the last owner of ${org}.`).waitFor()

    const grace = { email: `grace@${org}.example`, password: 'walnut-desk-twelve-green' }
    await operator('POST /v1/iam/orgs', { slug: `${org}-b`, name: 'Berlin', owner: grace })
    await owner('POST /v1/iam/invites', { email: grace.email, role: 'owner' })
    const other = await signIn(grace, '/me')
    await other.page.getByRole('button', { name: 'Accept Home' }).click()
    await other.page.getByText('You joined Home').waitFor()

    const late = { code: 'conflict', type: 'conflict_error', message: 'Sign in again first, then delete your account.' }
    await page.route('**/v1/iam/me', route =>
      route.request().method() === 'DELETE' ? route.fulfill({ status: 409, json: { error: late } }) : route.continue(),
    )
    await remove()
    await page.getByRole('button', { name: 'Sign out and sign in again' }).click()
    await page.unroute('**/v1/iam/me')
    await page.getByLabel('E-mail address').fill(home.email)
    await page.getByLabel('Password').fill(home.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${baseUrl}/me`)
    await remove()
    await page.getByLabel('Password').waitFor()
    await page.getByLabel('E-mail address').fill(home.email)
    await page.getByLabel('Password').fill(home.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    assert.equal((await owner('GET /v1/iam/me')).status, 401)
    assert.deepEqual(
      [...errors(), ...other.errors()].filter(text => !text.includes('409')),
      [],
    )
  })

  it('tells a member whose password an admin chose what to do first', async t => {
    const { signIn, owner, org, baseUrl } = await startConsole(t)
    const ada = { email: `ada@${org}.example`, password: 'walnut-desk-twelve-green' }
    await owner('POST /v1/iam/members', { ...ada, role: 'member' })
    const { page } = await signIn(ada, 'home')
    await page.goto(`${baseUrl}/me?open=name`)
    await page.getByText('An admin chose your password.').waitFor()
    await page.getByRole('button', { name: 'Change password' }).waitFor()
    for (const name of ['Change name', 'Change address', 'Leave Home', 'Delete account'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name)
    await page.getByRole('button', { name: 'Organisation Home' }).click()
    await page.locator('.org-menu').getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Password').waitFor()
  })

  it('is accessible at both widths, light and dark', async t => {
    const { signIn, home, operator, org, baseUrl } = await startConsole(t)
    const other = { email: `grace@${org}.example`, password: 'walnut-desk-twelve-green' }
    const { key } = (await operator('POST /v1/iam/orgs', { slug: `${org}-b`, name: 'Berlin', owner: other })).body
    const asGrace = { authorization: `Bearer ${key}` }
    await operator('POST /v1/iam/invites', { email: home.email, role: 'admin' }, asGrace)
    for (const viewport of Object.values(WIDTHS)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, context, errors } = await signIn(home, '/me', { viewport, colorScheme })
        await page.getByRole('button', { name: 'Accept Berlin' }).waitFor()
        assert.deepEqual(await violations(page), [])
        for (const [button, field] of [
          ['Change password', 'New password'],
          ['Change address', 'New address'],
        ] as const) {
          await page.getByRole('button', { name: button }).click()
          await page.getByLabel(field).waitFor()
          assert.deepEqual(await violations(page), [])
          await page.getByRole('button', { name: 'Close (Esc)' }).click()
        }
        await page.getByRole('link', { name: 'Sign-ins', exact: true }).click()
        await page.getByRole('button', { name: 'Console' }).first().click()
        await page.getByRole('heading', { name: 'Details' }).waitFor()
        assert.deepEqual(await violations(page), [])
        assert.equal(page.url().split('?')[0], `${baseUrl}/me/sessions`)
        assert.deepEqual(errors(), [])
        await context.close()
      }
    }
  })
})
