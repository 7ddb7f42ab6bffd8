// Subjects are dot-separated tokens. In a pattern `*` stands for one token, and `>` at the end for one or more.

const TOKEN = /^[A-Za-z0-9_-]{1,64}$/
const TOKENS_MAX = 16

export function isSubject(text: string): boolean {
  const tokens = text.split('.', TOKENS_MAX + 1)
  return tokens.length <= TOKENS_MAX && tokens.every(token => TOKEN.test(token))
}

export function isPattern(text: string): boolean {
  const tokens = text.split('.', TOKENS_MAX + 1)
  if (tokens.length > TOKENS_MAX) return false
  return tokens.every((token, at) => token === '*' || (token === '>' && at === tokens.length - 1) || TOKEN.test(token))
}

export function matches(pattern: string, subject: string): boolean {
  const [wanted, given] = [pattern.split('.'), subject.split('.')]
  for (const [at, token] of wanted.entries()) {
    if (token === '>') return given.length > at
    if (at >= given.length || (token !== '*' && token !== given[at])) return false
  }
  return wanted.length === given.length
}

/** A regular expression of PostgreSQL for any of the patterns. */
export function expressionOf(patterns: readonly string[]): string {
  const invalid = patterns.find(pattern => !isPattern(pattern))
  if (patterns.length === 0 || invalid !== undefined) throw new Error(`not a pattern of subjects: ${invalid ?? 'none'}`)
  const tokens = (pattern: string) => pattern.split('.').map(token => ANY[token] ?? token)
  return `^(${patterns.map(pattern => tokens(pattern).join('\\.')).join('|')})$`
}

const ANY: Record<string, string> = { '*': '[^.]+', '>': '.+' }
