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
//
//   const events = createEvents({ baseUrl: 'https://localhost:8443', key: 'pk-…' })
//   events.capture({ event: 'Order Completed', distinctId: 'user-1' })
`

/** The parts in reading order. They become one module, so that the client can be copied and loaded as one file. */
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
  'advice',
  'models',
  'capture',
  'queue',
  'sending',
  'sender',
  'ending',
  'webhook',
] as const

/** What the parts export for users. Their other exports are internal. */
const PUBLIC = [
  ...['StoaOptions', 'CallOptions', 'CreateOptions', 'Call', 'WithResponse', 'Page', 'StoaEvent', 'WebhookRequest'],
  ...['StoaError', 'StoaApiError', 'StoaConnectionError', 'InvalidInputError', 'AuthenticationError'],
  ...['PermissionError', 'NotFoundError', 'ConflictError', 'RateLimitError', 'ServerError'],
  ...['WebhookVerificationError', 'verifyWebhook'],
  ...['createEvents', 'Events', 'EventsOptions', 'CapturedEvent', 'DroppedEvent'],
  ...['CreateChatCompletionInput', 'ChatMessage', 'ChatTool', 'ChatToolCall', 'ChatCompletion', 'ChatCompletionChunk'],
  ...['ChatUsage', 'CreateEmbeddingInput', 'Embeddings', 'CreateResponseInput', 'ModelResponse', 'ModelResponseEvent'],
  ...['CreateMessageInput', 'MessageContent', 'ModelMessage', 'ModelMessageEvent'],
]

/** Operations in the formats of model calls, whose types client/models.ts declares: the whole answer, and its parts if
 *  it can be a stream. */
const MODEL_CALLS: Record<string, { whole: string; part: string | null }> = {
  createChatCompletion: { whole: 'ChatCompletion', part: 'ChatCompletionChunk' },
  createEmbedding: { whole: 'Embeddings', part: null },
  createResponse: { whole: 'ModelResponse', part: 'ModelResponseEvent' },
  createMessage: { whole: 'ModelMessage', part: 'ModelMessageEvent' },
}

const RUNTIME = PARTS.map(partText).join('\n')
/** Operation types must not use names that the runtime uses, which include platform names. */
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
    const named = Object.entries(operations).filter(([id, operation]) => id in MODEL_CALLS || hasJsonBody(operation))
    if (named.length === 0) continue
    types.push(`// ${what}.`)
    signatures.push(`  // ${what}.`)
    for (const [id, operation] of named) {
      const modelCall = MODEL_CALLS[id]
      const own = modelCall ? [] : typesOf(id, operation, nameOf)
      const all = modelCall ? modelMethodsOf(id, operation, modelCall) : methodsOf(id, operation, nameOf)
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

/** A part without its imports, because everything is in one module. */
function partText(name: string): string {
  return readFileSync(new URL(`client/${name}.ts`, import.meta.url), 'utf8')
    .replaceAll(/^import [^;]*? from '[^']+'\n/gm, '')
    .replaceAll(/^export ((?:async )?(?:function\*?|const|class|type) (\w+))/gm, (whole, declaration, exported) =>
      PUBLIC.includes(exported) ? whole : declaration,
    )
}

/** Other operations use foreign protocols, which have their own clients. */
const hasJsonBody = ({ method, path, bodyKind }: Operation) =>
  method !== 'ANY' && (bodyKind === 'json' || bodyKind === 'none') && !path.includes('...}')

/** The input, and the output if it has no name. */
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

/** The type of an operation's answer. */
function answerText(id: string, value: Schema, nameOf: NameOf): string {
  const item = itemOf(value)
  const itemName = item && nameOf(item)
  return nameOf(value) ?? (itemName ? `Page<${itemName}>` : outputName(id))
}

/** The items of a page; null if the value is not a page, or has other fields too. */
function itemOf({ properties = {} }: Schema): Schema | null {
  const { data, next, ...others } = properties
  const isPage = data?.type === 'array' && next?.type === 'string' && Object.keys(others).length === 0
  return isPage ? (data.items ?? null) : null
}

/** A client method: its signature and documentation, and the runtime function that creates it. */
type Method = {
  name: string
  text: string
  /** Its signature. */
  signatures: Signature[]
  made: string
}

type Signature = { input: string; isOptional: boolean; options: 'CallOptions' | 'CreateOptions'; answer: string }

const callText = (name: string, kind: string, { method, path }: Operation, more = '') =>
  `host.${kind}('${name}', '${method}', '${path}'${more})`

const streamOf = (type: string) => `AsyncGenerator<${type}, void, undefined>`

function commonOf(id: string, operation: Operation) {
  const { method, path, summary, input, creates } = operation
  const { required = [] } = input as Schema
  const options: Signature['options'] = creates ? 'CreateOptions' : 'CallOptions'
  return {
    text: `${summary}.\n\`${method} ${path}\``,
    signature: { input: inputName(id), isOptional: required.length === 0, options },
  }
}

function methodsOf(id: string, operation: Operation, nameOf: NameOf): Method[] {
  const { input, answer, creates } = operation
  const { text, signature } = commonOf(id, operation)
  const value = answer.value as Schema | null
  const plain = { ...signature, options: 'CallOptions' as const }
  if (answer.kind === 'reply') {
    return [
      { name: id, text, signatures: [{ ...plain, answer: 'Call<Response>' }], made: callText(id, 'send', operation) },
    ]
  }
  if (answer.kind === 'events') {
    const chunk = answer.chunk as Schema
    const stream = streamOf(`StoaEvent<${typeText(chunk, '    ', nameOf)}>`)
    // The host sends strings unchanged.
    const made = callText(id, 'events', operation, chunk.type === 'string' ? ', String' : '')
    return [{ name: id, text, signatures: [{ ...plain, answer: stream }], made }]
  }
  const data = value ? answerText(id, value, nameOf) : 'void'
  const whole = { ...signature, answer: `Call<${data}>` }
  const call = { name: id, text, signatures: [whole], made: callText(id, creates ? 'create' : 'call', operation) }
  if (answer.media) return valueOrCsv(call, whole, operation)
  if (answer.kind === 'either') {
    requireStream(operation)
    return [eitherOf(call, whole, typeText(answer.chunk as Schema, '    ', nameOf), operation)]
  }
  if (!('after' in input.properties && value && itemOf(value))) return [call]
  const item = data.startsWith('Page<') ? data.slice('Page<'.length, -1) : `${data}['data'][number]`
  const allText = 'The same, as an iterator over the items of all pages.'
  const name = `${id}All`
  return [
    call,
    { name, text: allText, signatures: [{ ...plain, answer: streamOf(item) }], made: callText(name, 'all', operation) },
  ]
}

function modelMethodsOf(id: string, operation: Operation, { whole, part }: (typeof MODEL_CALLS)[string]): Method[] {
  const { text, signature } = commonOf(id, operation)
  const answered = { ...signature, answer: `Call<${whole}>` }
  const call = { name: id, text, signatures: [answered], made: callText(id, 'model', operation) }
  return [part === null ? call : eitherOf(call, answered, part, operation)]
}

function requireStream({ input, path }: Operation): void {
  if ((input.properties.stream as Schema | undefined)?.type === 'boolean') return
  throw new Error(`${path}: the client of an operation that can stream needs the boolean input field \`stream\``)
}

/** The input field `stream` chooses the type of the answer. */
function eitherOf(call: Method, whole: Signature, part: string, operation: Operation): Method {
  const { input } = whole
  const stream = streamOf(part)
  const streamed: Signature = {
    input: `${input} & { stream: true }`,
    isOptional: false,
    options: 'CallOptions',
    answer: stream,
  }
  return {
    ...call,
    text: `${call.text}\nWith \`stream: true\` the answer is an iterator over its parts.`,
    signatures: [streamed, { ...whole, input: `${input} & { stream?: false }` }],
    made: `either<${whole.answer}, ${stream}>(${call.made}, ${callText(call.name, 'parts', operation)})`,
  }
}

/** Two methods, because the answer has two types; the input field `format` chooses between them. */
function valueOrCsv(call: Method, whole: Signature, operation: Operation): Method[] {
  const input = `Omit<${whole.input}, 'format'>`
  const name = `${call.name}Csv`
  const csv: Signature = { ...whole, input, options: 'CallOptions', answer: 'Call<Response>' }
  return [
    { ...call, signatures: [{ ...whole, input }], made: `withFields(${call.made}, { format: 'json' })` },
    {
      name,
      text: 'The same as CSV.',
      signatures: [csv],
      made: `withFields(${callText(name, 'send', operation)}, { format: 'csv' })`,
    },
  ]
}

const signatureText = ({ name, text, signatures }: Method) =>
  [
    `  ${docComment(text, '  ')}`,
    ...signatures.map(
      ({ input, isOptional, options, answer }) =>
        `  ${name}(input${isOptional ? '?' : ''}: ${input}, options?: ${options}): ${answer}`,
    ),
  ].join('\n')

const methodText = ({ name, made }: Method) => `    ${name}: ${made},`

const inputName = (id: string) => `${upperFirst(id)}Input`
const outputName = (id: string) => `${upperFirst(id)}Output`
const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
