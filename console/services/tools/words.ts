// Tools and their arguments in words.
import type { Schema } from '../../frame/schema.ts'
import type { Tool } from './door.ts'

export const KINDS = [
  ['', 'All'],
  ['read', 'Reading'],
  ['write', 'Writing'],
] as const

export const isRead = ({ annotations }: Tool) => annotations.readOnlyHint
const VERBS: Record<string, string> = {
  get: 'Reads',
  post: 'Writes',
  put: 'Replaces',
  patch: 'Changes',
  delete: 'Deletes',
}
export const verbOf = ({ name }: Tool): string => VERBS[name.split('_')[0] ?? ''] ?? 'Calls'

/** `text, at most 120 characters`. */
export function typeText(schema: Schema): string {
  const { enum: choices, items, minimum, maximum, maxLength, maxItems, format } = schema
  if (choices) return `one of ${choices.filter(one => one !== null).join(', ')}`
  const kind = (Array.isArray(schema.type) ? schema.type : [schema.type]).find(one => one !== 'null')
  const number = (one: number) => one.toLocaleString()
  switch (kind) {
    case 'integer':
    case 'number': {
      const bounds = [
        minimum !== undefined && `from ${number(minimum)}`,
        maximum !== undefined && `to ${number(maximum)}`,
      ]
      return [kind === 'integer' ? 'whole number' : 'number', ...bounds].filter(Boolean).join(' ')
    }
    case 'boolean':
      return 'yes or no'
    case 'array':
      return `list of ${items ? typeText(items) : 'values'}${maxItems === undefined ? '' : `, at most ${number(maxItems)}`}`
    case 'string':
      if (format === 'date-time') return 'time'
      return maxLength === undefined ? 'text' : `text, at most ${number(maxLength)} characters`
    default:
      return 'JSON'
  }
}

/** Whether a form has a field for it. Others are written as JSON. */
export function isPlain(schema: Schema): boolean {
  const text = typeText(schema)
  return text !== 'JSON' && !(text.startsWith('list of') && !text.startsWith('list of text'))
}

/** Descriptions mark names of the API, which stand out by themselves. */
export const plain = (text: string): string => text.replaceAll('`', '')
