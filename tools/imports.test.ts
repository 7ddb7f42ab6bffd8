// Checks which file may import which.
import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { code, read, source, tracked } from './files.ts'

/** The services that may import the `public.ts` of another service. There must be no cycles. */
const SERVICE_EDGES: readonly [from: string, to: string][] = [
  ['account', 'iam'],
  ['projects', 'iam'],
  ['event', 'account'],
  ['event', 'o11y'],
  ['errors', 'o11y'],
  ['webhooks', 'o11y'],
  ['billing', 'account'],
  ['billing', 'iam'],
]

describe('imports', () => {
  for (const file of source) {
    const imports = importsOf(file)
    it(file, () => {
      const rule = ruleFor(file)
      assert.ok(rule, `${file} is in a folder without a rule`)
      for (const target of imports) assert.ok(rule(target), `${file} may not import ${target}`)
    })
  }

  it('leave no file unused', () => {
    const used = new Set(code.flatMap(importsOf))
    // The entry points of the process and of the worker threads.
    const roots = ['src/main.ts', 'src/backup/backup.ts', 'src/backup/restore.ts', 'src/console/build.ts']
    assert.deepEqual(
      source.filter(file => !used.has(file) && !roots.includes(file)),
      [],
    )
  })

  it('between services are listed and without cycles', () => {
    const order = [...new Set(SERVICE_EDGES.flat())]
    const reaches = (from: string, to: string, seen: string[] = []): boolean =>
      SERVICE_EDGES.some(([a, b]) => a === from && !seen.includes(b) && (b === to || reaches(b, to, [...seen, b])))
    for (const name of order) assert.ok(!reaches(name, name), `${name} reaches itself`)
  })

  // Imports of types count too: two files that need each other's types are one thing, or have a third in common.
  it('are without cycles', () => {
    assert.deepEqual(cycles(new Map(source.map(file => [file, importsOf(file)]))), [])
  })
})

function importsOf(file: string): string[] {
  return [...read(file).matchAll(/(?:from |import |import\()'([^']+)'/g)].map(([, target]) => {
    return target?.startsWith('.') ? join(dirname(file), target) : (target as string)
  })
}

type ImportRule = (target: string) => boolean

const isPackage: ImportRule = target => !tracked.includes(target)
const inFolder = (folder: string, target: string) => target.startsWith(`src/${folder}/`)
const publicOf = (target: string) => target.match(/^src\/services\/(\w+)\/public\.ts$/)?.[1]
/** What everything above the engines may import. */
const isGround: ImportRule = target =>
  inFolder('fair', target) || inFolder('kit', target) || target === 'src/engines/engines.ts'

/** The rule for the imports of each folder of `src/`, and of single files. */
const IMPORT_RULES: Record<string, ImportRule> = {
  fair: target => isPackage(target) || inFolder('fair', target),
  engines: target => isPackage(target) || inFolder('fair', target) || inFolder('engines', target),
  kit: target => isGround(target) || /^(typebox|node:)/.test(target),
  host: target => isPackage(target) || isGround(target) || inFolder('host', target),
  identity: target =>
    isPackage(target) || isGround(target) || inFolder('identity', target) || publicOf(target) === 'iam',
  'identity/origin.ts': target =>
    IMPORT_RULES.identity?.(target) || inFolder('host', target) || publicOf(target) === 'account',
  start: target =>
    /^(node:|src\/engines\/db\/)/.test(target) ||
    isGround(target) ||
    inFolder('start', target) ||
    target === 'src/services/index.ts' ||
    publicOf(target) !== undefined,
  'services/index.ts': target => isGround(target) || /^src\/services\/\w+\/(service|public)\.ts$/.test(target),
  // The parsers and limits of the settings.
  'config.ts': target =>
    target.startsWith('node:') ||
    inFolder('kit', target) ||
    ['src/engines/http/guard.ts', 'src/engines/seal/root-key.ts', 'src/host/connections.ts'].includes(target),
  backup: target =>
    isPackage(target) ||
    isGround(target) ||
    ['engines', 'start', 'backup'].some(folder => inFolder(folder, target)) ||
    ['src/config.ts', 'src/services/index.ts'].includes(target),
  console: target =>
    target.startsWith('node:') ||
    inFolder('console', target) ||
    ['src/host/files.ts', 'src/host/site.ts', 'src/engines/db/embedded/lock.ts'].includes(target),
  'main.ts': () => true,
}

function ruleFor(file: string): ImportRule | undefined {
  const path = file.slice('src/'.length)
  const [layer, part] = path.split('/') as [string, string]
  return IMPORT_RULES[path] ?? IMPORT_RULES[layer] ?? (layer === 'services' ? serviceRule(part) : undefined)
}

function serviceRule(part: string): ImportRule {
  const mayUse = (neighbour: string | undefined) =>
    SERVICE_EDGES.some(([from, to]) => from === part && to === neighbour)
  return target =>
    isPackage(target) || isGround(target) || inFolder(`services/${part}`, target) || mayUse(publicOf(target))
}

/** The circles in a graph, each as the path that closes it. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file)
    if (at >= 0) return void found.push([...path.slice(at), file].join(' -> '))
    if (done.has(file)) return
    for (const target of graph.get(file) ?? []) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  return found
}
