// The words for what events can be filtered and broken down by.

export const FIELDS = [
  ['source', 'Source'],
  ['campaign', 'Campaign'],
  ['path', 'Page'],
  ['country', 'Country'],
  ['browser', 'Browser'],
  ['system', 'System'],
  ['device', 'Device'],
  ['event', 'Event'],
  ['release', 'Release'],
] as const

/** `unset` stands for `set:false`. */
export const OPERATORS = [
  ['is', 'is'],
  ['not', 'is not'],
  ['contains', 'contains'],
  ['starts', 'starts with'],
  ['in', 'is one of'],
  ['gt', 'is more than'],
  ['lt', 'is less than'],
  ['set', 'is set'],
  ['unset', 'is not set'],
] as const
export type Operator = (typeof OPERATORS)[number][0]

export const PROPERTY = 'properties.'

export type Condition = { field: string; operator: string; value: string }

/** Null for a text that no condition has. */
export function conditionFrom(text: string): Condition | null {
  const [, field, operator, value = ''] = /^([^:]+):([a-z]+)(?::(.*))?$/s.exec(text) ?? []
  if (field === undefined || operator === undefined) return null
  if (operator !== 'set') return { field, operator, value }
  return { field, operator: value === 'false' ? 'unset' : 'set', value: '' }
}

export function conditionText({ field, operator, value }: Condition): string {
  if (operator === 'set') return `${field}:set`
  return operator === 'unset' ? `${field}:set:false` : `${field}:${operator}:${value}`
}

export const fieldText = (field: string): string =>
  FIELDS.find(([name]) => name === field)?.[1] ?? (field.startsWith(PROPERTY) ? field.slice(PROPERTY.length) : field)

export const operatorText = (operator: string): string => OPERATORS.find(([name]) => name === operator)?.[1] ?? operator

const countries = new Intl.DisplayNames(undefined, { type: 'region', fallback: 'code' })
const COUNTRY_CODE = /^[A-Za-z]{2}$/

/** A value as people say it. */
export function valueText(field: string, value: string): string {
  if (field === 'country' && COUNTRY_CODE.test(value)) return countries.of(value.toUpperCase()) ?? value
  if (field === 'source' && value === '(direct)') return 'Direct / none'
  if (field === 'event' && value === '$pageview') return 'Page view'
  if (field === 'event' && value === '$exception') return 'Error'
  return value
}

export const conditionWords = ({ field, operator, value }: Condition): [says: string, value: string] => [
  `${fieldText(field)} ${operatorText(operator)}`,
  operator === 'in'
    ? value
        .split(',')
        .map(one => valueText(field, one))
        .join(', ')
    : valueText(field, value),
]
