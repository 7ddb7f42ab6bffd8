// A fresh checkout: `npm start` installs what the product needs, without the development tools; those are added later without
// touching what a running host may still load. Changed dependencies are installed only while nothing runs from the checkout.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'

const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)\b/
const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  devDependencies: Record<string, string>
}

it('npm start installs no development tools, npm test adds them, and no package in use is removed', {
  timeout: 600_000,
}, async t => {
  const root = mkdtempSync(join(tmpdir(), 'stoa-install-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const files = execFileSync('git', ['-c', `safe.directory=${process.cwd()}`, 'ls-files', '-z'], { encoding: 'utf8' })
  execFileSync('tar', ['-x', '-C', root], {
    input: execFileSync('tar', ['-c', '--null', '-T', '-'], { input: files, maxBuffer: 2 ** 28 }),
  })
  // npm needs the authority of its registry's certificate: otherwise it tries for minutes before it takes what it has.
  const { PATH, HOME, NODE_EXTRA_CA_CERTS } = process.env
  const env = { PATH, HOME, NODE_EXTRA_CA_CERTS, STOA_DATA: join(root, 'data') }
  const launch = (...args: string[]) => {
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

  // A process of this checkout is running when the dependencies change.
  writeFileSync(join(root, 'src/running.ts'), "process.stdout.write('up')\nsetInterval(() => {}, 1_000)\n")
  const running = spawn('node', ['tools/launch.mjs', 'src/running.ts'], { cwd: root, env })
  t.after(() => running.kill('SIGKILL'))
  await once(running.stdout, 'data')
  appendFileSync(join(root, 'package-lock.json'), '\n')
  const refused = launch('src/main.ts', '--version')
  assert.deepEqual([refused.status, refused.stdout], [1, ''])
  assert.match(refused.stderr, /^stoa: .* in use \(process [\d, ]+\): stop Stoa first, .*\.\n$/)
  assert.match(refused.stderr, new RegExp(`\\b${running.pid}\\b`))
  for (const command of ['backup', 'restore']) {
    const { status, stdout, stderr } = launch(`src/backup/${command}.ts`, '--help')
    assert.deepEqual([status, stderr], [0, ''], 'they run with the packages that are there')
    assert.match(stdout, new RegExp(`npm run ${command} -- <file>`))
  }
  assert.equal(inode(), before, 'nothing was installed')
  running.kill()
  await once(running, 'exit')

  // A signal during an installation also ends npm and what npm started.
  const folder = join(root, 'npm')
  mkdirSync(folder)
  const script = '#!/bin/sh\nsleep 600 &\necho $$ $! >npm/started\nmv npm/started npm/pids\nwait\n'
  writeFileSync(join(folder, 'npm'), script, { mode: 0o755 })
  const slow = { ...env, PATH: `${folder}:${PATH}` }
  const installing = spawn('node', ['tools/launch.mjs', 'src/main.ts', '--version'], { cwd: root, env: slow })
  let said = ''
  installing.stderr.on('data', text => {
    said += text
  })
  while (!existsSync(join(folder, 'pids'))) await wait(50)
  installing.kill()
  assert.deepEqual(await once(installing, 'exit'), [1, null])
  assert.match(said, /stoa: the installation was interrupted by SIGTERM; .*\.\n$/)
  for (const pid of readFileSync(join(folder, 'pids'), 'utf8').trim().split(' ')) {
    while (isAlive(Number(pid))) await wait(50)
  }
})

function isAlive(pid: number): boolean {
  const status = `/proc/${pid}/status`
  return existsSync(status) && !/^State:\tZ/m.test(readFileSync(status, 'utf8'))
}
