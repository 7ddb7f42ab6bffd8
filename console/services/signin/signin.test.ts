import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lookOf } from '../../../src/identity/customers/look.ts'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../../test/console.ts'
import { partsOf, RECORDS_MAX, readImport } from './import-file.ts'
import { shownColor } from './look.ts'

const APP = { type: 'confidential', people: 'users', redirectUris: ['https://shop.example.com/callback'] }

describe('the file of an import', () => {
  it('is an object, an array or lines', () => {
    const users = [{ email: 'ada@example.com' }, { email: 'grace@example.com' }]
    const firebase = { signerKey: 'a', saltSeparator: 'b', rounds: 8, memCost: 14 }
    assert.deepEqual(readImport(JSON.stringify({ users, firebase, more: 1 })), { users, firebase })
    assert.deepEqual(readImport(JSON.stringify(users)), { users })
    assert.deepEqual(readImport(`${users.map(one => JSON.stringify(one)).join('\n\n')}\n`), { users })
    assert.deepEqual(readImport('{"email": "ada@example.com"}\n{"email": "grace@example.com"}'), { users })
  })

  it('is rejected with the reason', () => {
    assert.throws(() => readImport('{}'), /has no list of users/)
    assert.throws(() => readImport('[]'), /has no record/)
    assert.throws(() => readImport('{"email": "a"}\nx'), /line 2 cannot be read/)
  })

  it('becomes several imports if it is long', () => {
    const users = Array.from({ length: 2 * RECORDS_MAX + 1 }, (_, n) => ({ email: `${n}@example.com` }))
    assert.deepEqual(
      partsOf({ users }).map(part => part.users.length),
      [RECORDS_MAX, RECORDS_MAX, 1],
    )
  })
})

