// Limits of a key: entries `kind:name`, where `kind:*` is every name of the kind. Kinds are restricted independently. A
// limit can only narrow what the owner of the key may do.

const KINDS = ['product', 'read', 'model', 'project'] as const
type Kind = (typeof KINDS)[number]

/** The allowed names of each kind; null means the kind is unrestricted. */
export type Limits = Record<Kind, ReadonlySet<string> | null>

/** Names of services, models and projects contain no spaces and are shorter than this. */
export const LIMIT_ENTRY = `^(${KINDS.join('|')}):[^\\s\\p{C}]{1,200}$`

export function parseLimits(entries: readonly string[]): Limits | null {
  if (entries.length === 0) return null
  const limits: Record<Kind, Set<string> | null> = { product: null, read: null, model: null, project: null }
  for (const entry of entries) {
    const [kind, name] = splitEntry(entry)
    limits[kind] ??= new Set()
    limits[kind].add(name)
  }
  // `model:*` and `project:*` restrict nothing. `read:*` does, and `product:*` lifts the restriction of `read:`.
  for (const kind of ['model', 'project'] as const) if (limits[kind]?.has('*')) limits[kind] = null
  return limits
}

export function splitEntry(entry: string): [Kind, string] {
  const colon = entry.indexOf(':')
  return [entry.slice(0, colon) as Kind, entry.slice(colon + 1)]
}

/** Whether a service may be called: by a `product:` entry, or for reads also by a `read:` entry. */
export function permitsService({ product, read }: Limits, service: string, reading: boolean): boolean {
  if (!product && !read) return true
  return includes(product, service) || (reading && includes(read, service))
}

const includes = (kind: ReadonlySet<string> | null, name: string) => !!kind && (kind.has(name) || kind.has('*'))
