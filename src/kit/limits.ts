// What a key can be held to: entries `kind:name`, where `kind:*` is the whole kind. Each kind is restricted on its own,
// and a limit only ever narrows what the holder may do.

const KINDS = ['product', 'read', 'model', 'project'] as const
type Kind = (typeof KINDS)[number]

/** The names allowed of each kind; null where the kind is not restricted. */
export type Limits = Record<Kind, ReadonlySet<string> | null>

/** Names are those of services, models and projects: none has a space, and none is this long. */
export const LIMIT_ENTRY = `^(${KINDS.join('|')}):[^\\s\\p{C}]{1,200}$`

export function parseLimits(entries: readonly string[]): Limits | null {
  if (entries.length === 0) return null
  const limits: Record<Kind, Set<string> | null> = { product: null, read: null, model: null, project: null }
  for (const entry of entries) {
    const [kind, name] = splitEntry(entry)
    limits[kind] ??= new Set()
    limits[kind].add(name)
  }
  // Every model and every project is no restriction. `read:*` is one, and `product:*` lifts what `read:` would restrict.
  for (const kind of ['model', 'project'] as const) if (limits[kind]?.has('*')) limits[kind] = null
  return limits
}

export function splitEntry(entry: string): [Kind, string] {
  const colon = entry.indexOf(':')
  return [entry.slice(0, colon) as Kind, entry.slice(colon + 1)]
}

/** Whether a service may be reached: by a `product:` entry, or for reading by a `read:` entry as well. */
export function reaches({ product, read }: Limits, service: string, reading: boolean): boolean {
  if (!product && !read) return true
  return names(product, service) || (reading && names(read, service))
}

const names = (kind: ReadonlySet<string> | null, name: string) => !!kind && (kind.has(name) || kind.has('*'))
