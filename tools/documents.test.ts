// Documents name only existing files.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { read, tracked } from './files.ts'

/** Files of an installation, names that stand for any service, methods of a protocol, and names of models. */
const NOT_OURS = /^data\/|^services\/[xy]\b|^x\.|\*|^(resources|prompts)\/list$|^provider\/anything$/

/** Files and folders in backticks: with an extension of ours, or with a slash. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`((?:[\w.*-]+\/)*[\w.*-]+\.(?:ts|mjs|sql)|[a-z][\w-]*(?:\/[\w.-]+)+\/?|[a-z][\w-]*\/)`/g)]
    .map(([, path]) => (path as string).replace(/\/$/, ''))
    .filter(path => !NOT_OURS.test(path))

const exists = (path: string) =>
  tracked.some(file => `/${file}`.endsWith(`/${path}`) || `/${file}`.includes(`/${path}/`))

describe('the paths in', () => {
  const decisions = tracked.filter(file => file.startsWith('docs/decisions/'))
  for (const document of ['docs/ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/STYLE.md', ...decisions]) {
    it(`${document} exist`, () => {
      const paths = pathsIn(read(document))
      assert.ok(paths.length > 0 || decisions.includes(document))
      assert.deepEqual(
        paths.filter(path => !exists(path)),
        [],
      )
    })
  }
})
