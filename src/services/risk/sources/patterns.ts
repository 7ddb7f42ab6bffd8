// Regular expressions that tell crawlers by what they call themselves.
import { isSafePattern } from '../match/pattern.ts'
import { gather } from './gathering.ts'
import { type Parsed, type Source, Unreadable } from './source.ts'
import { arrayOf, fieldsOf, jsonOf, shortened } from './text.ts'

export const patterns: Source = {
  source: 'patterns',
  basis: 'licence',
  terms: 'MIT (monperrus/crawler-user-agents)',
  origin: 'https://raw.githubusercontent.com/monperrus/crawler-user-agents/master/crawler-user-agents.json',
  parse,
}

/** What is looked for at once takes some hundred bytes for each character. */
const LENGTH_MAX = 200_000

function parse(text: string): Parsed {
  const crawlers = gather('pattern')
  for (const { pattern, url } of arrayOf(jsonOf(text)).map(fieldsOf)) {
    const about = typeof url === 'string' ? shortened(url) : ''
    if (typeof pattern === 'string' && !(isSafePattern(pattern) && tellsSomething(pattern))) crawlers.drop()
    else crawlers.add(pattern, about === '' ? { class: 'crawler' } : { class: 'crawler', about })
  }
  const parsed = crawlers.done()
  const length = parsed.members.reduce((sum, { key }) => sum + key.length, 0)
  if (length > LENGTH_MAX)
    throw new Unreadable(`The patterns have ${length} characters, more than can be looked for at once`)
  return parsed
}

/** A pattern that matches nothing at all matches everything, whether or not it starts with the mark against case. */
function tellsSomething(pattern: string): boolean {
  return !new RegExp(pattern.replace(/^\(\?i\)/, '')).test('')
}