describe('the preview of the branding', () => {
  it('has the colours of the pages', () => {
    for (const color of ['#0f766e', '#ffff00', '#000000', '#ffffff', '#1d4f91', '#ff8800']) {
      const { style } = lookOf({ name: 'x', logo: null, color })
      const [light, onLight, dark, onDark] = style.match(/#[0-9a-f]{6}/g) ?? []
      assert.deepEqual(shownColor(color, 'light'), { act: light, onAct: onLight })
      assert.deepEqual(shownColor(color, 'dark'), { act: dark, onAct: onDark })
    }
  })
})

describe('the screens of sign-in', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()
  it('create an app, show its secret once, change it, replace the secret and delete it', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const { page, errors } = await signIn(home, 'signin')
    const foot = page.locator('.drawer-foot')
    await page.getByRole('button', { name: 'Create app' }).first().click()
    await page.getByLabel('Name', { exact: false }).first().fill('Example Shop')
    await page.getByLabel('Short name').fill('shop')
    await page.getByLabel('Redirect URIs').fill('https://shop.example.com/callback\n')
    await page.getByLabel('Domains').fill('example.com')
    await page.getByLabel('Choose a colour').fill('#0f766e')
    assert.deepEqual(await violations(page), [])
    await foot.getByRole('button', { name: 'Create app' }).click()
    const secret = (await page.getByLabel('Client secret').textContent()) ?? ''
    assert.match(secret, /^\w{43}$/)
    const settings = (await page.getByRole('region', { name: 'Code' }).textContent()) ?? ''
    assert.match(
      settings,
      new RegExp(`^ISSUER=https://localhost:\\d+\nCLIENT_ID=${home.org}-shop\nCLIENT_SECRET=${secret}$`),
    )
    await page.getByRole('tab', { name: 'openid-client' }).click()
    await page.getByText("app.get('/callback'").waitFor()
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'Done' }).click()
    assert.ok(!(await page.content()).includes(secret))

    const { body: made } = await owner(`GET /v1/iam/apps/${home.org}-shop`)
    assert.deepEqual(
      [made.people, made.signUp, made.signUpDomains, made.color],
      ['users', 'open', ['example.com'], '#0f766e'],
    )
    await page.getByRole('button', { name: 'Example Shop' }).click()
    await foot.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Domains').fill('')
    const redirectUris = ['https://changed.example.com/callback'] // By somebody else, in the meantime.
    assert.equal((await owner(`PATCH /v1/iam/apps/${home.org}-shop`, { redirectUris })).status, 200)
    await page.getByLabel('Who may register').selectOption('invited')
    await foot.getByRole('button', { name: 'Save app' }).click()
    await page.getByText('App Example Shop changed').waitFor()
    const { body: changed } = await owner(`GET /v1/iam/apps/${home.org}-shop`)
    assert.deepEqual([changed.signUp, changed.signUpDomains, changed.color], ['invited', [], '#0f766e'])
    assert.deepEqual(changed.redirectUris, redirectUris)

    await page.getByRole('button', { name: 'Replace secret…' }).click()
    await page.getByRole('button', { name: 'Replace secret', exact: true }).click()
    assert.notEqual(await page.getByLabel('Client secret').textContent(), secret)
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByLabel(`Type ${home.org}-shop to confirm`).fill(`${home.org}-shop`)
    await page.getByRole('button', { name: 'Delete app' }).click()
    await page.getByText('App Example Shop deleted').waitFor()
    assert.deepEqual((await owner('GET /v1/iam/apps')).body.data, [])
    assert.deepEqual(errors(), [])
  })

  it('find, create, change, block and delete a customer', async t => {
    const { signIn, owner, home } = await startConsole(t)
    await owner('POST /v1/iam/users', {
      email: 'grace@example.com',
      name: 'Grace Hopper',
      metadata: { plan: 'pro', seats: 2 },
    })
    const { page, errors } = await signIn(home, 'signin/customers')
    const foot = page.locator('.drawer-foot')
    await page.getByRole('button', { name: 'Create customer' }).click()
    await page.getByLabel('E-mail address', { exact: true }).fill('ada@example.com')
    await foot.getByRole('button', { name: 'Create customer' }).click()
    await page.getByRole('heading', { name: 'ada@example.com' }).waitFor()
    await page.getByRole('button', { name: 'Block…' }).click()
    await page.getByRole('button', { name: 'Block customer' }).click()
    await page.getByText('ada@example.com blocked').waitFor()
    await page.getByRole('button', { name: 'Blocked', exact: true }).click()
    await page.getByText('1 customer', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByLabel('Type ada@example.com to confirm').fill('ada@example.com')
    await page.getByRole('button', { name: 'Delete customer' }).click()
    await page.getByText('Customer ada@example.com deleted').waitFor()

    await page.getByRole('button', { name: 'All', exact: true }).click()
    await page.getByLabel('Find by address or name').fill('hopp')
    await page.waitForURL(url => url.searchParams.get('search') === 'hopp')
    await page.getByRole('button', { name: 'grace@example.com' }).click()
    await foot.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Metadata').fill('{"plan": "free"}')
    await foot.getByRole('button', { name: 'Save customer' }).click()
    await page.getByText('Customer grace@example.com changed').waitFor()
    const [grace] = (await owner('GET /v1/iam/users')).body.data
    assert.deepEqual([grace.email, grace.metadata], ['grace@example.com', { plan: 'free' }])
    assert.deepEqual(errors(), [])
  })

  it('import customers, and report what failed', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const { page, errors } = await signIn(home, 'signin/customers')
    await page.getByRole('link', { name: 'Import' }).click()
    const choose = (text: string) =>
      page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'users.json', mimeType: 'application/json', buffer: Buffer.from(text) })
    await choose('{"users": []}')
    await page.getByText('The file has no record.').waitFor()
    assert.deepEqual(await violations(page), [])
    await choose('{"users": [{"email": "grace@example.com"}, {"email": "not an address"}]}')
    await page.getByRole('button', { name: 'Import 2 records' }).click()
    await page.getByText('Import finished').waitFor()
    await page.getByRole('cell', { name: 'must be an e-mail address' }).waitFor()
    assert.deepEqual(await violations(page), [])
    await page.reload()
    await page.getByText('Import finished').waitFor()
    await page.getByRole('link', { name: 'Customers' }).click()
    await page.getByRole('button', { name: 'grace@example.com' }).waitFor()
    assert.equal((await owner('GET /v1/iam/users')).body.data.length, 1)
    assert.deepEqual(errors(), [])
  })

  it('save the branding, and end a sign-in', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const other = await signIn(home, 'keys')
    const { page, errors } = await signIn(home, 'signin/branding')
    await page.getByLabel('Colour', { exact: false }).last().fill('#0f766e')
    await page.getByLabel('Logo').setInputFiles({ name: 'a.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(SVG) })
    await page.getByAltText('The chosen logo').waitFor()
    await page.getByRole('button', { name: 'Save branding' }).click()
    await page.getByText('Branding saved').waitFor()
    const { logo, color } = (await owner('GET /v1/iam/settings')).body
    assert.deepEqual([logo, color], [`data:image/svg+xml;base64,${Buffer.from(SVG).toString('base64')}`, '#0f766e'])

    await page.getByRole('link', { name: 'Sign-ins' }).click()
    await page.getByText('2 sign-ins', { exact: true }).waitFor()
    await page.getByRole('button', { name: home.email }).last().click()
    await page.getByRole('button', { name: 'End sign-in…' }).click()
    await page.getByRole('button', { name: 'End sign-in', exact: true }).click()
    await page.getByText('1 sign-in', { exact: true }).waitFor()
    assert.deepEqual(errors(), [])
    await other.page.reload()
    await other.page.getByLabel('Password').waitFor()
  })

  it('offer members only their own sign-ins', async t => {
    const { signIn, owner } = await startConsole(t)
    const ada = { email: 'ada@example.com', password: 'walnut-desk-twelve-green' }
    await owner('POST /v1/iam/members', { ...ada, role: 'member' })
    const { page, errors } = await signIn(ada, 'keys')
    await page.getByRole('link', { name: 'Sign-ins' }).click()
    await page.getByText('1 sign-in', { exact: true }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Customers' }).count(), 0)
    assert.deepEqual(errors(), [])
  })

  it('are accessible at both widths, light and dark', async t => {
    const { signIn, owner, home } = await startConsole(t)
    await owner('POST /v1/iam/apps', { ...APP, app: 'shop', name: 'Example Shop', color: '#0f766e' })
    await owner('POST /v1/iam/users', { email: 'grace@example.com', metadata: { plan: 'pro' } })
    const opened = [
      ['Apps', 'Example Shop', 'Example Shop'],
      ['Sign-ins', home.email, home.email],
      ['Customers', 'grace@example.com', 'grace@example.com'],
      ['Branding', null, null],
    ] as const
    for (const viewport of Object.values(WIDTHS)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, context, errors } = await signIn(home, 'signin', { viewport, colorScheme })
        for (const [tab, thing, heading] of opened) {
          await page.getByRole('navigation', { name: 'Sign-in' }).getByRole('link', { name: tab }).click()
          await page.getByRole('heading', { name: tab, exact: true }).waitFor()
          if (thing) {
            await page.getByRole('button', { name: thing }).first().click()
            await page.getByRole('heading', { name: heading }).waitFor()
            assert.deepEqual(await violations(page), [])
            await page.getByRole('button', { name: 'Close (Esc)' }).click()
          }
          assert.deepEqual(await violations(page), [])
        }
        assert.deepEqual(errors(), [])
        await context.close()
      }
    }
  })
})

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 16"><rect width="40" height="16" fill="teal"/></svg>'
