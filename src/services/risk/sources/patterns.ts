// Regular expressions that match the user agents of crawlers.
import { isSafePattern } from '../match/pattern.ts'
import { buildPatterns, openPatterns } from '../match/pattern-table.ts'
import { openCollector } from './collector.ts'
import { type Parsed, type Source, Unreadable } from './source.ts'
import { arrayOf, jsonOf, lineFields, shortened } from './text.ts'

export const patterns: Source = {
  source: 'patterns',
  basis: 'licence',
  terms: 'MIT (monperrus/crawler-user-agents)',
  origin: 'https://raw.githubusercontent.com/monperrus/crawler-user-agents/master/crawler-user-agents.json',
  parse,
}

/** The pattern table needs some hundred bytes per character. */
const LENGTH_MAX = 200_000

function parse(text: string): Parsed {
  const crawlers = openCollector('pattern')
  for (const { pattern, url } of arrayOf(jsonOf(text)).map(lineFields)) {
    const about = typeof url === 'string' ? shortened(url) : ''
    if (typeof pattern === 'string' && !(isSafePattern(pattern) && isSelective(pattern))) crawlers.drop()
    else crawlers.add(pattern, about === '' ? { class: 'crawler' } : { class: 'crawler', about })
  }
  const parsed = crawlers.done()
  const keys = parsed.members.map(({ key }) => key)
  const length = keys.reduce((sum, key) => sum + key.length, 0)
  if (length > LENGTH_MAX)
    throw new Unreadable(`The patterns have ${length} characters in total; the limit is ${LENGTH_MAX}`)
  requireNoBrowserMatch(keys)
  return parsed
}

/** User agents of common browsers. A list with a pattern that matches one of them is rejected as a whole. */
const BROWSER_AGENTS = [
  ...['(Windows NT 10.0; Win64; x64)', '(Macintosh; Intel Mac OS X 10_15_7)', '(X11; Linux x86_64)'].flatMap(system => [
    `Mozilla/5.0 ${system} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36`,
    `Mozilla/5.0 ${system} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
  ]),
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15',
  ...['Version/18.6 Mobile/15E148', 'CriOS/142.0.7444.77 Mobile/15E148', 'FxiOS/145.0 Mobile/15E148'].map(
    browser =>
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ${browser} Safari/604.1`,
  ),
]

function requireNoBrowserMatch(patterns: readonly string[]): void {
  const find = openPatterns(buildPatterns(patterns))
  for (const agent of BROWSER_AGENTS) {
    const found = find(agent)
    const problem =
      found >= 0
        ? `The pattern ${JSON.stringify(patterns[found])} matches a common browser`
        : 'The patterns need too many steps for a common browser'
    if (found !== -1) throw new Unreadable(`${problem}: ${agent}`)
  }
}

/** A pattern that matches the empty text, with or without `(?i)`, matches every text. */
function isSelective(pattern: string): boolean {
  return !new RegExp(pattern.replace(/^\(\?i\)/, '')).test('')
}
