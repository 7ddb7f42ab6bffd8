// The files of the repository, for the tests that check them.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

export const tracked = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .stdout.trim()
  .split('\n')
  .filter(file => existsSync(file))
const generated = (file: string) => file.startsWith('docs/api/') || file.startsWith('client/stoa.')
/** All hand-written files. */
export const code = tracked.filter(file => /\.(ts|mjs)$/.test(file) && !generated(file))
/** What runs in pages of other sites: the browser tag. */
const inPages = (file: string) => file.startsWith('src/services/event/tag/page/')
/** The product, without its tests. */
export const source = code.filter(file => file.startsWith('src/') && !isTest(file) && !inPages(file))
export const read = (file: string) => readFileSync(file, 'utf8')

export function isTest(file: string): boolean {
  return file.endsWith('.test.ts') || file.startsWith('test/conformance/')
}
