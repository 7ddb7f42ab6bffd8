// The service of docs/guides/add-a-service.md, added to a copy of the checkout: its types and format are correct, its
// documents can be generated, and its test and the tests over all services pass.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { tracked } from '../../tools/files.ts'

const GUIDE = readFileSync('docs/guides/add-a-service.md', 'utf8')
const SERVICE = 'src/services/notes'
/** The test of the guide, and the others that it speaks of. */
const TESTS = [
  `${SERVICE}/notes.test.ts`,
  'test/audit-changes.test.ts',
  'test/listings.test.ts',
  'test/tables.test.ts',
  'tools/tidy.test.ts',
]

it('the service of the guide passes the checks and the tests', { timeout: 600_000 }, t => {
  const root = mkdtempSync(join(tmpdir(), 'stoa-guide-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  for (const file of tracked) cpSync(file, join(root, file))
  symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'))
  addService(root)
  execFileSync('git', ['init', '-q'], { cwd: root }) // Some tests ask git which files there are.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  for (const script of [['tools/check.ts'], ['tools/generate.ts'], ['tools/test.ts', ...TESTS]]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, script, { cwd: root, env, encoding: 'utf8' })
    assert.equal(status, 0, `${script[0]}\n${stdout}\n${stderr}`)
  }
  assert.match(readFileSync(join(root, 'client/stoa.ts'), 'utf8'), /\blistNotesAll\b/)
})

/** Does what the guide says. */
function addService(root: string): void {
  const insertBefore = (file: string, line: string, text: string) => {
    const former = readFileSync(join(root, file), 'utf8')
    assert.equal(former.split(`\n${line}`).length, 2, `${file} has one line that begins with ${line}`)
    writeFileSync(
      join(root, file),
      former.replace(`\n${line}`, () => `\n${text}${line}`),
    )
  }
  const files = filesOfGuide()
  assert.ok(files.length > 8)
  for (const [name, text] of files) {
    mkdirSync(dirname(join(root, SERVICE, name)), { recursive: true })
    writeFileSync(join(root, SERVICE, name), text)
  }
  const index = 'src/services/index.ts'
  insertBefore(index, 'import { o11yService }', "import { notes } from './notes/service.ts'\n")
  insertBefore(index, '  ai,', '  notes,\n')

  const [listing, filling, writes, bound] = linesOfGuide() as [string, string, string, string]
  insertBefore('test/listings.ts', "  listing('domains'", indented(listing))
  insertBefore('test/listings.ts', '  await db`insert into projects ', indented(filling))
  const audit = 'test/audit-changes.test.ts'
  insertBefore(audit, 'const WRITES: ', `${writes}\n`)
  const changes = readFileSync(join(root, audit), 'utf8')
  writeFileSync(join(root, audit), changes.replace('{ ...own, ', '{ ...own, ...notes, '))
  insertBefore('SECURITY.md', '| workspaces |', bound)
}

/** The blocks at the margin, by the last file that the text before each names. */
function filesOfGuide(): [name: string, text: string][] {
  const parts = GUIDE.split(/^```\w+\n(.*?)^```$/ms)
  return parts.flatMap((before, n): [string, string][] => {
    const name = [...before.matchAll(/`([\w/-]+(?:\.test)?\.(?:ts|sql))`/g)].at(-1)?.[1]
    const text = parts[n + 1]
    return n % 2 === 0 && name && text ? [[name, text]] : []
  })
}

/** The blocks within the list, without its indentation. */
const linesOfGuide = (): string[] =>
  [...GUIDE.matchAll(/^ {2}```\w+\n(.*?)^ {2}```$/gms)].map(([, text]) => (text as string).replaceAll(/^ {2}/gm, ''))

const indented = (text: string) => text.replaceAll(/^(?=.)/gm, '  ')
