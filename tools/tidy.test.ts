// Checks the rules of docs/STYLE.md that can be checked by a program.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allSettings } from '../src/config.ts'
import { settingsOf } from '../src/kit/service.ts'
import { services } from '../src/services/index.ts'
import { code, isTest, read, source, tracked } from './files.ts'

const FILE_LINES_MAX = 400
const FUNCTION_LINES_MAX = 80
/** Exceptions: file and function, and why it is not split. */
const LONG_FUNCTIONS: Record<string, string> = {}

/** Files outside the host and the engines that import `node:http` or the like. */
const HTTP_FILES = ['src/main.ts', 'src/config.ts', 'src/identity/in-process.ts']

describe('code that is allowed only in certain files', () => {
  const rules: [rule: string, pattern: RegExp, allowed: (file: string) => boolean][] = [
    [
      'SQL is in store.ts and x.store.ts',
      /[ (](db|tx|sql)(<[^`\n]*>)?`\s*(select|insert|update|delete|with|lock|set)\b/,
      file => isStore(file) || file.startsWith('src/engines/db/'),
    ],
    ['environment variables are read in config.ts', /process\.env/, file => file === 'src/config.ts'],
    [
      'the current time comes from the clock engine',
      /Date\.now\(|new Date\(\)/,
      file => file.startsWith('src/engines/clock/'),
    ],
    [
      'random values come from the random engine',
      /Math\.random|randomBytes|randomUUID|randomInt|randomFill/,
      inEngines,
    ],
    [
      'sockets are opened by the host and the engines',
      /from 'node:(net|tls|http|https|dns|dgram)/,
      // in-process.ts speaks HTTP over a pair of streams, without a socket.
      file => inEngines(file) || file.startsWith('src/host/') || HTTP_FILES.includes(file),
    ],
    ['outgoing requests go through the HTTP engine', /\bfetch\(|from 'undici'/, inEngines],
    ['services have no timers of their own', /\bsetInterval\(/, file => !file.startsWith('src/services/')],
    ['the router is imported in host/routes.ts', /from 'find-my-way'/, file => file === 'src/host/routes.ts'],
    // The engines know no organisations.
    ['stores take the type of an organisation', /\borg: string\b/, file => !isStore(file) || inEngines(file)],
    ['there are no TODO comments', /\b(TODO|FIXME|XXX|HACK)\b/, () => false],
  ]
  for (const [rule, pattern, allowed] of rules) {
    it(rule, () => {
      const offenders = source.filter(file => !allowed(file) && pattern.test(withoutTypes(read(file))))
      assert.deepEqual(offenders, [])
    })
  }

  it('every route is declared once', () => {
    const routes = source.flatMap(file =>
      [...read(file).matchAll(/route: [`']([A-Z]+ [^`']+)/g)].map(match => match[1]),
    )
    assert.ok(routes.length > 5)
    assert.deepEqual(
      routes.filter((route, at) => routes.indexOf(route) !== at),
      [],
    )
  })
})

describe('names', () => {
  it('each exported function has its own name', () => {
    const exported =
      /^export (?:async )?(?:function\*? (\w+)|const (\w+)(?:: .+?)? = (?:async )?(?:<.*>)?(?:\(|\w+ =>))/gm
    const files = new Map<string, string[]>()
    for (const file of source) {
      for (const [, declared, assigned] of read(file).matchAll(exported)) {
        const name = (declared ?? assigned) as string
        files.set(name, [...(files.get(name) ?? []), file])
      }
    }
    assert.ok(files.size > 500)
    assert.deepEqual(
      [...files].filter(([, found]) => found.length > 1),
      [],
    )
  })
})

describe('tables', () => {
  const migrations = tracked.filter(file => file.endsWith('.sql')).sort()
  const stores = source.filter(isStore)
  /** The owner of a table: the service whose migration creates it, or `host`. */
  const ownerOf = (file: string) => file.match(/^src\/services\/(\w+)\//)?.[1] ?? 'host'
  const owners = new Map(
    migrations.flatMap(file =>
      [...read(file).matchAll(/^(?:create table|alter table \w+ rename to) (\w+)/gm)].map(
        match => [match[1] as string, ownerOf(file)] as const,
      ),
    ),
  )
  const tablesIn = (text: string) => [...owners.keys()].filter(table => new RegExp(`\\b${table}\\b`).test(text))

  it('are read and written by the store of one service', () => {
    assert.ok(owners.size > 15 && stores.length > 5)
    const offenders = stores.flatMap(file => {
      const owner = ownerOf(file)
      const foreign = statementsIn(read(file)).flatMap(text => tablesNamedIn(text, tablesIn))
      return foreign.filter(table => owners.get(table) !== owner).map(table => `${file}: ${table}`)
    })
    assert.deepEqual(offenders, [])
  })

  it('with a bound are counted before one is added', async () => {
    const required = source.flatMap(file =>
      [...read(file).matchAll(/\.require\(db, tables\.(\w+), /g)].map(([, name]) => `${ownerOf(file)}: ${name}`),
    )
    const bounded: string[] = []
    for (const file of source.filter(one => one.endsWith('/tables.ts'))) {
      const declared: Record<string, { bound?: unknown }> = await import(`../${file}`)
      for (const [name, { bound }] of Object.entries(declared)) if (bound) bounded.push(`${ownerOf(file)}: ${name}`)
    }
    assert.ok(bounded.length > 5)
    assert.deepEqual([...new Set(required)].sort(), bounded.sort(), 'call bounds.require in the transaction that adds')
  })

  it('have no triggers of other services', () => {
    const triggers = new Map<string, string>()
    for (const file of migrations) {
      const dropped = [...read(file).matchAll(/^drop trigger (\w+) on (\w+)/gm)]
      const created = [...read(file).matchAll(/^create trigger (\w+)[^;]*?\bon (\w+)/gm)]
      for (const [, name, table] of dropped) triggers.delete(`${name} on ${table}`)
      for (const [, name, table] of created) {
        if (owners.get(table as string) !== ownerOf(file)) triggers.set(`${name} on ${table}`, file)
      }
    }
    assert.deepEqual([...triggers.keys()], [])
  })

  it('are written by functions with a transaction parameter', () => {
    const writes =
      /\b(insert into|update \w+ (as \w+ )?set|delete from|lock table|for (no key )?update|for (key )?share)\b/
    const offenders = stores.flatMap(file =>
      read(file)
        .split(/^(?=(?:export )?(?:async )?function )/m)
        .filter(part => writes.test(statementsIn(part).join(';')) && !/\bdb: Tx\b/.test(part))
        .map(part => `${file}: ${part.split('(', 1)[0]}`),
    )
    assert.deepEqual(offenders, [])
  })
})

describe('the documentation', () => {
  it('lists every setting that is a bound in SECURITY.md', () => {
    const names = Object.keys(allSettings(settingsOf(services)))
    const security = new Set([...read('SECURITY.md').matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(match => match[1]))
    const bounds = names.filter(name => /_MAX$|_PER_|_QUEUE$|_MB$|_CONNECTIONS$/.test(name))
    assert.ok(bounds.length > 10)
    assert.deepEqual(
      bounds.filter(name => !security.has(name)),
      [],
      'add a row for each of these bounds to SECURITY.md',
    )
  })
})

describe('size and names', () => {
  it(`no file is longer than ${FILE_LINES_MAX} lines`, () => {
    assert.deepEqual(
      code.filter(file => read(file).split('\n').length > FILE_LINES_MAX + 1),
      [],
    )
  })

  it(`no function is longer than ${FUNCTION_LINES_MAX} lines`, () => {
    const long = code.filter(file => !isTest(file)).flatMap(longFunctions)
    assert.deepEqual(
      long.filter(name => !(name in LONG_FUNCTIONS)),
      [],
    )
    assert.deepEqual(
      Object.keys(LONG_FUNCTIONS).filter(name => !long.includes(name)),
      [],
      'exceptions that are no longer needed',
    )
  })

  it('no file has a meaningless name', () => {
    const meaningless = /(^|\/)(utils?|helpers?|common|shared|core|misc|manager|impl|base)(\.|\/|$)/i
    assert.deepEqual(
      tracked.filter(file => meaningless.test(file)),
      [],
    )
  })

  it('every test file has tests', () => {
    const files = tracked.filter(file => file.endsWith('.test.ts'))
    assert.ok(files.length > 100)
    assert.deepEqual(
      files.filter(file => !/\b(it|test|\w+Conforms)\(/.test(read(file))),
      [],
    )
  })

  it('no file contains a local path or a registry URL', () => {
    const text = tracked.filter(file => /\.(ts|mjs|md|json|sql)$|^\.npmrc$|^\.ci\/run$/.test(file))
    const machine = new RegExp(['/wo' + 'rk/', '/ro' + 'ot/', 'registry\\.np' + 'mjs'].join('|'))
    assert.deepEqual(
      text.filter(file => machine.test(read(file))),
      [],
    )
    const locks = tracked.filter(file => file.endsWith('package-lock.json'))
    assert.ok(locks.length > 1)
    for (const lock of locks) assert.doesNotMatch(read(lock), /"resolved": *"http/, lock)
  })
})

/** The SQL statements in a file. */
function statementsIn(text: string): string[] {
  return [...text.matchAll(/\bdb(?:<[^`]*?>)?`([^`]*)`/g)].map(match =>
    (match[1] as string).replace(/\$\{[^}]*\}/g, '?'),
  )
}

/** The tables that a statement refers to: a table name elsewhere may be a column. */
function tablesNamedIn(statement: string, tablesIn: (text: string) => string[]): string[] {
  const names = [...statement.matchAll(/\b(?:from|join|into|update|using|table)\s+(\w+)/g)].map(match => match[1])
  return tablesIn(names.join(' '))
}

function isStore(file: string): boolean {
  return /[/.]store\.ts$/.test(file)
}

function inEngines(file: string): boolean {
  return file.startsWith('src/engines/')
}

/** Removes type-only imports, which have no effect at run time. */
function withoutTypes(text: string): string {
  return text.replace(/^import type .*$/gm, '').replace(/^import \{( type [\w ]+,?)+ \} from .*$/gm, '')
}

/** Relies on the formatter: a function ends at the first closing brace with the indentation of its first line. */
function longFunctions(file: string): string[] {
  const lines = read(file).split('\n')
  const found: string[] = []
  for (const [at, line] of lines.entries()) {
    const name = line.match(/(?:function\*? (\w+)|(?:const|let) (\w+) = (?:async )?(?:\(|\w+ =>))/)
    if (!name || !/[{(,]$/.test(line)) continue
    const indent = line.match(/^ */)?.[0] ?? ''
    const end = lines.findIndex((other, i) => i > at && other.startsWith(`${indent}}`) && !other.endsWith('{'))
    if (end - at + 1 > FUNCTION_LINES_MAX) found.push(`${file}: ${name[1] ?? name[2]} (${end - at + 1})`)
  }
  return found
}
