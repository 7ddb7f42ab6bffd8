// Rejects patterns that cannot match any subject, most of them typing errors: such an endpoint would never receive anything.
import { matches } from '../../engines/engines.ts'
import { invalidField } from '../../kit/check.ts'
import { subjectOf } from '../o11y/public.ts'

/** Subjects that are named in an error. */
const NAMED_MAX = 10

/** `subjects` are those that this platform emits. Nobody else emits any of their families, in whatever case. */
export function requireMatching(patterns: readonly string[], subjects: readonly string[]): void {
  for (const [index, pattern] of patterns.entries()) {
    const says = problemIn(pattern, subjects)
    if (says !== null) throw invalidField(`events.${index}`, `can match nothing: ${says}`)
  }
}

function problemIn(pattern: string, subjects: readonly string[]): string | null {
  const [family = '', ...rest] = pattern.split('.')
  if (pattern === '>' || family === '*') {
    return pattern === '*' ? 'subjects have at least two parts. For all events use `>`' : null
  }
  if (rest.length === 0) return `subjects have at least two parts. For all of this family use \`${pattern}.>\``
  if (family.toLowerCase() === 'event') return eventProblem(pattern, family, rest)
  const own = subjects.filter(subject => subject.startsWith(`${family.toLowerCase()}.`))
  if (own.length === 0 || own.some(subject => matches(pattern, subject))) return null
  const near = own.filter(subject => subject.startsWith(`${family}.${rest[0]}.`.toLowerCase()))
  const named = (near.length > 0 ? near : own).slice(0, NAMED_MAX)
  return `events of this family are ${named.map(subject => `\`${subject}\``).join(', ')}`
}

/** Those that clients send: `event.` and one part, which is made of the name of the event. */
function eventProblem(pattern: string, family: string, rest: readonly string[]): string | null {
  const [name = ''] = rest
  const isAny = rest.length === 1 && (name === '*' || name === '>')
  if (family === 'event' && (isAny || pattern === subjectOf(name))) return null
  if (rest.every(part => part === '*' || part === '>')) return 'an event has one part after `event`. Use `event.>`'
  return `the name of an event becomes one part in lower case, with \`_\` for other characters. Use \`${subjectOf(rest.join('_'))}\``
}
