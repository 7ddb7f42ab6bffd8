import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../test/console.ts'
import { client } from '../../test/process.ts'

describe('the frame of the console', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()
  it('returns to the screen after sign-in, and shows the same to another person', async t => {
    const { signIn, home, baseUrl, org } = await startConsole(t)
    const { page } = await signIn(home, 'keys?status=revoked')
    assert.equal(page.url(), `${baseUrl}/o/${org}/keys?status=revoked`)
    assert.equal(await page.getByRole('button', { name: 'Revoked' }).getAttribute('aria-pressed'), 'true')
    await page.reload()
    assert.equal(await page.getByRole('button', { name: 'Revoked' }).getAttribute('aria-pressed'), 'true')
    assert.equal(await page.title(), 'API keys · Stoa')
  })

  it('says that the session has ended, and returns after sign-in', async t => {
    const { signIn, home, owner } = await startConsole(t)
    const { page } = await signIn(home, 'keys')
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    await page.waitForLoadState('networkidle')
    for (const { id } of (await owner('GET /v1/iam/sessions')).body.data) await owner(`DELETE /v1/iam/sessions/${id}`)
    await page.getByRole('button', { name: 'Revoked' }).click()
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('E-mail address').waitFor()
  })

  it('is opened with the keyboard: command menu, going to a screen', async t => {
    const { signIn } = await startConsole(t)
    const { page } = await signIn()
    await page.getByRole('heading', { name: 'Set up Home' }).waitFor()
    await page.getByRole('link', { name: 'Tools' }).focus()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('api')
    assert.deepEqual(await violations(page), [])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    await page.locator('#sheet:focus').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.getByRole('heading', { name: 'Set up Home' }).waitFor()
  })

  it('keeps the theme, without a flash', async t => {
    const { signIn, home } = await startConsole(t)
    const { page } = await signIn(home, 'keys')
    await page.getByRole('button', { name: 'Dark' }).click()
    const html = await page.reload().then(answer => answer?.text())
    assert.match(html ?? '', /<html data-theme="dark"/)
    await page.getByRole('button', { name: 'As the system' }).click()
    assert.doesNotMatch((await page.reload().then(answer => answer?.text())) ?? '', /data-theme/)
  })

  it('has its navigation behind a button on a phone', async t => {
    const { signIn, home } = await startConsole(t)
    const { page } = await signIn(home, 'keys', { viewport: WIDTHS.phone })
    assert.equal(await page.getByRole('link', { name: 'Home', exact: true }).count(), 0)
    await page.getByRole('button', { name: 'Menu' }).click()
    assert.deepEqual(await violations(page), [])
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await page.getByRole('heading', { name: 'Set up Home' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'API keys' }).count(), 0)
  })

  it('shows another organisation only to its members, and what does not exist as such', async t => {
    const { signIn, home, baseUrl, org } = await startConsole(t)
    const { page } = await signIn(home, 'keys')
    await page.goto(`${baseUrl}/o/admin/keys`)
    await page.getByRole('heading', { name: 'You are not a member of admin' }).waitFor()
    await page.goto(`${baseUrl}/o/${org}`)
    await page.getByRole('heading', { name: 'Set up Home' }).waitFor()
    await page.goto(`${baseUrl}/o/${org}/none`)
    await page.getByRole('heading', { name: 'This page does not exist' }).waitFor()
  })

  it('signs in to another organisation of the person without asking, and says so in other tabs', async t => {
    const { signIn, home, operator, baseUrl, org } = await startConsole(t)
    const second = `${org}-second`
    await operator('POST /v1/iam/orgs', { slug: second, name: 'Second', owner: { email: home.email } })
    const { page, context, errors } = await signIn(home, 'keys')
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    const other = await context.newPage()
    await other.goto(`${baseUrl}/o/${org}/keys`)
    await other.getByRole('button', { name: 'Organisation Home' }).click()
    assert.deepEqual(await violations(other), [])
    await other.getByRole('link', { name: 'Second' }).click()
    await other.getByRole('heading', { name: 'Set up Second' }).waitFor()
    assert.equal(other.url(), `${baseUrl}/o/${second}/home`)

    await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
    await page.getByRole('heading', { name: 'This is in Home' }).waitFor()
    await page.getByRole('link', { name: 'Sign in to Home' }).click()
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    assert.equal(page.url(), `${baseUrl}/o/${org}/keys`)
    await page.getByRole('button', { name: 'Organisation Home' }).click()
    await page.getByRole('link', { name: 'Your account' }).click()
    await page.waitForURL(`${baseUrl}/me`)
    assert.deepEqual(errors(), [])
  })

  it('writes nothing to another organisation that a window beside it signed in to', async t => {
    const { signIn, home, operator, baseUrl, org, owner, data } = await startConsole(t)
    const second = `${org}-second`
    const made = await operator('POST /v1/iam/orgs', { slug: second, name: 'Second', owner: { email: home.email } })
    const { page, context } = await signIn(home, 'projects?open=new')
    await page.getByLabel('Name').fill('Web shop')
    await page.getByLabel('Slug').fill('web-shop')
    const other = await context.newPage()
    // No screen of the console, which would tell this one.
    await other.goto(`${baseUrl}/v1/account/login?to=/v1&org=${second}`)
    await other.waitForURL(`${baseUrl}/v1`)
    await page.getByLabel('Slug').press('Enter')
    await page.getByRole('heading', { name: 'This is in Home' }).waitFor()
    const there = client(data, baseUrl, made.body.key)
    t.after(there.close)
    assert.deepEqual((await there.call('GET /v1/projects')).body.data, [])
    assert.deepEqual((await owner('GET /v1/projects')).body.data, [])
  })

  it('asks to sign in at every address, also at one that it cannot return to', async t => {
    const { signIn, home, baseUrl, org } = await startConsole(t)
    const { page, context } = await signIn(home, 'keys')
    await context.clearCookies()
    for (const path of [`/o/${org}/a|b[c]`, `/o/${org}/${'a'.repeat(300)}`, `/o/${org}/keys?find={a}`]) {
      await page.goto(baseUrl + path)
      await page.getByLabel('E-mail address').waitFor()
    }
  })

  it('says that a file of it is missing, and does not reload for ever', async t => {
    const { signIn, home, baseUrl, org } = await startConsole(t)
    const { page } = await signIn(home, 'keys')
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    await page.route(/[/]assets[/]audit-.*js$/, route => route.fulfill({ status: 404, body: '{}' }))
    let loads = 0
    page.on('load', () => loads++)
    await page.goto(`${baseUrl}/o/${org}/audit`)
    await page.getByRole('heading', { name: 'This could not be loaded' }).waitFor()
    assert.ok(loads <= 2, `${loads} loads`)
  })

  it('shows an error until another screen is opened', async t => {
    const { signIn, owner, home } = await startConsole(t)
    await owner('POST /v1/account/keys', { name: 'Importer' })
    const { page } = await signIn(home, 'keys')
    const fault = { error: { code: 'overloaded', message: 'Too busy.', type: 'api_error', request_id: 'req_1' } }
    await page.route('**/v1/account/keys/*', route => route.fulfill({ status: 400, json: fault }))
    await page.getByRole('button', { name: 'Importer' }).click()
    await page.getByRole('button', { name: 'Revoke…' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('Too busy.').waitFor()
    await page.getByRole('button', { name: 'Close (Esc)' }).click()
    assert.equal(await page.getByText('Too busy.').count(), 1)
    await page.getByRole('link', { name: 'Tools' }).click()
    await page.getByRole('heading', { name: 'Tools' }).waitFor()
    assert.equal(await page.getByText('Too busy.').count(), 0)
  })

  it('shows what failed, with the request id, and tries again', async t => {
    const { signIn, home } = await startConsole(t)
    const { page } = await signIn(home, 'keys')
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    const fault = { error: { code: 'overloaded', message: 'Too busy.', type: 'api_error', request_id: 'req_1' } }
    let fails = true
    await page.route('**/v1/account/keys?status=revoked**', route =>
      fails ? route.fulfill({ status: 503, json: fault, headers: { 'retry-after': '0' } }) : route.continue(),
    )
    await page.getByRole('button', { name: 'Revoked' }).click()
    await page.getByRole('heading', { name: 'The keys could not be loaded' }).waitFor()
    await page.getByText('Too busy.').waitFor()
    await page.getByText('req_1').waitFor()
    fails = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'No key matches' }).waitFor()
  })
})
