// Three tools for models with a small context: they find a tool by words, describe it and call it. Together they replace
// the whole list.
import type { Tool } from './tools.ts'

const FOUND_DEFAULT = 10
const FOUND_MAX = 50

const text = (description: string) => ({ type: 'string', description })
const hints = (readOnlyHint: boolean) => ({
  readOnlyHint,
  destructiveHint: !readOnlyHint,
  idempotentHint: readOnlyHint,
  openWorldHint: false as const,
})

export const FIND = 'tools_find'
export const DESCRIBE = 'tools_describe'
export const CALL = 'tools_call'

export const findingTools: readonly Tool[] = [
  {
    name: FIND,
    description:
      'Finds tools that you may call, by words; the best first. Operations that fit but cannot be called here are in `withheld`, with the reason.',
    inputSchema: {
      type: 'object',
      properties: {
        query: text(
          'What the tool should do, such as `create project`; without it, all tools that you may call are listed',
        ),
        limit: { type: 'integer', minimum: 1, maximum: FOUND_MAX, description: `${FOUND_DEFAULT} if omitted` },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      required: ['tools', 'more', 'withheld'],
      properties: {
        tools: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name', 'description'],
            properties: { name: { type: 'string' }, description: { type: 'string' } },
          },
        },
        more: { type: 'integer', description: 'How many further tools match' },
        withheld: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name', 'operation', 'why'],
            properties: { name: { type: 'string' }, operation: { type: 'string' }, why: { type: 'string' } },
          },
        },
      },
    },
    annotations: hints(true),
  },
  {
    name: DESCRIBE,
    description: 'Returns the arguments, the answer and the hints of one tool.',
    inputSchema: {
      type: 'object',
      properties: { name: text('The name of a tool, as tools_find returns it') },
      additionalProperties: false,
    },
    annotations: hints(true),
  },
  {
    name: CALL,
    description: 'Calls one tool.',
    inputSchema: {
      type: 'object',
      properties: {
        name: text('The name of a tool, as tools_find returns it'),
        arguments: { type: 'object', description: 'Its arguments, as tools_describe returns them' },
      },
      additionalProperties: false,
    },
    annotations: hints(false),
  },
]

export const foundLimit = (given: unknown): number =>
  Number.isInteger(given) ? Math.min(Math.max(given as number, 1), FOUND_MAX) : FOUND_DEFAULT
