// Lints the OpenAPI document with Redocly and Spectral, and generates types and a client from it with openapi-typescript
// and hey-api, which must compile. `npm run test:openapi` runs it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { sectionsOf } from '../../src/host/host.ts'
import { openapiDocument } from '../../src/host/openapi.ts'
import { services } from '../../src/services/index.ts'
import { installPackages } from '../packages.ts'
import type { Document } from './read.ts'

const { directory: tools, skip } = installPackages(new URL('./', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'stoa-openapi-'))
after(() => rmSync(directory, { recursive: true, force: true }))

const DOCUMENT = join(directory, 'openapi.json')
/** One operation of it, with a defect that each linter must find: it shows that they read the document with our rules. */
const DEFECTIVE = join(directory, 'defective.json')
writeFileSync(DOCUMENT, JSON.stringify(openapiDocument(sectionsOf(services))))
writeFileSync(DEFECTIVE, JSON.stringify(defective()))

function defective(): object {
  const document = openapiDocument(sectionsOf(services)) as Document
  const { get } = document.paths['/v1/projects'] ?? {}
  assert.ok(get)
  const { 200: _, ...responses } = get.responses
  return { ...document, paths: { '/v1/projects': { get: { ...get, responses, tags: ['none'] } } } }
}

type Ran = { status: number | null; stdout: string; stderr: string }

/** Runs a program of an installed package. */
function run(program: string, ...args: string[]): Ran {
  const path = join(tools, 'node_modules', program)
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' }
  return spawnSync(process.execPath, [path, ...args], {
    cwd: directory,
    encoding: 'utf8',
    env,
    maxBuffer: 64 * 1024 * 1024,
  })
}

const configuration = (name: string) => join(import.meta.dirname, name)

describe('the OpenAPI document has no problem', { skip }, () => {
  it('for Redocly with its recommended rules', () => {
    type Problem = { ruleId: string; message: string; location: { pointer: string }[] }
    const found = (file: string) => {
      const args = ['--config', configuration('redocly.yaml'), '--format', 'json', '--max-problems', '1000']
      const { stdout, stderr } = run('@redocly/cli/bin/cli.js', 'lint', file, ...args)
      assert.match(stdout, /^\{/, stderr)
      const { problems } = JSON.parse(stdout) as { problems: Problem[] }
      return problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`)
    }
    assert.deepEqual(found(DOCUMENT), [])
    assert.match(found(DEFECTIVE).join('\n'), /2xx-or-3xx-response/)
  })

  it('for Spectral with its rules for OpenAPI', () => {
    const args = ['--ruleset', configuration('spectral.yaml'), '--format', 'json', '--fail-severity', 'hint', '--quiet']
    const { stdout, stderr } = run('@stoplight/spectral-cli/dist/index.js', 'lint', DOCUMENT, DEFECTIVE, ...args)
    assert.match(stdout, /^\[/, stderr)
    const problems = JSON.parse(stdout) as { code: string; message: string; path: string[]; source: string }[]
    const found = (file: string) =>
      problems
        .filter(({ source }) => basename(source) === basename(file))
        .map(({ code, path, message }) => `${code} at ${path.join('/')}: ${message}`)
    assert.deepEqual(found(DOCUMENT), [])
    assert.match(found(DEFECTIVE).join('\n'), /operation-success-response/)
    assert.match(found(DEFECTIVE).join('\n'), /operation-tag-defined/)
  })
})

const COMPILE =
  '--noEmit --strict --target es2022 --module esnext --moduleResolution bundler --lib es2022,dom,dom.iterable'

/** The errors of TypeScript 5.9 in these files. */
function errorsIn(folder: string, files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const paths = Object.keys(files).map(name => join(folder, name))
  assert.match(run('typescript/bin/tsc', '--version').stdout, /^Version 5\.9\./)
  return run('typescript/bin/tsc', ...COMPILE.split(' '), ...paths).stdout
}

describe('the OpenAPI document generates', { skip }, () => {
  it('types with openapi-typescript, which compile and have the names of the things', () => {
    const folder = join(directory, 'types')
    mkdirSync(folder)
    const made = run('openapi-typescript/bin/cli.js', DOCUMENT, '--output', join(folder, 'api.ts'))
    assert.equal(made.status, 0, made.stderr)
    const use = `
      import type { components, operations, paths } from './api'
      type Things = components['schemas']
      export const project: Things['Project'] = { slug: 'a', name: 'A', created: '', updated: '' }
      export const page: Things['ProjectList'] = { data: [project], next: '' }
      export const created: operations['createProject']['responses'][201]['content']['application/json'] = project
      export const input: Things['CreateProjectInput'] = { slug: 'a', name: 'A' }
      export const code: Things['Fault']['error']['code'] = 'conflict'
      export type Path = paths['/v1/projects/{slug}']['get']
      // @ts-expect-error The slug is missing.
      export const wrong: Things['Project'] = { name: 'A', created: '', updated: '' }
      // @ts-expect-error There is no such role.
      export const role: Things['Role'] = 'king'
    `
    assert.equal(errorsIn(folder, { 'use.ts': use }), '')
  })

  it('a client with hey-api, which compiles and has a function for each operation', () => {
    const folder = join(directory, 'client')
    const made = run('@hey-api/openapi-ts/bin/run.js', '--input', DOCUMENT, '--output', folder)
    assert.equal(made.status, 0, made.stdout + made.stderr)
    const functions = readFileSync(join(folder, 'sdk.gen.ts'), 'utf8')
    const missing = sectionsOf(services)
      .flatMap(({ operations }) => Object.keys(operations))
      .filter(id => !functions.includes(`export const ${id} = `))
    assert.deepEqual(missing, [])
    const use = `
      import { createProject, listProjects, type Fault, type Project, type ProjectList } from './index'
      export async function use(): Promise<[Project, ProjectList]> {
        const created = await createProject({ body: { slug: 'a', name: 'A' }, throwOnError: true })
        const listed = await listProjects({ query: { limit: 2 }, throwOnError: true })
        return [created.data, listed.data]
      }
      export const isConflict = ({ error }: Fault): boolean => error.code === 'conflict'
      // @ts-expect-error The name is missing.
      export const wrong = () => createProject({ body: { slug: 'a' } })
    `
    assert.equal(errorsIn(folder, { 'use.ts': use }), '')
  })
})
