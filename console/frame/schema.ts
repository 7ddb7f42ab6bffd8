// The fields of operations, from the OpenAPI document of the host: forms take their bounds, choices and descriptions from it.
import { queryOptions } from '@tanstack/react-query'
import { stoa } from '../api.ts'

export type Schema = {
  type?: string | string[]
  description?: string
  enum?: (string | number | null)[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  examples?: unknown[]
  $ref?: string
}
export type Operation = {
  operationId: string
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}
export type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** It has 700 KB, so that it is loaded with the first form. */
export const openapi = queryOptions({
  queryKey: ['openapi'],
  queryFn: async () => (await (await stoa.getOpenapi()).json()) as Document,
  staleTime: Number.POSITIVE_INFINITY,
})

/** The schema of the field of an operation's body; of a nested one by its path, `budget.month`. */
export function schemaOf(document: Document, operationId: string, path: string): Schema & { isRequired: boolean } {
  const operation = Object.values(document.paths)
    .flatMap(one => Object.values(one))
    .find(one => one.operationId === operationId)
  const body = operation?.requestBody?.content['application/json']?.schema
  return fieldOf(document, body ?? {}, path)
}

/** The schema of a field of an object, by its path. */
export function fieldOf(document: Document, object: Schema, path: string): Schema & { isRequired: boolean } {
  let schema = resolved(document, object)
  let isRequired = true
  for (const name of path.split('.')) {
    isRequired &&= schema.required?.includes(name) ?? false
    const field = schema.properties?.[name]
    if (!field) throw new Error(`there is no field ${path}`)
    schema = resolved(document, field)
  }
  return { ...schema, isRequired }
}

/** The fields that an operation requires, of its path, query and body. */
export function requiredOf(document: Document, { parameters = [], requestBody }: Operation): string[] {
  const body = requestBody?.content['application/json']?.schema
  const named = parameters.filter(one => one.required && one.in !== 'header').map(({ name }) => name)
  return [...named, ...((body && resolved(document, body).required) ?? [])]
}

/** Follows references, and takes the one alternative of those that are null otherwise. */
function resolved(document: Document, { $ref, ...own }: Schema): Schema {
  const named = $ref ? document.components.schemas[$ref.split('/').at(-1) as string] : undefined
  const schema = named ? { ...resolved(document, named), ...own } : own
  const alternatives = schema.anyOf?.filter(one => one.type !== 'null')
  if (alternatives?.length !== 1) return schema
  const { anyOf: _, ...rest } = schema
  return { ...resolved(document, alternatives[0] as Schema), ...rest }
}
