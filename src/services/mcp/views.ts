// The lists of tools that a client can ask for: all, those of a service, those that only read, or three that find the
// others. Each is serialised once.

import type { Principal } from '../../kit/caller.ts'
import { invalidField } from '../../kit/check.ts'
import { type Near, nearOf } from '../../kit/near.ts'
import type { Operation } from '../../kit/operation.ts'
import { findingTools } from './finding.ts'
import { rankingOf } from './ranking.ts'
import { type OperationTool, toolsOf, whyWithheld } from './tools.ts'

export type ViewQuery = { tools?: 'find' | undefined; service?: string | undefined; readOnly?: '1' | undefined }

/** An operation that is not a tool in a view, or not for the caller; `why` is a sentence that says what to do instead. */
export type Withheld = { name: string; operation: string; why: string }
export type Found = { tools: { name: string; description: string }[]; more: number; withheld: Withheld[] }

export type View = {
  /** The result of tools/list. */
  list: string
  /** The operations that can be called, by the names of their tools. */
  byName: ReadonlyMap<string, OperationTool>
  /** The other operations of this host, by the names that their tools have or would have. */
  withheld: ReadonlyMap<string, Withheld>
  /** `refusalOf`: why the caller may not call an operation, as a sentence; null if it may. */
  find(query: string, limit: number, caller: Principal, refusalOf: (operation: Operation) => string | null): Found
  near: Near
}
export type Views = (query: ViewQuery) => View

/** How long clients may keep a list: it changes only with the version of the product. */
export const TTL_MS = 5 * 60_000
/** How many of the best matches are listed although they are not tools of the view, or not for the caller. */
const WITHHELD_TOLD = 3

export function openViews(operations: ReadonlyMap<string, Operation>): Views {
  const all = toolsOf(operations)
  const ranking = rankingOf(all)
  const services = new Set(all.map(({ operation }) => operation.service))
  const opened = new Map<string, View>()
  const open = (query: ViewQuery): View => {
    const { tools, service } = query
    if (service !== undefined && !services.has(service)) {
      const names = [...services].filter(name => name !== '').sort()
      throw invalidField('service', `must be one of ${names.join(', ')}`)
    }
    const withheld = new Map(all.flatMap(one => entryOf(one, query)))
    const listed = all.filter(({ tool }) => !withheld.has(tool.name))
    const count = all.filter(({ operation }) => isIncluded(operation, query)).length - listed.length
    return {
      list: listText(tools === 'find' ? findingTools : listed.map(({ tool }) => tool), count),
      byName: new Map(listed.map(one => [one.tool.name, one])),
      withheld,
      find: (words, limit, caller, refusalOf) => {
        const matching = ranking(words, caller)
        const of = (matching ?? listed).filter(
          ({ operation, tool }) => !withheld.has(tool.name) && refusalOf(operation) === null,
        )
        const found = of.slice(0, limit).map(({ tool: { name, description } }) => ({ name, description }))
        const best = (matching ?? []).slice(0, WITHHELD_TOLD)
        const told = best.flatMap(({ operation, tool: { name } }) => {
          const refusal = refusalOf(operation)
          if (refusal !== null) return { name, operation: routeOf(operation), why: refusedText(name, refusal) }
          return withheld.get(name) ?? []
        })
        return { tools: found, more: of.length - found.length, withheld: told }
      },
      near: nearOf(listed.map(({ tool }) => tool.name)),
    }
  }
  return query => {
    const key = `${query.tools} ${query.service} ${query.readOnly}`
    const view = opened.get(key) ?? open(query)
    opened.set(key, view) // Few entries: unknown services are rejected.
    return view
  }
}

const routeOf = ({ method, path }: Operation) => `${method} ${path}`
const refusedText = (name: string, refusal: string) => `${name} cannot be called with this credential: ${refusal}`

const isOfService = ({ service }: Operation, query: ViewQuery) =>
  query.service === undefined || service === query.service
const isRead = ({ method }: Operation, { readOnly }: ViewQuery) => readOnly === undefined || method === 'GET'
const isIncluded = (operation: Operation, query: ViewQuery) => isOfService(operation, query) && isRead(operation, query)

/** What is withheld from a view; nothing for its tools. */
function entryOf({ operation, tool }: OperationTool, query: ViewQuery): [string, Withheld][] {
  const route = routeOf(operation)
  const why = whyWithheld(operation)
  const { name } = tool
  if (why !== null) {
    return [[name, { name, operation: route, why: `${name} is withheld: ${why}. Call ${route} over HTTP instead.` }]]
  }
  if (isIncluded(operation, query)) return []
  const left = { ...query }
  const reasons: string[] = []
  if (!isOfService(operation, query)) {
    reasons.push(`\`service=${query.service}\` leaves out other services`)
    delete left.service
  }
  if (!isRead(operation, query)) {
    reasons.push('`readOnly=1` leaves out what changes something')
    delete left.readOnly
  }
  const said = `${name} is not a tool at this address: ${reasons.join(', and ')}. It is available at ${addressOf(left)}.`
  return [[name, { name, operation: route, why: said }]]
}

const addressOf = (query: ViewQuery): string => {
  const text = new URLSearchParams(query as Record<string, string>).toString()
  return text === '' ? '/v1/mcp' : `/v1/mcp?${text}`
}

const listText = (tools: readonly object[], withheld: number): string =>
  JSON.stringify({
    tools,
    resultType: 'complete',
    ttlMs: TTL_MS,
    cacheScope: 'public',
    _meta: { 'stoa/withheld': withheld },
  })
