// Reads an OpenAPI document: its operations, and what a reference points to.

export type Schema = {
  $ref?: string
  type?: string | string[]
  description?: string
  const?: unknown
  enum?: unknown[]
  examples?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
  [keyword: string]: unknown
}
export type Parameter = {
  name: string
  in: string
  required?: boolean
  description?: string
  example?: unknown
  schema: Schema
}
export type Media = { schema?: Schema; example?: unknown; examples?: Record<string, { $ref: string }> }
export type Response = { description: string; headers?: Record<string, Schema>; content?: Record<string, Media> }
export type Entry = {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, Response>
}
export type Document = {
  tags: { name: string; description?: string }[]
  security?: Record<string, string[]>[]
  paths: Record<string, Record<string, Entry>>
  components: { schemas: Record<string, Schema>; headers?: object; examples?: Record<string, { value: unknown }> }
}
export type Documented = { route: string; method: string; path: string; entry: Entry }

export const JSON_TYPE = 'application/json'

export const operationsIn = ({ paths }: Document): Documented[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([lower, entry]) => {
      const method = lower.toUpperCase()
      return { route: `${method} ${path}`, method, path, entry }
    }),
  )

/** The response for the success of an operation. */
export function successOf({ responses }: Entry): [status: number, response: Response] {
  const found = Object.entries(responses).filter(([status]) => /^[23]/.test(status))
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} responses for a success`)
  return [Number(found[0][0]), found[0][1]]
}

/** Follows a reference within the document. */
export function resolve<T extends { $ref?: string }>(document: object, value: T): T {
  if (value.$ref === undefined) return value
  let found: unknown = document
  for (const step of value.$ref.split('/').slice(1)) found = (found as Record<string, unknown> | undefined)?.[step]
  if (found === undefined) throw new Error(`${value.$ref} does not exist`)
  return resolve(document, found as T)
}
