// The typed client: the runtime, then the types of every operation, then a method for each.
import { readFileSync } from 'node:fs'
import type { Section } from '../../src/host/openapi.ts'
import { FAULT_CODES } from '../../src/kit/fault.ts'
import type { Operation } from '../../src/kit/operation.ts'
import { openNamedTypes } from './named-types.ts'
import { docComment, type NameOf, type Schema, typeText } from './types.ts'

const HEADER = `// GENERATED from the operation declarations by \`npm run generate\`; do not edit.
//
// The typed client of a Stoa host, for Node, browsers and workers. It needs only \`fetch\` and Web Crypto.
//
//   const stoa = createStoa({ baseUrl: 'https://localhost:8443', key: 'sk-…' })
//   const project = await stoa.createProject({ slug: 'web-shop', name: 'Web shop' })
//   for await (const { slug } of stoa.listProjectsAll()) …
`

/** One module in the end, so that it can be copied and loaded as one file. In the order of reading. */
const PARTS = [
  'options',
  'errors',
  'connect',
  'request',
  'attempt',
  'retry',
  'deadline',
  'session',
  'events',
  'webhook',
] as const

/** What the parts export for users. Their other exports are for each other. */
const PUBLIC = [
  ...['StoaOptions', 'CallOptions', 'CreateOptions', 'Call', 'WithResponse', 'Page', 'StoaEvent', 'WebhookRequest'],
  ...['StoaError', 'StoaApiError', 'StoaConnectionError', 'InvalidInputError', 'AuthenticationError'],
  ...['PermissionError', 'NotFoundError', 'ConflictError', 'RateLimitError', 'ServerError'],
  ...['WebhookVerificationError', 'verifyWebhook'],
]

const RUNTIME = PARTS.map(partText).join('\n')
/** Types of operations must not have the names that the runtime uses, which are also those of the platform. */
const RUNTIME_NAMES = new Set(RUNTIME.replaceAll(/\/\*\*[\s\S]*?\*\/|\/\/.*$/gm, '').match(/\b[A-Z]\w*/g))

const FAULT_CODE = `/** Every fault that a host answers. */\nexport type FaultCode = ${typeText({ enum: FAULT_CODES })}\n`

export function clientText(sections: readonly Section[]): string {
  const ids = sections.flatMap(({ operations }) => Object.keys(operations))
  const taken = new Set([...RUNTIME_NAMES, 'Stoa', ...ids.flatMap(id => [inputName(id), outputName(id)])])
  const { nameOf, takeDeclarations } = openNamedTypes(taken)
  const types: string[] = []
  const signatures: string[] = []
  const methods: string[] = []
  for (const { what, operations } of sections) {
    const named = Object.entries(operations).filter(([, operation]) => hasJsonBody(operation))
    if (named.length === 0) continue
    types.push(`// ${what}.`)
    signatures.push(`  // ${what}.`)
    for (const [id, operation] of named) {
      const own = typesOf(id, operation, nameOf)
      const all = methodsOf(id, operation, nameOf)
      types.push(...takeDeclarations(), ...own)
      signatures.push(...all.map(signatureText))
      methods.push(...all.map(methodText))
    }
  }
  const create = `export type Stoa = {
${signatures.join('\n\n')}
}

export function createStoa(options: StoaOptions): Stoa {
  const host = connect(options)
  return {
${methods.join('\n')}
  }
}
`
  return [HEADER, RUNTIME, FAULT_CODE, `${types.join('\n\n')}\n`, create].join('\n')
}

/** A part without its imports: everything is in one module. */
function partText(name: string): string {
  return readFileSync(new URL(`client/${name}.ts`, import.meta.url), 'utf8')
    .replaceAll(/^import [^;]*? from '[^']+'\n/gm, '')
    .replaceAll(/^export ((?:async )?(?:function\*?|const|class|type) (\w+))/gm, (whole, declaration, exported) =>
      PUBLIC.includes(exported) ? whole : declaration,
    )
}

/** Other operations use formats of other protocols, which have their own clients. */
const hasJsonBody = ({ method, path, bodyKind }: Operation) =>
  method !== 'ANY' && (bodyKind === 'json' || bodyKind === 'none') && !path.includes('...}')

/** The input, and the output if it has no name of its own. */
function typesOf(id: string, operation: Operation, nameOf: NameOf): string[] {
  const schema = operation.input as Schema
  // An input without `additionalProperties` accepts unknown fields.
  const input = { ...schema, additionalProperties: schema.additionalProperties ?? true }
  const declare = (name: string, type: Schema) => `export type ${name} = ${typeText(type, '', nameOf)}`
  const value = operation.answer.value as Schema | null
  const types = [declare(inputName(id), input)]
  if (value && answerText(id, value, nameOf) === outputName(id)) types.push(declare(outputName(id), value))
  return types
}

