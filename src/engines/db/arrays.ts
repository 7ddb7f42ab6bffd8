// One-dimensional arrays in PostgreSQL's text format. The driver would query the server for array types on each new
// connection, and losing a connection at that moment would end the process with an unhandled rejection.
import type { SqlValue } from '../engines.ts'

function arrayText(values: readonly (string | number | boolean | null)[]): string {
  let text = '{'
  for (const value of values) text += text === '{' ? itemText(value) : `,${itemText(value)}`
  return `${text}}`
}

function itemText(value: string | number | boolean | null): string | number | boolean {
  if (value === null) return 'NULL'
  if (typeof value !== 'string') return value
  return value.includes('"') || value.includes('\\') ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`
}

/** Parameters as the driver takes them. */
export const parameters = (values: readonly SqlValue[]): string[] =>
  values.map(value => (Array.isArray(value) ? arrayText(value) : value)) as string[]

export function textsFrom(array: string): (string | null)[] {
  const items = array.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,"]+)/gs)
  return [...items].map(([, quoted, plain]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, '$1')
    return plain === 'NULL' ? null : (plain as string)
  })
}
