// Compatibility: a change of the OpenAPI document that breaks clients needs a page in docs/decisions that names it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sectionsOf } from '../src/host/host.ts'
import { openapiDocument } from '../src/host/openapi.ts'
import { services } from '../src/services/index.ts'
import { breakingChanges } from './openapi/changes.ts'
import type { Document, Schema } from './openapi/read.ts'

const root = join(import.meta.dirname, '..')
const FILE = 'docs/api/openapi.json'

/** The clone may belong to another user. */
function git(...args: string[]): string | null {
  const { status, stdout } = spawnSync('git', ['-c', `safe.directory=${root}`, ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return status === 0 ? stdout : null
}

/** The last landed document: of the last commit, or of the one before if the last commit made the present one. */
function landedDocument(present: Document): Document | null {
  const at = (commit: string) => JSON.parse(git('show', `${commit}:${FILE}`) ?? 'null') as Document | null
  const commits = git('log', '--first-parent', '-2', '--format=%H', '--', FILE)?.split('\n').filter(Boolean) ?? []
  const documents = commits.map(at).filter(one => one !== null)
  return documents.find(one => JSON.stringify(one) !== JSON.stringify(present)) ?? null
}

it('the OpenAPI document breaks no client, or a decision says why', t => {
  const present = openapiDocument(sectionsOf(services)) as Document
  const landed = landedDocument(present)
  if (!landed) return t.skip(`git has no earlier version of ${FILE}`)
  const pages = join(root, 'docs/decisions')
  const decided = new Set(
    readdirSync(pages)
      .flatMap(page => readFileSync(join(pages, page), 'utf8').split('\n'))
      .map(line => line.replace(/^- /, '')),
  )
  const undecided = breakingChanges(landed, present).filter(line => !decided.has(line))
  assert.equal(
    undecided.join('\n'),
    '',
    'These changes break clients. Undo them, or name each, by its exact line in a list, in a page of docs/decisions:',
  )
})

/** A document with one operation. */
type Parts = {
  route?: string
  id?: string
  open?: boolean
  query?: Record<string, Schema>
  requiredQuery?: string[]
  input?: Schema
  answer?: Schema
  fault?: Schema
  statuses?: number[]
  components?: Record<string, Schema>
}

function documentOf(parts: Parts): Document {
  const { route = 'POST /v1/x', id = 'doIt', open = false, query = {}, requiredQuery = [] } = parts
  const { input, answer, fault, statuses = [], components = {} } = parts
  const [method = '', path = ''] = route.split(' ')
  const content = (schema: Schema) => ({ content: { 'application/json': { schema } } })
  const entry = {
    operationId: id,
    tags: [],
    summary: '',
    security: open ? [] : [{ bearer: [] }],
    parameters: Object.entries(query).map(([name, schema]) => {
      return { name, in: 'query', required: requiredQuery.includes(name), schema }
    }),
    ...(input && { requestBody: content(input) }),
    responses: {
      ...Object.fromEntries(statuses.map(status => [status, { description: '' }])),
      200: { description: '', ...(answer && content(answer)) },
      ...(fault && { 400: { description: '', ...content(fault) } }),
    },
  }
  return { tags: [], paths: { [path]: { [method.toLowerCase()]: entry } }, components: { schemas: components } }
}

const object = (properties: Record<string, Schema>, ...required: string[]): Schema => ({
  type: 'object',
  properties,
  required,
})
const text: Schema = { type: 'string' }
const number: Schema = { type: 'number' }
const integer: Schema = { type: 'integer' }
const nullable: Schema = { anyOf: [text, { type: 'null' }] }
const choice = (...values: string[]): Schema => ({ enum: values })
const list = (items: Schema): Schema => ({ type: 'array', items })

describe('a change that breaks clients', () => {
  const OPERATION = 'POST /v1/x:'
  const FAULT = '#/components/schemas/Fault'
  const rows: [before: Parts, after: Parts, line: string][] = [
    [{}, { route: 'POST /v1/y' }, `${OPERATION} the operation was removed`],
    [{}, { route: 'PUT /v1/x' }, `${OPERATION} the operation was removed`],
    [{}, { id: 'doThat' }, `${OPERATION} its id changed from doIt to doThat`],
    [{ open: true }, {}, `${OPERATION} it needs a credential now`],
    [{ query: { a: text } }, {}, `${OPERATION} the query parameter \`a\` was removed`],
    [
      { query: { a: text } },
      { query: { a: text }, requiredQuery: ['a'] },
      `${OPERATION} the query parameter \`a\` is required now`,
    ],
    [{}, { query: { a: text }, requiredQuery: ['a'] }, `${OPERATION} the query parameter \`a\` is new and required`],
    [
      { query: { a: number } },
      { query: { a: integer } },
      `${OPERATION} the query parameter \`a\` no longer accepts number`,
    ],
    [{ input: object({ a: text }) }, { input: object({}) }, `${OPERATION} the input \`a\` was removed`],
    [
      { input: object({ a: text }) },
      { input: object({ a: text }, 'a') },
      `${OPERATION} the input \`a\` is required now`,
    ],
    [{}, { input: object({ a: text }, 'a') }, `${OPERATION} the input \`a\` is new and required`],
    [
      { input: object({ a: nullable }) },
      { input: object({ a: text }) },
      `${OPERATION} the input \`a\` no longer accepts null`,
    ],
    [
      { input: object({ a: choice('x', 'y') }) },
      { input: object({ a: choice('x') }) },
      `${OPERATION} the input \`a\` no longer accepts y`,
    ],
    [
      { input: object({ a: text }) },
      { input: object({ a: choice('x', 'y') }) },
      `${OPERATION} the input \`a\` is limited to x, y now`,
    ],
    [
      { input: object({ a: list(object({ b: text })) }) },
      { input: object({ a: list(object({ b: text }, 'b')) }) },
      `${OPERATION} the input \`a[].b\` is required now`,
    ],
    [
      { input: object({ a: { ...text, maxLength: 9 } }) },
      { input: object({ a: { ...text, maxLength: 8 } }) },
      `${OPERATION} the input \`a\` has a lower maxLength: 8`,
    ],
    [
      { input: object({ a: integer }) },
      { input: object({ a: { ...integer, minimum: 1 } }) },
      `${OPERATION} the input \`a\` has a higher minimum: 1`,
    ],
    [
      { input: object({ a: text }) },
      { input: object({ a: { ...text, pattern: '^a$' } }) },
      `${OPERATION} the input \`a\` has another pattern: ^a$`,
    ],
    [
      { input: object({ a: object({}) }) },
      { input: object({ a: { ...object({}), additionalProperties: false } }) },
      `${OPERATION} the input \`a\` refuses unknown fields now`,
    ],
    [{ statuses: [409] }, {}, `${OPERATION} the status 409 was removed`],
    [{ answer: text }, {}, `${OPERATION} the answer 200 is no longer application/json`],
    [
      { answer: object({ a: text }) },
      { answer: object({}) },
      `${OPERATION} in the answer 200, the field \`a\` was removed`,
    ],
    [
      { answer: object({ data: list(object({ a: text }, 'a')) }) },
      { answer: object({ data: list(object({ a: text })) }) },
      `${OPERATION} in the answer 200, the field \`data[].a\` is no longer always there`,
    ],
    [
      { answer: object({ a: text }) },
      { answer: object({ a: nullable }) },
      `${OPERATION} in the answer 200, the field \`a\` may be null now`,
    ],
    [
      { answer: object({ a: integer }) },
      { answer: object({ a: number }) },
      `${OPERATION} in the answer 200, the field \`a\` may be number now`,
    ],
    [
      { answer: object({ a: choice('x', 'y') }) },
      { answer: object({ a: choice('x') }) },
      `${OPERATION} in the answer 200, the field \`a\` is never y now`,
    ],
    [
      { answer: object({ a: choice('x') }) },
      { answer: object({ a: text }) },
      `${OPERATION} in the answer 200, the field \`a\` may have any value now`,
    ],
    [
      { answer: { type: 'object', additionalProperties: object({ a: text }) } },
      { answer: { type: 'object', additionalProperties: object({}) } },
      `${OPERATION} in the answer 200, the field \`*.a\` was removed`,
    ],
    [
      { fault: { $ref: FAULT }, components: { Fault: object({ a: text }) } },
      { fault: { $ref: FAULT }, components: { Fault: object({}) } },
      'Fault: the field `a` was removed',
    ],
    [
      { fault: { $ref: FAULT }, components: { Fault: object({ a: text }) } },
      { fault: object({}) },
      `${OPERATION} in the answer 400, the field \`a\` was removed`,
    ],
    [
      { answer: object({ a: text }) },
      { answer: { $ref: '#/components/schemas/A' }, components: { A: object({ b: text }) } },
      `${OPERATION} in the answer 200, the field \`a\` was removed`,
    ],
  ]
  for (const [before, after, line] of rows) {
    it(line, () => assert.deepEqual(breakingChanges(documentOf(before), documentOf(after)), [line]))
  }
})

describe('a change that breaks no client', () => {
  const rows: [name: string, before: Parts, after: Parts][] = [
    ['an optional parameter', {}, { query: { a: text } }],
    ['an optional input', { input: object({}) }, { input: object({ a: text }) }],
    ['an input that is no longer required', { input: object({ a: text }, 'a') }, { input: object({ a: text }) }],
    ['an input that accepts more', { input: object({ a: integer }) }, { input: object({ a: number }) }],
    ['an input that accepts null', { input: object({ a: text }) }, { input: object({ a: nullable }) }],
    ['another value of an input', { input: object({ a: choice('x') }) }, { input: object({ a: choice('x', 'y') }) }],
    ['a longer text', { input: object({ a: { ...text, maxLength: 8 } }) }, { input: object({ a: text }) }],
    ['a field of an answer', { answer: object({}) }, { answer: object({ a: text }, 'a') }],
    ['a field that is always there', { answer: object({ a: text }) }, { answer: object({ a: text }, 'a') }],
    ['a field that is never null', { answer: object({ a: nullable }) }, { answer: object({ a: text }) }],
    ['another value of an answer', { answer: object({ a: choice('x') }) }, { answer: object({ a: choice('x', 'y') }) }],
    ['a status', {}, { statuses: [409] }],
    ['an answer to everyone', {}, { open: true }],
    ['a type for values', { answer: choice('x') }, { answer: { type: 'string', enum: ['x'] } }],
    [
      'a name for a schema',
      { input: object({ a: text }), answer: object({ a: text }) },
      {
        input: { $ref: '#/components/schemas/A' },
        answer: { $ref: '#/components/schemas/A' },
        components: { A: object({ a: { $ref: '#/components/schemas/B' } }), B: text },
      },
    ],
    [
      'another way to write a record',
      { answer: { type: 'object', patternProperties: { '^.*$': text } } },
      { answer: { type: 'object', additionalProperties: text } },
    ],
  ]
  for (const [name, before, after] of rows) {
    it(name, () => assert.deepEqual(breakingChanges(documentOf(before), documentOf(after)), []))
  }
})
