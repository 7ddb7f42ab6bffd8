// A service is a folder under src/services. Its name is the path segment after /v1/.
import type { Operation } from './operation.ts'

export type Service = {
  name: string
  what: string
  operations: Record<string, Operation>
  /** The folder of its `NNNN-what.sql` files. */
  migrations: URL | null
}

type Declaration = {
  name: string
  /** One sentence for `GET /v1`. */
  what: string
  /** Modules that export operations, given whole (`import * as …`): an operation's export name is its id everywhere. */
  operations?: Record<string, unknown>[]
  migrations?: URL
}

export function service({ name, what, operations = [], migrations }: Declaration): Service {
  const found: Record<string, Operation> = {}
  for (const [id, value] of operations.flatMap(module => Object.entries(module))) {
    if (!isOperation(value)) continue
    if (!`${value.path}/`.startsWith(`/v1/${name}/`)) throw new Error(`${name}: ${value.path} is not below /v1/${name}`)
    if (id in found) throw new Error(`${name}: two operations are called ${id}`)
    found[id] = { ...value, service: name }
  }
  return { name, what, operations: found, migrations: migrations ?? null }
}

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'operation'
