// Ranks all operations by the words of a question. Words for the subject of a tool count more than words it mentions, and
// tools for everybody come before tools for operators.
import { administers, isSuperadmin, type Principal } from '../../kit/caller.ts'
import type { Operation } from '../../kit/operation.ts'
import type { OperationTool } from './tools.ts'
import { synonymsOf, wordsOf } from './words.ts'

const QUERY_CHARS_MAX = 200

/** The weight of a word by its place. */
const WEIGHT = {
  resource: 4,
  verb: 3,
  object: 3,
  path: 2,
  clause: 2,
  summary: 1,
  field: 1.2,
  description: 0.6,
  fieldDescription: 0.3,
}
/** The factor for a synonym. */
const SYNONYM = 0.6
/** Dampens tools with many words, which would match everything. */
const LENGTH_EXPONENT = 0.15
/** The factor for each segment of the path: deep paths concern a part of something else. */
const DEPTH = 0.04
/** The factor for returning one item of a list, whose id the caller must find first. */
const ONE_OF_MANY = 0.7
/** The factor if the method does not match the verb at the beginning of the question. */
const OTHER_VERB = 0.7
/** The factor for operations that need a role the caller does not have. */
const OTHER_ROLE = 0.5

/** The words that people use for the methods. For a POST that creates nothing, the summary has the verb. */
const VERBS: Record<string, string> = {
  GET: 'get list read show find see view who what which how',
  POST: 'create add make new register invite allow subscribe',
  PUT: 'put set replace write',
  PATCH: 'change update edit rename modify set block limit',
  DELETE: 'delete remove revoke cancel withdraw undo drop',
}
const METHODS_OF = new Map<string, Set<string>>()
for (const [method, verbs] of Object.entries(VERBS)) {
  for (const verb of wordsOf(verbs)) METHODS_OF.set(verb, (METHODS_OF.get(verb) ?? new Set()).add(method))
}

/** Sorted with the best first; operations without any of the words are omitted. Null for a question without words. */
export type Ranking = (query: string, caller: Principal) => OperationTool[] | null

export function rankingOf(all: readonly OperationTool[]): Ranking {
  const places = all.map(one => weightsOf(one))
  /** For each word, the operations that have it, with its weight there. */
  const having = new Map<string, [at: number, weight: number][]>()
  for (const [at, weights] of places.entries()) {
    for (const [word, weight] of weights) {
      const found = having.get(word) ?? []
      found.push([at, weight / weights.size ** LENGTH_EXPONENT])
      having.set(word, found)
    }
  }
  const rarityOf = (word: string) => Math.log(1 + all.length / (having.get(word)?.length ?? 1))
  const usual = all.map(({ operation: { method, path } }) => {
    const depth = 1 + DEPTH * path.split('/').length
    return (method === 'GET' && path.endsWith('}') ? ONE_OF_MANY : 1) / depth
  })
  return (query, caller) => {
    const words = new Set(wordsOf(query.slice(0, QUERY_CHARS_MAX)))
    if (words.size === 0) return null
    const scores = new Float64Array(all.length)
    for (const word of words) {
      const best = new Map<number, number>()
      const own = rarityOf(word)
      const note = (meant: string, share: number) => {
        const found = having.get(meant) ?? []
        const rarity = Math.sqrt(own * rarityOf(meant)) // A rare synonym alone must not dominate.
        for (const [at, weight] of found) best.set(at, Math.max(best.get(at) ?? 0, share * weight * rarity))
      }
      note(word, 1)
      for (const synonym of synonymsOf(word)) note(synonym, SYNONYM)
      for (const [at, score] of best) scores[at] = (scores[at] as number) + score
    }
    const methods = METHODS_OF.get(words.values().next().value as string)
    const ranked = all.map((one, at) => {
      const possible = hasRole(one.operation, caller) ? 1 : OTHER_ROLE
      const meant = methods?.has(one.operation.method) === false ? OTHER_VERB : 1
      return { one, score: (scores[at] as number) * (usual[at] as number) * possible * meant }
    })
    const matching = ranked.filter(({ score }) => score > 0)
    matching.sort((a, b) => b.score - a.score) // Stable: equal ones stay in the order of the list.
    return matching.map(({ one }) => one)
  }
}

/** Whether the caller has the role for an operation; its credential may still not be allowed to call it. A publishable key
 *  has no role: what an owner may call ranks as it does for an owner. */
function hasRole({ access }: Operation, caller: Principal): boolean {
  if (access === 'superadmin') return isSuperadmin(caller)
  if (access === 'admin') return caller.user === null || administers(caller)
  return access !== 'person' || caller.credential.kind !== 'secret'
}

/** A possessive says less than the noun. */
const isNoPossessive = (word: string): boolean => !word.endsWith("'s")

function weightsOf({ operation, tool }: OperationTool): Map<string, number> {
  const { method, path, summary, description, status } = operation
  const { properties = {} } = tool.inputSchema as { properties?: Record<string, { description?: string }> }
  const fields = Object.entries(properties)
  const parts = path.split('/').filter(part => part !== '' && part !== 'v1')
  // `me` says nothing in a question.
  const names = parts.filter(part => !part.startsWith('{')).map(part => (part === 'me' ? 'caller' : part))
  const clause = summary.split(/[.,;:]/, 1)[0] as string
  const weights = new Map<string, number>()
  const add = (text: string, weight: number) => {
    for (const word of new Set(wordsOf(text))) weights.set(word, Math.max(weights.get(word) ?? 0, weight))
  }
  add(fields.map(([, schema]) => schema.description ?? '').join(' '), WEIGHT.fieldDescription)
  add(description ?? '', WEIGHT.description)
  add(fields.map(([field]) => field).join(' '), WEIGHT.field)
  add(summary, WEIGHT.summary)
  add(clause, WEIGHT.clause)
  add(names.join(' '), WEIGHT.path)
  const [verb = '', object = ''] = wordsOf(clause.split(' ').filter(isNoPossessive).join(' '))
  add(object, WEIGHT.object)
  add(verb, WEIGHT.verb)
  if (method !== 'POST' || status === 201) add(VERBS[method] ?? '', WEIGHT.verb)
  add(names.at(-1) ?? '', WEIGHT.resource)
  return weights
}
