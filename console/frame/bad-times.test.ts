// The console when the host is gone, slow or fails, and when somebody else is quicker.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { consoleSuite, NO_CONSOLE } from '../../test/console.ts'
import { freePort, start, up } from '../../test/process.ts'

const fault = (message: string) => ({
  error: { code: 'internal', message, type: 'api_error', request_id: 'req_42' },
})
const KEYS = '**/v1/account/keys*'

describe('bad times', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()
  const drawer = (page: Page) => page.locator('.drawer')

  it('say what somebody else has deleted, and the list catches up', async t => {
    const { signIn, owner, home, org } = await startConsole(t)
    const { body: key } = await owner('POST /v1/account/keys', { name: 'Importer' })
    const ada = { email: `ada@${org}.example`, password: 'walnut-desk-twelve-green' }
    const { body: member } = await owner('POST /v1/iam/members', { ...ada, role: 'member' })
    await owner('POST /v1/projects', { slug: 'shop', name: 'Shop' })
    const { body: workspace } = await owner('POST /v1/iam/workspaces', { name: 'Partner' })
    const rows = [
      ['keys', 'Importer', `DELETE /v1/account/keys/${key.id}`, 'Revoke…', 'Revoke key'],
      ['members', ada.email, `DELETE /v1/iam/members/${member.user}`, 'Remove…', 'Remove member'],
      ['projects', 'Shop', 'DELETE /v1/projects/shop', 'Delete…', 'Delete project'],
      ['members/workspaces', 'Partner', `DELETE /v1/iam/workspaces/${workspace.id}`, 'Delete…', 'Delete workspace'],
    ] as const
    const { page } = await signIn(home, 'keys')
    for (const [screen, name, deletion, asks, action] of rows) {
      await page.goto(page.url().replace(/\/o\/([^/]+)\/.*/, `/o/$1/${screen}`))
      await page.getByRole('button', { name, exact: true }).click()
      await drawer(page).getByRole('heading', { name, exact: true }).waitFor()
      const { status, body } = await owner(deletion)
      assert.ok(status < 300, JSON.stringify(body))
      await drawer(page).getByRole('button', { name: asks }).click()
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      const typed = dialog.getByRole('textbox')
      if (await typed.count()) await typed.fill((await dialog.locator('.code').first().textContent()) ?? '')
      await page.getByRole('button', { name: action }).click()
      const said = page.locator('.toast')
      await said.first().waitFor()
      assert.match((await said.first().textContent()) ?? '', /\w{3,} \w+/, screen)
      await page.getByRole('button', { name, exact: true }).waitFor({ state: 'detached' })
      await drawer(page).waitFor({ state: 'detached' })
    }
  })

  it('say what failed, in words, with what to do and the request id, and lose no other panel', async t => {
    const { signIn, home, org, baseUrl } = await startConsole(t)
    const { page } = await signIn(home, 'keys')
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    const cases: [string, (route: Route) => Promise<void>, RegExp[]][] = [
      ['500', route => route.fulfill({ status: 500, json: fault('Broken.') }), [/Broken\./, /req_42/]],
      [
        '429',
        route =>
          route.fulfill({ status: 429, headers: { 'retry-after': '60' }, json: fault('Too many requests. Wait.') }),
        [/Too many requests/, /req_42/],
      ],
      ['lost', route => route.abort('connectionreset'), [/did not answer/, /Check/]],
      [
        'HTML',
        route => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
        [/Something else than the host answered, with status 502/],
      ],
      [
        'HTML as success',
        route => route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Wi-Fi sign-in</h1>' }),
        [/Something else than the host answered/, /proxy/],
      ],
    ]
    for (const [name, answer, says] of cases) {
      await page.route(KEYS, answer)
      await page.goto(`${baseUrl}/o/${org}/keys`)
      await page.getByRole('heading', { name: 'The keys could not be loaded' }).waitFor()
      const text = (await page.locator('.empty').textContent()) ?? ''
      for (const one of says) assert.match(text, one, name)
      assert.doesNotMatch(text, /undefined|\[object|<h1>/, name)
      assert.equal(await page.getByRole('heading', { name: 'API keys' }).count(), 1, name)
      assert.equal(await page.getByRole('button', { name: 'Create key' }).count(), 1, name)
      await page.unroute(KEYS)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('button', { name: 'First key' }).waitFor()
    }
  })

  it('show no double submission and no wrong data when the host is slow', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const { page, errors } = await signIn(home, 'projects')
    await page.getByRole('button', { name: 'Create project' }).first().click()
    await drawer(page).getByLabel('Name', { exact: true }).fill('Slow')
    await drawer(page).getByLabel('Slug').fill('slow')
    let posts = 0
    await page.route('**/v1/**', async route => {
      if (route.request().method() === 'POST') posts++
      await new Promise(done => setTimeout(done, 2_000))
      await route.continue().catch(() => {}) // The page was left.
    })
    const button = drawer(page).getByRole('button', { name: 'Create project' })
    await button.click()
    assert.equal(await button.isDisabled(), true)
    assert.equal(await button.getAttribute('aria-busy'), 'true')
    await drawer(page).getByLabel('Slug').press('Enter')
    await page.getByText('Project Slow created').waitFor()
    assert.equal(posts, 1)
    await page.getByRole('link', { name: 'Members' }).click()
    await page.locator('main .skeleton').first().waitFor()
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.locator('main .skeleton').first().waitFor()
    await page.getByRole('button', { name: 'Revoked' }).click()
    await page.goBack()
    await page.getByRole('button', { name: 'First key' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Active' }).getAttribute('aria-pressed'), 'true')
    assert.equal(await page.getByRole('button', { name: home.email }).count(), 0)
    assert.equal((await owner('GET /v1/projects')).body.data.length, 1)
    assert.deepEqual(errors(), [])
  })

  it('keep the text of a form when the session has ended', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const { page } = await signIn(home, 'projects')
    await page.getByRole('button', { name: 'Create project' }).first().click()
    await drawer(page).getByLabel('Name', { exact: true }).fill('Web shop')
    await drawer(page).getByLabel('Slug').fill('web-shop')
    for (const { id } of (await owner('GET /v1/iam/sessions')).body.data) await owner(`DELETE /v1/iam/sessions/${id}`)
    await drawer(page).getByRole('button', { name: 'Create project' }).click()
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await drawer(page).getByLabel('Name', { exact: true }).inputValue(), 'Web shop')
    await drawer(page).getByRole('button', { name: 'Create project', disabled: false }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Discard what you typed?' }).waitFor()
  })

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`are over without a reload when the host is started again after ${signal}`, async t => {
      const ports = { STOA_PORT: await freePort(), STOA_IAM_PORT: await freePort(), STOA_METRICS_PORT: '0' }
      const world = await startConsole(t, ports)
      const { page } = await world.signIn(world.home, 'keys')
      await page.getByRole('button', { name: 'First key' }).waitFor()
      await page.evaluate('window.isSame = true')
      world.started.child.kill(signal)
      await world.started.ended
      await page.getByRole('button', { name: 'Revoked' }).click()
      await page.getByText('The host did not answer. Check that it runs').waitFor()
      await up(start({ STOA_DATA: world.data, STOA_CONSOLE: 'built', STOA_AI_LOCAL: 'off', ...ports }))
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('heading', { name: 'No key matches' }).waitFor()
      await page.getByRole('link', { name: 'Members' }).click()
      await page.getByRole('button', { name: world.home.email }).waitFor()
      assert.equal(await page.evaluate('window.isSame'), true)
      assert.equal(await page.getByRole('dialog').count(), 0, 'the session survives')
    })
  }
})
