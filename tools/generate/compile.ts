// Compiles the client to JavaScript and declarations: Node 20, browsers and workers cannot run TypeScript.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** With browser types only, so that nothing of Node is used. */
const OPTIONS = [
  ...['--ignoreConfig', '--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--declaration'],
  ...['--target', 'es2022', '--lib', 'es2022,dom', '--types', ''],
  ...['--module', 'esnext', '--moduleResolution', 'bundler'],
]

/** Throws if the text has a type error. */
export function compiled(text: string): { js: string; declarations: string } {
  const directory = mkdtempSync(join(tmpdir(), 'stoa-client-'))
  try {
    const source = join(directory, 'stoa.ts')
    writeFileSync(source, text)
    const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc')
    const { status, stdout, error } = spawnSync(tsc, [...OPTIONS, source], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`The client does not compile:\n${stdout}`, { cause: error })
    const read = (file: string) => readFileSync(join(directory, file), 'utf8')
    return { js: read('stoa.js'), declarations: read('stoa.d.ts') }
  } finally {
    rmSync(directory, { recursive: true })
  }
}
