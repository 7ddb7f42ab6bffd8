// The typed client: the runtime, then the types of every operation, then a method for each.
import { readFileSync } from 'node:fs'
import type { Section } from '../../src/host/openapi.ts'
import type { Operation } from '../../src/kit/operation.ts'
import { docComment, type Schema, typeText } from './types.ts'

const HEADER = `// GENERATED from the operation declarations by \`npm run generate\`; do not edit.
//
// The typed client of a Stoa host. It needs only \`fetch\` and runs in browsers and in Node.
//
//   const stoa = createStoa({ baseUrl: 'https://localhost:8443', key: 'sk-…' })
//   const project = await stoa.createProject({ slug: 'web-shop', name: 'Web shop' })
//   for await (const { slug } of stoa.listProjectsAll()) …
`
const RUNTIME = readFileSync(new URL('client-runtime.ts', import.meta.url), 'utf8')

export function clientText(sections: readonly Section[]): string {
  const types: string[] = []
  const methods: string[] = []
  for (const { what, operations } of sections) {
    const named = Object.entries(operations).filter(([, operation]) => hasJsonBody(operation))
    if (named.length === 0) continue
    types.push(`// ${what}.`, ...named.flatMap(([id, operation]) => typesOf(id, operation)))
    methods.push(`    // ${what}.`, ...named.flatMap(([id, operation]) => methodsOf(id, operation)))
  }
  const create = `export type Stoa = ReturnType<typeof createStoa>

export function createStoa(options: StoaOptions) {
  const host = connect(options)
  return {
${methods.join('\n\n')}
  }
}
`
  return [HEADER, RUNTIME, `${types.join('\n\n')}\n`, create].join('\n')
}

/** Other operations use formats of other protocols, which have their own clients. */
const hasJsonBody = ({ method, path, bodyKind }: Operation) =>
  method !== 'ANY' && (bodyKind === 'json' || bodyKind === 'none') && !path.includes('...}')

function typesOf(id: string, operation: Operation): string[] {
  const schema = operation.input as Schema
  // An input without `additionalProperties` accepts unknown fields.
  const input = { ...schema, additionalProperties: schema.additionalProperties ?? true }
  const declare = (name: string, type: Schema) => `export type ${name} = ${typeText(type)}`
  return [
    declare(inputName(id), input),
    ...(operation.answer.kind === 'value' ? [declare(outputName(id), operation.answer.value as Schema)] : []),
  ]
}

function methodsOf(id: string, operation: Operation): string[] {
  const { method, path, summary, answer: declared } = operation
  const { required = [] } = operation.input as Schema
  const parameters = `input: ${inputName(id)}${required.length === 0 ? ' = {}' : ''}, options?: CallOptions`
  const write = (name: string, text: string, call: string) =>
    `    ${docComment(text, '    ')}\n` +
    `    ${name}: (${parameters}) =>\n      host.${call}('${method}', '${path}', input, options),`
  const answer = declared.kind === 'nothing' ? 'void' : outputName(id)
  const call = declared.kind === 'nothing' || declared.kind === 'value' ? `call<${answer}>` : 'send'
  const methods = [write(id, `${summary}.\n\`${method} ${path}\``, call)]
  if (!isListing(operation)) return methods
  return [
    ...methods,
    write(`${id}All`, 'The same, as an iterator over the items of all pages.', `all<${answer}['data'][number]>`),
  ]
}

function isListing({ input, answer: { value } }: Operation): boolean {
  const { data, next } = (value as Schema | null)?.properties ?? {}
  return 'after' in input.properties && data?.type === 'array' && next?.type === 'string'
}

const inputName = (id: string) => `${upperFirst(id)}Input`
const outputName = (id: string) => `${upperFirst(id)}Output`
const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
