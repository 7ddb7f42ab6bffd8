// Reads a guide as the script that a reader pastes, and compares the outputs that it shows with the real ones.
//
// - A `sh` block is pasted as it is. One with `npm start` goes to the terminal in which Stoa runs, the others to a second one.
//   One that begins with the comment `# As root` or `# Needs` is only parsed.
// - A block after `Save this as` and a file name is that file, in the directory of the second terminal.
// - A block after a sentence with `answer is` or `prints` is what the block before it printed. A text may leave out with `…`.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Block = { language: string; text: string; before: string }
/** Something that the guide shows, and the place of the output. */
type Shown = { language: string; text: string; output: string }
export type Guide = { script: string; shown: Shown[]; ports: string[] }

const DOCS = new URL('../docs/', import.meta.url)
const README = 'README'
export const guides = [README, ...readdirSync(new URL('guides/', DOCS)).map(file => file.replace('.md', ''))]

/** As the variable of the script that names the directory of its outputs. */
const OUTPUTS = 'OUTPUTS'
const CODE = ['js', 'ts', 'html', 'python']

export function readGuide(name: string): Guide {
  const text = readFileSync(new URL(name === README ? '../README.md' : `./guides/${name}.md`, DOCS), 'utf8')
  const blocks = blocksOf(text)
  const shown: Shown[] = []
  let [script, output] = ['', '']
  for (const [n, block] of blocks.entries()) {
    const file = block.before.match(/\b[Ss]ave this as `([^`]+)`/)?.[1]
    if (file) script += `cat > ${file} <<'END_OF_FILE'\n${block.text}END_OF_FILE\n`
    else if (block.language === 'sh') {
      output = String(n)
      script += `exec > "$${OUTPUTS}/${output}"\n${commandsOf(block.text)}\n`
    } else if (/\b(answer is|prints)\b/.test(block.before)) shown.push({ ...block, output })
    else assert.ok(!CODE.includes(block.language), `no "Save this as" before:\n${block.text}`)
  }
  assert.notEqual(output, '', 'the guide has commands')
  const ports = new Set(blocks.flatMap(({ text }) => [...text.matchAll(/\blocalhost:(\d+)/g)].map(([, port]) => port)))
  return { script, shown, ports: [...ports] as string[] }
}

/** With the text of the paragraph before each. */
function blocksOf(guide: string): Block[] {
  const parts = guide.split(/^```(\w*)\n(.*?)^```$/ms)
  return parts.flatMap((before, n) => {
    if (n % 3 !== 0 || n + 2 >= parts.length) return []
    const [language, text] = [parts[n + 1] as string, parts[n + 2] as string]
    return [
      {
        language,
        text,
        before: before
          .trim()
          .split(/\n\s*\n/)
          .at(-1) as string,
      },
    ]
  })
}

function commandsOf(block: string): string {
  if (/^# (As root|Needs)\b/.test(block)) return `bash -n <<'END_OF_BLOCK'\n${block}END_OF_BLOCK`
  if (/\bnpm start\b/.test(block)) return `first_terminal <<'END_OF_BLOCK'\n${block}END_OF_BLOCK`
  return commandsIn(block)
    .map(command => {
      const status = command.match(/# ([45]\d\d)\b/)?.[1]
      return status ? `EXPECTED=${status}\n${command}\nEXPECTED=` : command
    })
    .join('\n')
}

/** Joins the lines of a command: those within quotes, and those that end with a backslash. */
function commandsIn(block: string): string[] {
  const commands: string[] = []
  let open = ''
  for (const line of block.trimEnd().split('\n')) {
    open += open === '' ? line : `\n${line}`
    if (isQuoted(open) || open.endsWith('\\')) continue
    commands.push(open)
    open = ''
  }
  assert.equal(open, '', 'a quote is not closed')
  return commands
}

function isQuoted(text: string): boolean {
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    if (quote === '' && char === '#' && /\s/.test(text[at - 1] ?? ' ')) {
      const end = text.indexOf('\n', at)
      if (end < 0) return false
      at = end
    } else if (char === '\\' && quote !== "'") at++
    else if (char === quote) quote = ''
    else if (quote === '' && (char === '"' || char === "'")) quote = char
  }
  return quote !== ''
}

/** Asserts that what a guide shows was printed. A text may be from a program in the background, which prints later. */
export function assertShown({ shown }: Guide, directory: string): void {
  const printed = (output: string) => readFileSync(join(directory, output), 'utf8')
  const everything = readdirSync(directory).map(printed).join('')
  for (const { language, text, output } of shown) {
    if (language === 'json') assertAnswer(JSON.parse(text), lastAnswer(printed(output)), printed(output))
    else assert.match(everything, patternOf(text.trim()))
  }
}

const patternOf = (text: string) =>
  new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*'), 's')

function lastAnswer(printed: string): unknown {
  const lines = printed.trimEnd().split('\n')
  for (let from = lines.length - 1; from >= 0; from--) {
    try {
      return JSON.parse(lines.slice(from).join('\n'))
    } catch {
      // It begins further above.
    }
  }
  throw new Error(`no JSON was printed:\n${printed}`)
}

/** Every field that is shown has its value. `"…"` is any value. */
function assertAnswer(shown: unknown, real: unknown, printed: string): void {
  if (typeof shown === 'string' && shown.includes('…')) {
    assert.notEqual(real, undefined, printed)
    if (shown !== '…') assert.match(String(real), new RegExp(`^${patternOf(shown).source}$`, 's'))
  } else if (typeof shown === 'object' && shown !== null) {
    assert.ok(typeof real === 'object' && real !== null, printed)
    for (const [name, value] of Object.entries(shown)) assertAnswer(value, (real as never)[name], printed)
  } else assert.equal(real, shown, printed)
}
