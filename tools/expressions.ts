// Finds the regular expressions of a source file and checks how long each may take on the worst input.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { CACHE } from './test/run.ts'

/** `flags` is null for an argument of `new RegExp` that is not a constant; then `source` is the code after it. */
export type Expression = { source: string; flags: string | null; line: number }

type Recheck = Pick<typeof import('recheck'), 'checkSync'>
const require = createRequire(import.meta.url)
/** The build without Java, native code and child processes: it runs everywhere and has the same result everywhere. */
const { checkSync } = require('recheck/lib/browser.js') as Recheck
const { version } = require('recheck/package.json') as { version: string }

/** Expressions with long repetitions are tested with generated texts: fewer than the default, which takes three times as
 *  long and finds no more in this source. */
const EFFORT = {
  maxIteration: 2,
  maxInitialGenerationSize: 100,
  maxGenerationSize: 30,
  mutationSize: 10,
  crossoverSize: 10,
}

/** Counted in steps instead of time, so that a busy machine gets the same result. */
const LIMITS = { attackLimit: 10_000_000, attackTimeout: null, incubationTimeout: null, seedingTimeout: null }

/** What is wrong with an expression; null if its time is linear in the length of the text. */
export function slowness(source: string, flags: string): string | null {
  if (LOOKS_FAR_BACK.test(source)) return 'looks back over a repetition, at every position of the text'
  return remembered(JSON.stringify([version, LIMITS, EFFORT, source, flags]), () => {
    const result = checkSync(source, flags, { timeout: null, ...LIMITS, ...EFFORT })
    if (result.status === 'safe') return null
    return result.status === 'vulnerable' ? result.complexity.summary : `unknown: ${result.error.kind}`
  })
}

const FINDINGS = join(CACHE, 'expressions.json')
const findings: Record<string, string | null> = existsSync(FINDINGS) ? JSON.parse(readFileSync(FINDINGS, 'utf8')) : {}
/** Results that take less time are not worth a cache file. */
const REMEMBERED_MS = 20

/** The result for an expression is always the same, and some take ten seconds. */
function remembered(question: string, ask: () => string | null): string | null {
  const name = createHash('sha256').update(question).digest('hex')
  const known = findings[name]
  if (known !== undefined) return known
  const startedMs = performance.now()
  const found = ask()
  if (performance.now() - startedMs > REMEMBERED_MS) {
    findings[name] = found
    writeFileSync(`${FINDINGS}.${process.pid}`, JSON.stringify(findings))
    renameSync(`${FINDINGS}.${process.pid}`, FINDINGS)
  }
  return found
}

/** A text for which this is slow is rarely generated. */
const LOOKS_FAR_BACK = /\(\?<[=!](?:[^)\\]|\\.)*[*+}]/

/** After these words a slash starts an expression; after any other name it divides. */
const BEFORE_EXPRESSION = new Set(['return', 'case', 'typeof', 'of', 'in', 'do', 'else', 'await', 'yield', 'void'])

const TOKENS = new RegExp(
  [
    /(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)/,
    /(?<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/,
    /(?<name>[\p{L}_$][\p{L}\d_$]*|\d[\w.]*)/u,
    /(?<space>\s+)/,
    /(?<mark>=>|\+\+|--|[\s\S])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'uy',
)
const LITERAL = /\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)/y

/** Scans TypeScript tokens, as far as needed to tell an expression from a division or text. */
export function expressionsIn(text: string): Expression[] {
  const found: Expression[] = []
  /** The closing character of each open brace, bracket and template. */
  const open: string[] = []
  let before = ''
  let at = 0
  const add = (source: string, flags: string | null) => {
    found.push({ source, flags, line: text.slice(0, at).split('\n').length })
  }
  while (at < text.length) {
    if (open.at(-1) === '`') {
      at = afterTemplatePart(text, at)
      if (text[at - 1] === '`') open.pop()
      else open.push('}')
      before = text[at - 1] === '`' ? ')' : '('
      continue
    }
    const { comment, space, string, name, mark } = matchAt(TOKENS, text, at)?.groups ?? {}
    const token = (comment ?? space ?? string ?? name ?? mark) as string
    const literal = token === '/' && mayStartExpression(before) ? matchAt(LITERAL, text, at) : null
    if (literal) add(literal[1] as string, literal[2] as string)
    if (name === 'RegExp' && before === 'new') {
      const [source, flags] = argumentOf(text, at + name.length)
      add(source, flags)
    }
    if (mark === '`') open.push(mark)
    else if (mark === '{') open.push('}')
    else if (mark === '}' && open.pop() === undefined) throw new Error(`an unmatched brace at ${at}`)
    at += literal ? literal[0].length : token.length
    if (comment === undefined && space === undefined) before = literal ? ')' : string ? ')' : token
  }
  if (open.length > 0) throw new Error(`${open.length} braces or templates are not closed`)
  return found
}

const mayStartExpression = (before: string) => !/^[\p{L}\d_$)\]}]/u.test(before) || BEFORE_EXPRESSION.has(before)

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** The index after the end of a template, or after the beginning of its next substitution. */
function afterTemplatePart(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '`') return at + 1
    else if (text.startsWith('${', at)) return at + 2
  }
  throw new Error(`the template at ${from} has no end`)
}

/** The expression that `new RegExp(…)` builds. Substitutions in a template are constants of the source: a letter stands
 *  for them. */
function argumentOf(text: string, at: number): [source: string, flags: string | null] {
  const constant = text.slice(at).match(/^\((?:'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`)(?:, '([a-z]*)')?,?\)/)
  if (!constant) return [text.slice(at).split('\n', 1)[0] as string, null]
  const [, string, template = '', flags = ''] = constant
  return [(string ?? template.replace(/\$\{[^}]*\}/g, 'x')).replaceAll('\\\\', '\\'), flags]
}
