// Three tools for models that have little room: they find a tool by words, describe it and call it. Together they do what
// the whole list does.
import type { OperationTool, Tool } from './tools.ts'

const FOUND_DEFAULT = 10
const FOUND_MAX = 50
const QUERY_CHARS_MAX = 200

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
    description: 'Finds tools by words of their names, descriptions and arguments; the best first.',
    inputSchema: {
      type: 'object',
      properties: {
        query: text('What the tool should do, such as `create project`; without it, all tools are listed'),
        limit: { type: 'integer', minimum: 1, maximum: FOUND_MAX, description: `${FOUND_DEFAULT} if omitted` },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      required: ['tools', 'more'],
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

export type Found = { tools: { name: string; description: string }[]; more: number }
export type Index = (query: string, limit: number) => Found

/** Words in a name count most, then those of the description, then those of the arguments; rare words more than others. */
export function indexOf(tools: readonly OperationTool[]): Index {
  const entries = tools.map(({ tool }) => ({ tool, weights: weightsOf(tool) }))
  const frequency = new Map<string, number>()
  for (const { weights } of entries) {
    for (const word of weights.keys()) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  }
  const rarity = (word: string) => Math.log((tools.length + 1) / (frequency.get(word) ?? 1))
  return (query, limit) => {
    const words = new Set(wordsOf(query.slice(0, QUERY_CHARS_MAX)))
    const scored = entries.map(({ tool, weights }) => {
      let score = 0
      for (const word of words) score += (weights.get(word) ?? 0) * rarity(word)
      return { tool, score: score / weights.size ** 0.25 } // Otherwise tools with many arguments match everything.
    })
    const matching = words.size === 0 ? scored : scored.filter(({ score }) => score > 0)
    matching.sort((a, b) => b.score - a.score) // Stable: equal ones stay in the order of the list.
    const found = matching.slice(0, limit).map(({ tool: { name, description } }) => ({ name, description }))
    return { tools: found, more: matching.length - found.length }
  }
}

/** The words that people use for the methods. */
const VERBS: Record<string, string> = {
  get: 'get list read show find',
  post: 'create add make new post send',
  put: 'put set replace write',
  patch: 'change update edit rename patch',
  delete: 'delete remove revoke end',
}

function weightsOf({ name, description, inputSchema }: Tool): Map<string, number> {
  const { properties = {} } = inputSchema as { properties?: Record<string, { description?: string }> }
  const fields = Object.entries(properties)
  const weights = new Map<string, number>()
  const add = (text: string, weight: number) => {
    for (const word of new Set(wordsOf(text))) weights.set(word, Math.max(weights.get(word) ?? 0, weight))
  }
  add(fields.map(([, schema]) => schema.description ?? '').join(' '), 0.5)
  add(fields.map(([field]) => field).join(' '), 1)
  add(description, 2)
  add(VERBS[name.split('_', 1)[0] as string] ?? '', 3)
  add(name, 3)
  return weights
}

/** Words that say nothing about a tool. */
const FILLERS = new Set('a an and by for from i in is it its my of on or our s that the this to v1 with'.split(' '))

/** Lower-case words; plurals, and verbs that end alike, count as their singular. */
function wordsOf(text: string): string[] {
  const words = text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  return (words ?? []).filter(word => !FILLERS.has(word)).map(singular)
}

function singular(word: string): string {
  if (word.length <= 3 || !word.endsWith('s') || word.endsWith('ss')) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return /(ch|sh|ss|x|z)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}

export const foundLimit = (given: unknown): number =>
  Number.isInteger(given) ? Math.min(Math.max(given as number, 1), FOUND_MAX) : FOUND_DEFAULT
