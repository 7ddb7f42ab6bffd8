// The lists of tools that a client can ask for: all, those of a service, those that only read, or three that find the
// others. Each is serialised once.

import { invalidField } from '../../kit/check.ts'
import type { Operation } from '../../kit/operation.ts'
import { findingTools, type Index, indexOf } from './finding.ts'
import { isWithheld, type OperationTool, toolsOf } from './tools.ts'

export type ViewQuery = { tools?: 'find' | undefined; service?: string | undefined; readOnly?: '1' | undefined }

export type View = {
  /** The result of tools/list. */
  list: string
  /** The operations that can be called, by the names of their tools. */
  byName: ReadonlyMap<string, OperationTool>
  find: Index
}
export type Views = (query: ViewQuery) => View

/** How long clients may keep a list: it changes only with the version of the product. */
export const TTL_MS = 5 * 60_000

export function openViews(operations: ReadonlyMap<string, Operation>): Views {
  const all = toolsOf(operations)
  const services = new Set(all.map(({ operation }) => operation.service))
  const opened = new Map<string, View>()
  const open = ({ tools, service, readOnly }: ViewQuery): View => {
    if (service !== undefined && !services.has(service)) {
      const names = [...services].filter(name => name !== '').sort()
      throw invalidField('service', `must be one of ${names.join(', ')}`)
    }
    const included = ({ method, service: owner }: Operation) =>
      (service === undefined || owner === service) && (readOnly === undefined || method === 'GET')
    const listed = all.filter(({ operation }) => included(operation))
    const withheld = [...operations.values()].filter(one => included(one) && isWithheld(one)).length
    return {
      list: listText(tools === 'find' ? findingTools : listed.map(({ tool }) => tool), withheld),
      byName: new Map(listed.map(one => [one.tool.name, one])),
      find: indexOf(listed),
    }
  }
  return query => {
    const key = `${query.tools} ${query.service} ${query.readOnly}`
    const view = opened.get(key) ?? open(query)
    opened.set(key, view) // Few: unknown services are refused.
    return view
  }
}

const listText = (tools: readonly object[], withheld: number): string =>
  JSON.stringify({
    tools,
    resultType: 'complete',
    ttlMs: TTL_MS,
    cacheScope: 'public',
    _meta: { 'stoa/withheld': withheld },
  })
