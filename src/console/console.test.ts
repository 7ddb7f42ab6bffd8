import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { Reply } from '../kit/answer.ts'

/** A copy of the host, with a small console of its own. */
async function checkout(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'stoa-console-'))
  t.after(() => rmSync(root, { recursive: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const name of ['console', 'engines', 'host', 'kit']) {
    cpSync(join('src', name), join(root, 'src', name), { recursive: true })
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'))
  write('client/stoa.js', 'export {}')
  for (const name of ['package.json', 'main.tsx', 'dist/assets/app-4f3a9c21.js']) write(join('console', name), '{}')
  write('console/dist/index.html', '<!doctype html><html lang="en"><p>console')
  const of = join(root, 'src/console')
  const sources = (await import(join(of, 'sources.ts'))) as typeof import('./sources.ts')
  const { openConsole } = (await import(join(of, 'console.ts'))) as typeof import('./console.ts')
  write('console/dist/sources.txt', sources.stampOf(sources.sourcesDigest(), join(root, 'console/dist')))
  const failures: string[] = []
  const pageOf = (build: boolean) => {
    const { find, close } = openConsole(build, assert.fail, text => failures.push(text))
    close()
    return String((find('GET', '/', {}) as Reply).body)
  }
  return { root, sources, pageOf, failures }
}

describe('a build of the console', () => {
  it('is used although there is a link that leads nowhere among the sources, such as the lock of an editor', async t => {
    const { root, sources, pageOf, failures } = await checkout(t)
    assert.ok(sources.isBuilt())
    symlinkSync('ada@host.1', join(root, 'console/.#main.tsx'))
    assert.ok(sources.isBuilt())
    assert.match(pageOf(true), /<p>console/)
    assert.deepEqual(failures, [])
  })

  it('is due again if a file of it is missing or cut', async t => {
    const { root, sources, pageOf } = await checkout(t)
    const script = join(root, 'console/dist/assets/app-4f3a9c21.js')
    writeFileSync(script, '')
    assert.equal(sources.isBuilt(), false)
    rmSync(script)
    assert.equal(sources.isBuilt(), false)
    assert.match(pageOf(false), /is not built/)
  })

  it('is served although its sources cannot be read', async t => {
    const { root, pageOf, failures } = await checkout(t)
    rmSync(join(root, 'client/stoa.js'))
    assert.match(pageOf(true), /<p>console/)
    assert.match(failures.join(), /the sources of the console cannot be read/)
    rmSync(join(root, 'console/dist/sources.txt'))
    mkdirSync(join(root, 'console/dist/sources.txt'))
    assert.match(pageOf(true), /could not be built/)
  })
})
