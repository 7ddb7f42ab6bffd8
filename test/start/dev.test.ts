// `npm run dev` in a copy of the checkout: sign-in at the address of the development server, and a change of a screen that shows
// without a reload.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { chromium } from 'playwright-core'
import { tracked } from '../../tools/files.ts'
import { CHROMIUM, NO_CHROMIUM } from '../client/chromium.ts'
import { NO_CONSOLE } from '../console.ts'
import { eventually } from '../eventually.ts'
import { firstRunOf, freePort, freshDirectory, killTree } from '../process.ts'

const SCREEN = 'console/services/keys/keys.tsx'

it('shows the console with hot reload', { skip: NO_CHROMIUM || NO_CONSOLE, timeout: 180_000 }, async t => {
  const data = freshDirectory(t)
  const root = join(dirname(data), 'stoa')
  for (const file of tracked) cpSync(file, join(root, file))
  for (const name of ['node_modules', 'console/node_modules']) symlinkSync(join(process.cwd(), name), join(root, name))
  const port = await freePort()
  const child = spawn(process.execPath, ['tools/dev.ts'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      STOA_DATA: data,
      STOA_PORT: await freePort(),
      STOA_IAM_PORT: await freePort(),
      STOA_METRICS_PORT: await freePort(),
      STOA_DEV_PORT: port,
      STOA_RISK_MIRROR: 'file:///does-not-exist',
      STOA_AI_LOCAL: 'off',
    },
  })
  const ended = new Promise<number>(done => child.once('exit', code => done(code ?? 137)))
  let output = ''
  child.stdout.on('data', text => {
    output += text
  })
  child.stderr.on('data', text => {
    output += text
  })
  t.after(async () => {
    child.kill('SIGTERM') // It ends the host, which ends the database.
    await ended
    if (existsSync(join(data, 'postgres/postmaster.pid'))) {
      await killTree({ child, ended, output: () => output, errors: () => '' }, data)
    }
  })
  await eventually(
    () => output,
    text => {
      assert.equal(child.exitCode, null, text)
      return text.includes(`with hot reload is at https://localhost:${port}`)
    },
  )

  const browser = await chromium.launch({
    executablePath: CHROMIUM as string,
    args: ['--no-sandbox', '--ignore-certificate-errors'],
  })
  t.after(() => browser.close())
  const page = await browser.newPage()
  const { email, password } = firstRunOf(data).home
  await page.goto(`https://localhost:${port}/o/home/keys`)
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`https://localhost:${port}/o/home/keys`)
  await page.getByRole('heading', { name: 'API keys' }).waitFor()
  await page.evaluate('window.isSame = true')
  const source = readFileSync(join(root, SCREEN), 'utf8')
  assert.ok(source.includes('title="API keys"'))
  writeFileSync(join(root, SCREEN), source.replace('title="API keys"', 'title="Keys of this test"'))
  await page.getByRole('heading', { name: 'Keys of this test' }).waitFor()
  assert.equal(await page.evaluate('window.isSame'), true)
})
