// Which endpoints of an organisation want an event. There may be 64,000 patterns: they are compiled to a tree of tokens, so
// that an event costs what fits it and not what there is, and kept until an endpoint changes.
import { setImmediate as turn } from 'node:timers/promises'
import type { Sql } from '../../../engines/engines.ts'
import * as store from './store.ts'

/** Patterns in memory, of all organisations. */
const PATTERNS_MAX = 200_000
/** After so many, others have a turn. */
const COMPILED_AT_ONCE = 1_000

type Node = {
  next: Map<string, Node>
  any: Node | null
  /** Endpoints whose pattern ends here, and those that want the rest, whatever it is. */
  here: string[]
  rest: string[]
}

export type Subscriptions = {
  isEmpty: boolean
  /** An event may fit thousands of patterns, and others should have a turn after it. */
  isLarge: boolean
  /** The ids of the endpoints that want events with this subject. */
  wanting(subject: string): string[]
}

const newNode = (): Node => ({ next: new Map(), any: null, here: [], rest: [] })

export async function compile(endpoints: readonly { id: string; events: readonly string[] }[]): Promise<Subscriptions> {
  const root = newNode()
  let count = 0
  for (const { id, events } of endpoints) {
    for (const pattern of events.length === 0 ? ['>'] : events) {
      add(root, pattern.split('.'), id)
      if (++count % COMPILED_AT_ONCE === 0) await turn()
    }
  }
  const isLarge = count > COMPILED_AT_ONCE
  return { isEmpty: endpoints.length === 0, isLarge, wanting: subject => find(root, subject.split('.')) }
}

function add(root: Node, tokens: readonly string[], id: string): void {
  let node = root
  for (const token of tokens) {
    if (token === '>') return void node.rest.push(id)
    let next = token === '*' ? node.any : node.next.get(token)
    if (!next) {
      next = newNode()
      if (token === '*') node.any = next
      else node.next.set(token, next)
    }
    node = next
  }
  node.here.push(id)
}

function find(root: Node, tokens: readonly string[]): string[] {
  const found = new Set<string>()
  let nodes = [root]
  for (const token of tokens) {
    const next: Node[] = []
    for (const { next: known, any, rest } of nodes) {
      for (const id of rest) found.add(id)
      const child = known.get(token)
      if (child) next.push(child)
      if (any) next.push(any)
    }
    nodes = next
  }
  for (const { here } of nodes) for (const id of here) found.add(id)
  return [...found]
}

export type SubscriptionsOf = (db: Sql, org: string) => Promise<Subscriptions>

export function openSubscriptions(): SubscriptionsOf {
  const kept = new Map<string, { version: string; size: number; subscriptions: Subscriptions }>()
  let size = 0
  const forget = (org: string) => {
    size -= kept.get(org)?.size ?? 0
    kept.delete(org)
  }
  return async (db, org) => {
    const version = await store.selectVersion(db, org)
    const known = kept.get(org)
    if (known?.version === version) return known.subscriptions
    const endpoints = await store.selectActive(db, org)
    const subscriptions = await compile(endpoints)
    forget(org)
    const entry = { version, size: endpoints.reduce((sum, { events }) => sum + events.length + 1, 1), subscriptions }
    kept.set(org, entry)
    size += entry.size
    for (const oldest of kept.keys()) {
      if (size <= PATTERNS_MAX || oldest === org) break
      forget(oldest)
    }
    return subscriptions
  }
}
