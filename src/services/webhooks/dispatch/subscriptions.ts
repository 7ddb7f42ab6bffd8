// Which endpoints of an organisation want an event. There may be 64,000 patterns: a tree of tokens makes the cost depend on
// the patterns that match, not on all. The tree is cached until an endpoint changes.

import { setImmediate as turn } from 'node:timers/promises'
import { matches, type Sql } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import * as store from './store.ts'

/** Characters of patterns in memory, over all organisations. The tree takes a few times as much. */
const KEPT_MAX = 16 * 1024 * 1024
/** After so many patterns, the event loop gets a turn. */
const AT_ONCE = 1_000
/** A node with more patterns than these has a child for each token. Few patterns need no nodes of their own: each of those
 *  takes several times what a pattern takes. */
const LEAF_MAX = 16

/** What is left of a pattern below a node. */
type Item = { rest: string; id: string }

type Node = {
  /** Endpoints whose pattern ends here, and endpoints that want everything below. */
  here: string[]
  all: string[]
  /** Longer patterns, until there are too many of them. */
  items: Item[]
  children: Map<string, Node> | null
}

export type Subscriptions = {
  isEmpty: boolean
  /** An event may match thousands of patterns, after which the event loop gets a turn. */
  isLarge: boolean
  /** The ids of the endpoints that want events with this subject. */
  wanting(subject: string): string[]
}

export type Patterns = { id: string; events: readonly string[] }

const newNode = (): Node => ({ here: [], all: [], items: [], children: null })

export async function compile(endpoints: readonly Patterns[]): Promise<Subscriptions> {
  const root = newNode()
  let count = 0
  for (const { id, events } of endpoints) {
    for (const pattern of events.length === 0 ? ['>'] : events) {
      add(root, pattern, id)
      if (++count % AT_ONCE === 0) await turn()
    }
  }
  return { isEmpty: endpoints.length === 0, isLarge: count > AT_ONCE, wanting: subject => find(root, subject) }
}

/** `rest` is '' at the end of a pattern. */
function add(node: Node, rest: string, id: string): void {
  if (rest === '') node.here.push(id)
  else if (rest === '>') node.all.push(id)
  else if (node.children) addBelow(node.children, { rest, id })
  else {
    node.items.push({ rest, id })
    if (node.items.length <= LEAF_MAX) return
    node.children = new Map()
    for (const item of node.items) addBelow(node.children, item)
    node.items = []
  }
}

function addBelow(children: Map<string, Node>, { rest, id }: Item): void {
  const [token, after] = split(rest)
  let child = children.get(token)
  if (!child) {
    child = newNode()
    children.set(token, child)
  }
  add(child, after, id)
}

/** The first token and what follows it, which is '' after the last one. */
function split(text: string): [token: string, after: string] {
  const dot = text.indexOf('.')
  return dot === -1 ? [text, ''] : [text.slice(0, dot), text.slice(dot + 1)]
}

function find(root: Node, subject: string): string[] {
  const found = new Set<string>()
  let nodes = [root]
  let left = subject
  while (left !== '' && nodes.length > 0) {
    const [token, after] = split(left)
    const next: Node[] = []
    for (const { all, items, children } of nodes) {
      for (const id of all) found.add(id)
      for (const { rest, id } of items) if (matches(rest, left)) found.add(id)
      for (const name of [token, '*']) {
        const child = children?.get(name)
        if (child) next.push(child)
      }
    }
    nodes = next
    left = after
  }
  for (const { here } of nodes) for (const id of here) found.add(id)
  return [...found]
}

export type SubscriptionsOf = (db: Sql, org: OrgId) => Promise<Subscriptions>

type Kept = { version: string; size: number; subscriptions: Subscriptions }

export function openSubscriptions(): SubscriptionsOf {
  const kept = new Map<OrgId, Kept>()
  let size = 0
  const forget = (org: OrgId) => {
    size -= kept.get(org)?.size ?? 0
    kept.delete(org)
  }
  return async (db, org) => {
    const version = await store.selectVersion(db, org)
    const known = kept.get(org)
    if (known?.version === version) return known.subscriptions
    // Dropped before the next one is built, so that both are never in memory.
    forget(org)
    const endpoints = await store.selectActiveEndpoints(db, org)
    const entry = { version, size: sizeOf(endpoints), subscriptions: await compile(endpoints) }
    forget(org)
    kept.set(org, entry)
    size += entry.size
    for (const oldest of kept.keys()) {
      if (size <= KEPT_MAX || oldest === org) break
      forget(oldest)
    }
    return entry.subscriptions
  }
}

/** An entry takes some memory even without patterns. */
const sizeOf = (endpoints: readonly Patterns[]) =>
  endpoints.reduce((sum, { events }) => events.reduce((part, { length }) => part + 40 + length, sum + 40), 1_000)