/** The type of a value that an operation answers. */
function answerText(id: string, value: Schema, nameOf: NameOf): string {
  const item = itemOf(value)
  const itemName = item && nameOf(item)
  return nameOf(value) ?? (itemName ? `Page<${itemName}>` : outputName(id))
}

/** The items of a page; null if the value is no page, or has other fields too. */
function itemOf({ properties = {} }: Schema): Schema | null {
  const { data, next, ...others } = properties
  const isPage = data?.type === 'array' && next?.type === 'string' && Object.keys(others).length === 0
  return isPage ? (data.items ?? null) : null
}

/** A method of the client: how users see it, and which function of the runtime it calls, with what. */
type Method = {
  name: string
  text: string
  input: string
  isOptional: boolean
  options: 'CallOptions' | 'CreateOptions'
  answer: string
  calls: string
  route: string
  /** Written as the input, and after the options. */
  sends?: string
  more?: string
}

function methodsOf(id: string, operation: Operation, nameOf: NameOf): Method[] {
  const { method, path, summary, input, answer } = operation
  const { required = [] } = input as Schema
  const value = answer.value as Schema | null
  const common = {
    name: id,
    text: `${summary}.\n\`${method} ${path}\``,
    input: inputName(id),
    isOptional: required.length === 0,
    options: 'CallOptions' as const,
    route: `'${method}', '${path}'`,
  }
  if (answer.kind === 'reply') return [{ ...common, answer: 'Call<Response>', calls: 'send' }]
  if (answer.kind === 'events') return [{ ...common, ...eventsOf(answer.chunk as Schema, nameOf) }]
  const data = value ? answerText(id, value, nameOf) : 'void'
  const { creates } = operation
  const call: Method = creates
    ? { ...common, options: 'CreateOptions', answer: `Call<${data}>`, calls: 'create' }
    : { ...common, answer: `Call<${data}>`, calls: 'call' }
  if (answer.media) return valueOrCsv(call)
  if (answer.kind === 'either') return eitherOf(call, operation, nameOf)
  if (!('after' in input.properties && value && itemOf(value))) return [call]
  const item = data.startsWith('Page<') ? data.slice('Page<'.length, -1) : `${data}['data'][number]`
  const text = 'The same, as an iterator over the items of all pages.'
  return [call, { ...call, name: `${id}All`, text, answer: `AsyncGenerator<${item}, void, undefined>`, calls: 'all' }]
}

function eventsOf(chunk: Schema, nameOf: NameOf) {
  const answer = `AsyncGenerator<StoaEvent<${typeText(chunk, '    ', nameOf)}>, void, undefined>`
  // The host sends strings as they are.
  return { answer, calls: 'events', ...(chunk.type === 'string' && { more: 'String' }) }
}

/** Two methods, because the answer has two types; the input field `stream` chooses between them. */
function eitherOf(call: Method, { input, answer, path }: Operation, nameOf: NameOf): Method[] {
  if ((input.properties.stream as Schema | undefined)?.type !== 'boolean') {
    throw new Error(`${path}: the client of an operation that can stream needs the boolean input field \`stream\``)
  }
  const chosen = { ...call, input: `Omit<${call.input}, 'stream'>` }
  return [
    { ...chosen, sends: '{ ...input, stream: false }' },
    {
      ...chosen,
      ...eventsOf(answer.chunk as Schema, nameOf),
      name: `${call.name}Stream`,
      text: 'The same, as an event stream.',
      options: 'CallOptions',
      sends: '{ ...input, stream: true }',
    },
  ]
}

/** Two methods for the same reason; the input field `format` chooses. */
function valueOrCsv(call: Method): Method[] {
  const chosen = { ...call, input: `Omit<${call.input}, 'format'>` }
  return [
    { ...chosen, sends: "{ ...input, format: 'json' }" },
    {
      ...chosen,
      name: `${call.name}Csv`,
      text: 'The same as CSV.',
      answer: 'Call<Response>',
      calls: 'send',
      sends: "{ ...input, format: 'csv' }",
    },
  ]
}

const signatureText = ({ name, text, input, isOptional, options, answer }: Method) =>
  `  ${docComment(text, '  ')}\n  ${name}(input${isOptional ? '?' : ''}: ${input}, options?: ${options}): ${answer}`

const methodText = ({ name, isOptional, calls, route, sends = 'input', more }: Method) =>
  `    ${name}: (input${isOptional ? ' = {}' : ''}, options) =>
      host.${calls}(${[route, sends, 'options', ...(more ? [more] : [])].join(', ')}),`

const inputName = (id: string) => `${upperFirst(id)}Input`
const outputName = (id: string) => `${upperFirst(id)}Output`
const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
