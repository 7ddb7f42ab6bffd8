import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../../test/console.ts'

describe('the screen of tools', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()

  it('says how an agent connects, without a key', async t => {
    const { signIn, home, baseUrl, org } = await startConsole(t)
    const { page, errors } = await signIn(home, 'home')
    await page.getByRole('link', { name: 'Tools' }).click()
    await page.getByRole('button', { name: 'Connect agent' }).click()
    const address = page.getByRole('region', { name: 'Address' })
    assert.equal(await address.textContent(), `${baseUrl}/v1/mcp`)
    await page.getByRole('button', { name: 'Only reading' }).click()
    assert.equal(await address.textContent(), `${baseUrl}/v1/mcp?readOnly=1`)
    for (const client of ['Claude Code', 'VS Code', 'Cursor', 'OpenAI', 'JSON']) {
      await page.getByRole('tab', { name: client }).click()
      const code = (await page.getByRole('region', { name: 'Code, Claude Code' }).textContent()) ?? ''
      assert.match(code, /Authorization.*Bearer .*(STOA_KEY|input:stoa-key)/s, client)
      assert.ok(code.includes(`${baseUrl}/v1/mcp?readOnly=1`), client)
      assert.ok(!code.includes('sk-'), client)
    }
    await page.getByRole('link', { name: 'Create API key' }).click()
    await page.waitForURL(`${baseUrl}/o/${org}/keys?open=new`)
    assert.deepEqual(errors(), [])
  })

  it('finds a tool, runs it, and asks before it writes', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const { page, errors } = await signIn(home, 'tools')
    await page.getByRole('searchbox', { name: 'Find by name or words' }).fill('lists projects')
    await page.getByRole('button', { name: 'get_v1_account_keys' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'get_v1_projects', exact: true }).click()
    await page.getByText('GET /v1/projects', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByText('"data": []').waitFor()
    await answer.getByText('Done').waitFor()
    await answer.getByText(/^\d[\d,]* ms$/).waitFor()
    await answer.getByText(/^req_/).waitFor()

    await page.getByRole('searchbox', { name: 'Find by name or words' }).fill('post_v1_projects')
    await page.getByRole('button', { name: 'post_v1_projects', exact: true }).click()
    await page.getByRole('button', { name: 'Arguments' }).click()
    await page.getByText('required').first().waitFor()
    await page.getByRole('button', { name: 'Try a call' }).click()
    const run = async (slug: string) => {
      await page.getByRole('textbox', { name: 'slug' }).fill(slug)
      await page.getByRole('textbox', { name: 'name' }).fill('Web shop')
      await page.getByRole('button', { name: 'Run…' }).click()
    }
    await run('Not A Slug')
    await page.getByRole('button', { name: 'Run tool' }).click()
    await answer.getByText('Failed').waitFor()
    await answer.getByText('`slug`').waitFor()
    await run('web-shop')
    await page.getByRole('dialog').getByText(`as ${home.email} in Home`).waitFor()
    assert.deepEqual(await violations(page), [])
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    assert.deepEqual((await owner('GET /v1/projects')).body.data, [])
    await page.getByRole('button', { name: 'Run…' }).click()
    await page.getByRole('button', { name: 'Run tool' }).click()
    await answer.getByText('"web-shop"').waitFor()
    const [project] = (await owner('GET /v1/projects')).body.data
    assert.equal(project.slug, 'web-shop')
    const [entry] = (await owner('GET /v1/iam/audit')).body.data
    assert.deepEqual([entry.what, entry.email], ['project.create', home.email])
    assert.deepEqual(errors(), [])
  })

  it('takes lists and objects as JSON', async t => {
    const { signIn, owner, home } = await startConsole(t)
    const { page, errors } = await signIn(home, 'tools?open=patch_v1_billing_settings')
    await page.getByLabel('spendAlerts').fill('[500,')
    await page.getByRole('button', { name: 'Run…' }).click()
    assert.equal(await page.getByRole('dialog').count(), 0)
    await page.getByLabel('spendAlerts').fill('[500, 1000]')
    await page.getByRole('button', { name: 'Run…' }).click()
    await page.getByRole('button', { name: 'Run tool' }).click()
    await page.getByRole('region', { name: 'Answer' }).getByText('Done').waitFor()
    assert.deepEqual((await owner('GET /v1/billing/settings')).body.spendAlerts, [500, 1000])
    assert.deepEqual(errors(), [])
  })

  it('offers a member only what a member may call', async t => {
    const { signIn, owner, org } = await startConsole(t)
    const ada = { email: `ada@${org}.example`, password: 'walnut-desk-twelve-green' }
    await owner('POST /v1/iam/members', { ...ada, role: 'member' })
    const { page, errors } = await signIn(ada, 'tools?service=iam')
    await page.getByRole('button', { name: 'get_v1_iam_members', exact: true }).waitFor()
    for (const name of ['post_v1_iam_invites', 'get_v1_iam_audit', 'post_v1_iam_signing_keys'])
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
    await page.getByText(/\d+ others are not listed: an owner or admin may call them/).waitFor()
    assert.deepEqual(errors(), [])
  })

  it('is accessible at both widths, light and dark', async t => {
    const { signIn, home } = await startConsole(t)
    for (const viewport of Object.values(WIDTHS)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, context, errors } = await signIn(home, 'tools', { viewport, colorScheme })
        await page.getByRole('button', { name: 'get_v1_account_keys' }).waitFor()
        assert.deepEqual(await violations(page), [])
        await page.getByRole('button', { name: 'get_v1_account_keys' }).click()
        await page.getByRole('button', { name: 'Run', exact: true }).click()
        await page.getByRole('region', { name: 'Answer' }).getByText('Done').waitFor()
        assert.deepEqual(await violations(page), [])
        await page.getByRole('button', { name: 'Arguments' }).click()
        assert.deepEqual(await violations(page), [])
        await page.getByRole('button', { name: 'Close (Esc)' }).click()
        await page.getByRole('button', { name: 'Connect agent' }).click()
        await page.getByRole('heading', { name: 'Configuration' }).waitFor()
        assert.deepEqual(await violations(page), [])
        assert.deepEqual(errors(), [])
        await context.close()
      }
    }
  })
})
