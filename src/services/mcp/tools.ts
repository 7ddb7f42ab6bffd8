// The operations as tools. A tool has the operation's flat input as arguments; none is marked as required and no default
// is declared, because the operation itself says what is missing.
import { createHash } from 'node:crypto'
import { asShown } from '../../kit/fields.ts'
import type { Method, Operation } from '../../kit/operation.ts'

/** Some clients add a prefix to the names, and reject longer ones. */
const NAME_MAX = 64

export type Tool = {
  name: string
  description: string
  inputSchema: object
  outputSchema?: object
  annotations: Hints
}
type Hints = { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: false }

/** A tool and the operation that it calls. */
export type OperationTool = { id: string; operation: Operation; tool: Tool }

/** Why an operation is not a tool; null if it is one. */
export function whyWithheld(operation: Operation): string | null {
  const { method, bodyKind, answer, reader, disclosesSecret, callsOperations } = operation
  if (disclosesSecret) return 'its answer contains a secret, which must not pass through a model'
  if (callsOperations) return 'it calls other operations itself'
  if (answer.kind === 'events') return 'its answer is an event stream, which the answer of a tool cannot be'
  if (answer.kind === 'either') return 'its answer can be an event stream, which the answer of a tool cannot be'
  if (reader !== null) return 'its body can have the formats of several SDKs, which tool arguments cannot carry'
  if (answer.kind === 'reply') return 'its answer is not JSON of this API, but a redirect, a file or a foreign format'
  if (method === 'ANY' || bodyKind === 'bytes' || bodyKind === 'stream') {
    return 'its body has a foreign format, which tool arguments cannot carry'
  }
  return null
}

export const isWithheld = (operation: Operation): boolean => whyWithheld(operation) !== null

/** Of all operations, those that are withheld included, by path and method, so that the order does not depend on where an
 *  operation is declared. */
export function toolsOf(operations: ReadonlyMap<string, Operation>): OperationTool[] {
  const tools = [...operations].map(([id, operation]) => ({ id, operation, tool: toolOf(operation) }))
  const names = new Set(tools.map(({ tool }) => tool.name))
  if (names.size < tools.length) throw new Error('two tools have the same name')
  return tools.sort((a, b) => orderOf(a.operation).localeCompare(orderOf(b.operation), 'en'))
}

const orderOf = ({ path, method }: Operation) => `${path} ${method}`

function toolOf(operation: Operation): Tool {
  const { method, summary, answer } = operation
  const output = answer.value as { type?: string } | null
  return {
    name: toolName(operation),
    description: `${summary}.`,
    inputSchema: argumentsOf(operation),
    // Earlier revisions allow only objects.
    ...(output?.type === 'object' && { outputSchema: withoutNotes(output) as object }),
    annotations: hintsOf(method as Method),
  }
}

/** `PUT /v1/risk/reference/{set}` is `put_v1_risk_reference_by_set`. */
export function toolName({ method, path }: Pick<Operation, 'method' | 'path'>): string {
  const words = path.split('/').map(part => part.replace(/^\{(\w+)\}$/, 'by_$1').replace(/\W+/g, '_'))
  const name = `${method.toLowerCase()}${words.join('_')}`
  if (name.length <= NAME_MAX) return name
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return `${name.slice(0, NAME_MAX - 9)}_${digest}`
}

function hintsOf(method: Method): Hints {
  const readOnlyHint = method === 'GET'
  const destructiveHint = method === 'DELETE' || method === 'PUT' || method === 'PATCH'
  const idempotentHint = readOnlyHint || method === 'PUT' || method === 'DELETE'
  return { readOnlyHint, destructiveHint, idempotentHint, openWorldHint: false }
}

function argumentsOf({ input, bodyKind, passesUnknown, answer }: Operation): object {
  const { properties } = withoutNotes(input) as { properties: Record<string, object> }
  // The answers of tools are JSON.
  if (answer.media !== null) delete properties.format
  const body = { description: 'The body, as JSON' }
  return {
    type: 'object',
    properties: { ...properties, ...(bodyKind === 'parsed' && { body }) },
    ...(!passesUnknown && { additionalProperties: false }),
  }
}

/** Keywords that models do not need, and those that other validators read differently. */
const NOTES = new Set(['default', 'examples', 'pattern', 'title'])

/** A schema as plain JSON, without notes. The names of properties are kept, whatever they are. */
function withoutNotes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutNotes)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(asShown(schema)).filter(([name]) => !NOTES.has(name) && !name.startsWith('x-'))
  return Object.fromEntries(
    entries.map(([name, part]) => [name, name === 'properties' ? mapped(part, withoutNotes) : withoutNotes(part)]),
  )
}

const mapped = (fields: object, change: (part: unknown) => unknown) =>
  Object.fromEntries(Object.entries(fields).map(([name, part]) => [name, change(part)]))
