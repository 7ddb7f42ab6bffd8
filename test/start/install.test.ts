// A fresh checkout: `npm start` installs what the product needs, without the development tools; those are added later without
// touching what a running host may still load.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'

const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)\b/
const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  devDependencies: Record<string, string>
}

it('npm start installs no development tools, and npm test adds them', { timeout: 600_000 }, t => {
  const root = mkdtempSync(join(tmpdir(), 'stoa-install-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const files = execFileSync('git', ['-c', `safe.directory=${process.cwd()}`, 'ls-files', '-z'], { encoding: 'utf8' })
  execFileSync('tar', ['-x', '-C', root], {
    input: execFileSync('tar', ['-c', '--null', '-T', '-'], { input: files, maxBuffer: 2 ** 28 }),
  })
  const { PATH, HOME } = process.env
  const launch = (...args: string[]) => {
    const env = { PATH, HOME, STOA_DATA: join(root, 'data') }
    return spawnSync('node', ['tools/launch.mjs', ...args], { cwd: root, encoding: 'utf8', env })
  }
  const started = launch('src/main.ts', '--version')
  if (UNREACHABLE.test(started.stderr)) return t.skip('there is no registry')
  assert.deepEqual([started.status, started.stdout], [0, '0.1.0\n'], started.stderr)
  const isThere = (name: string) => existsSync(join(root, 'node_modules', name, 'package.json'))
  const tools = [...Object.keys(devDependencies), `@biomejs/cli-linux-${process.arch}`]
  assert.deepEqual(tools.filter(isThere), [])
  // Everything that the product may load is there.
  const loaded = launch('src/main.ts', '--help')
  assert.deepEqual([loaded.status, loaded.stderr], [0, ''])

  const inode = () => statSync(join(root, 'node_modules/undici/package.json')).ino
  const before = inode()
  const checked = launch('tools/check.ts')
  assert.equal(checked.status, 0, checked.stdout + checked.stderr)
  assert.equal(inode(), before, 'what was installed is left as it is')
  assert.deepEqual(
    tools.filter(name => !isThere(name)),
    [],
  )
  assert.equal(launch('src/main.ts', '--version').stderr, '', 'nothing is installed again')
})
