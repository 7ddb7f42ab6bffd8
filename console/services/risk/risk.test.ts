import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../../test/console.ts'
import { eventually } from '../../../test/eventually.ts'
import { freshDirectory } from '../../../test/process.ts'
import { small } from '../../../test/publishers.ts'
import { csvOf, entriesIn } from './csv.ts'

describe('a CSV of overrides', () => {
  it('is read as it was written', () => {
    const entries = [
      { key: 'a.example', verdict: 'deny' as const, note: 'says "no", twice; or so\nand on' },
      { key: 'Mozilla/5.0 (X11; Linux)', verdict: 'allow' as const },
    ]
    assert.deepEqual(entriesIn(csvOf(entries)), { entries, problems: [] })
  })

  it('may lack a head, verdicts and notes, and names the lines that are wrong', () => {
    const { entries, problems } = entriesIn('\uFEFFa.example\r\n\nb.example,Allow\nc.example,maybe\n,deny\n')
    assert.deepEqual(entries, [
      { key: 'a.example', verdict: 'deny' },
      { key: 'b.example', verdict: 'allow' },
    ])
    assert.deepEqual(
      problems.map(({ line }) => line),
      [4, 5],
    )
  })
})

/** A mirror with the documents of the publishers; that of `browser` is missing. */
function mirrorIn(directory: string): string {
  mkdirSync(directory, { recursive: true })
  for (const [name, text] of Object.entries(small))
    if (name !== 'top-agents') writeFileSync(join(directory, name), text)
  return `file://${directory}`
}

describe('the screens of risk', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()
  it('show sets, explain look-ups, and change overrides', async t => {
    const files = freshDirectory(t)
    const { signIn, owner, home } = await startConsole(t, { STOA_RISK_MIRROR: mirrorIn(join(files, 'mirror')) })
    await eventually(
      async () => (await owner('GET /v1/risk/reference')).body,
      ({ sets, refused }) => sets[0].keys > 0 && refused.includes('browser'),
    )
    const { page, errors } = await signIn(home, 'risk')
    await page.getByText('cannot be consulted').waitFor()
    await page.getByRole('button', { name: 'domain', exact: true }).click()
    await page.getByText('Where it comes from').waitFor()
    assert.deepEqual(await violations(page), [])
    await page.getByRole('link', { name: 'Show overrides' }).click()

    await page.getByRole('button', { name: 'Add override' }).first().click()
    await page.getByRole('textbox', { name: 'Key' }).fill('mailinator.com')
    await page.getByRole('radio', { name: 'Allow' }).check()
    await page.getByRole('textbox', { name: 'Note' }).fill('Our own tests')
    await page.locator('.drawer-foot').getByRole('button', { name: 'Add override' }).click()
    await page.getByText('Override added').waitFor()

    const path = join(files, 'import.csv')
    const rows = Array.from({ length: 700 }, (_, n) => `bulk-${n}.example,deny,Feed\n`)
    writeFileSync(path, `key,verdict,note\n${rows.join('')}x.example,maybe,\n`)
    await page.getByRole('button', { name: 'Import CSV…' }).click()
    await page.getByLabel('CSV file').setInputFiles(path)
    await page.getByText('1 line is left out.').waitFor()
    await page.getByRole('button', { name: 'Import 700 overrides' }).click()
    await page.getByText('700 of 700').first().waitFor()
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'Done' }).click()
    assert.equal((await owner('GET /v1/risk/reference/domain')).body.set.overrides, 701)

    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    assert.equal(entriesIn(readFileSync(await (await saving).path(), 'utf8')).entries.length, 701)

    await page.getByLabel('Find by key, note or person').fill('own tests')
    await page.getByText('1 override', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'mailinator.com', exact: true }).click()
    await page.getByRole('button', { name: 'Remove override' }).click()
    await page.getByText('Override on mailinator.com removed').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Override on mailinator.com restored').waitFor()

    await page.getByLabel('Breadcrumb').getByRole('link', { name: 'Risk' }).click()
    await page.getByRole('link', { name: 'Look-up' }).click()
    await page.getByLabel('Keys').fill('someone@mailinator.com\nyopmail.com\n185.220.101.1')
    await page.getByRole('button', { name: 'Look up 3 keys' }).click()
    await page.getByText('Allowed by you').waitFor()
    await page.getByText('It is on a published list').first().waitFor()
    await page.getByText('The key is unknown here, not clean.').first().waitFor()
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(errors(), [])
  })

  it('are accessible at both widths, light and dark', async t => {
    const { signIn, owner, home } = await startConsole(t)
    await owner('PUT /v1/risk/reference/domain', { entries: [{ key: 'a.example', verdict: 'deny' }] })
    for (const viewport of Object.values(WIDTHS)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, errors, context } = await signIn(home, 'risk', { viewport, colorScheme })
        await page.getByText('12 sets').waitFor()
        assert.deepEqual(await violations(page), [])
        await page.getByRole('link', { name: 'Look-up' }).click()
        await page.getByLabel('Keys').fill('a.example')
        await page.getByRole('button', { name: 'Look up key' }).click()
        await page.getByText('Denied by you').waitFor()
        assert.deepEqual(await violations(page), [])
        await page.goto(new URL(`/o/${home.org}/risk/domain?open=a.example`, page.url()).href)
        await page.getByRole('button', { name: 'Remove override' }).waitFor()
        assert.deepEqual(await violations(page), [])
        assert.deepEqual(errors(), [])
        await context.close()
      }
    }
  })
})
