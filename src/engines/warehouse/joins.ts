// Ids that stand for another visitor. A join is known from its arrival on, and applies to events that did not happen before
// it: what was counted is never changed.

export type Join = { id: string; to: string; atMs: number }

/** Further joins of an id are ignored, so that looking one up stays cheap. */
export const JOINS_MAX = 50

/** `known` are the joins of the ids that occur, `targets` the ids that others were joined to. */
export function openJoins(known: readonly Join[], targets: readonly string[]) {
  const byId = new Map<string, Join[]>()
  const isTarget = new Set(targets)
  const added: Join[] = []
  for (const one of known.toSorted((a, b) => a.atMs - b.atMs)) listOf(one.id).push(one)

  function listOf(id: string): Join[] {
    const list = byId.get(id) ?? []
    byId.set(id, list)
    return list
  }

  const visitorAt = (id: string, atMs: number): string => byId.get(id)?.findLast(one => one.atMs <= atMs)?.to ?? id

  return {
    visitorAt,
    /** A visitor that others were joined to is somebody, and is not joined to somebody else: otherwise, two people who use
     *  a device in turn, or an id that a stranger sends, would make one visitor of many. */
    add: ({ id, to, atMs }: Join): void => {
      const target = visitorAt(to, atMs)
      const list = listOf(id)
      if (target === id || isTarget.has(id) || list.length >= JOINS_MAX || visitorAt(id, atMs) === target) return
      if (list.some(one => one.atMs === atMs)) return
      const join = { id, to: target, atMs }
      list.splice(list.findLastIndex(one => one.atMs <= atMs) + 1, 0, join)
      isTarget.add(target)
      added.push(join)
    },
    added: (): readonly Join[] => added,
  }
}
