// A service is a folder under src/services. Its name is the path segment after /v1/.
import type { Engines } from '../engines/engines.ts'
import type { Operation } from './operation.ts'
import type { Worker } from './worker.ts'

export type Service = {
  name: string
  what: string
  operations: Record<string, Operation>
  /** The folder of its `NNNN-what.sql` files. */
  migrations: URL | null
  workers: readonly Worker[]
  open: ((opening: Opening) => Promise<Opened>) | null
}

/** What a service is given when the host starts. */
export type Opening = {
  engines: Engines
  settings: ServiceSettings
  /** For what goes wrong outside of any request. */
  warn: (error: unknown) => void
}

/** Settings that concern one service alone. */
export type ServiceSettings = {
  /** Where every source of the risk reference is taken from instead of its publisher; null for the publishers. */
  riskMirror: string | null
}

/** What it keeps in memory, which its operations and workers find as `state`. */
export type Opened = { state: unknown; gauges?: () => Gauge[]; close?: () => Promise<void> }
export type Gauge = { name: string; help: string; samples: { labels: Record<string, string>; value: number }[] }

type Declaration = {
  name: string
  /** One sentence for `GET /v1`. */
  what: string
  /** Modules that export operations, given whole (`import * as …`): an operation's export name is its id everywhere. */
  operations?: Record<string, unknown>[]
  migrations?: URL
  workers?: readonly Worker[]
  open?: (opening: Opening) => Promise<Opened>
}

export function service({ name, what, operations = [], migrations, workers = [], open }: Declaration): Service {
  const found: Record<string, Operation> = {}
  for (const [id, value] of operations.flatMap(module => Object.entries(module))) {
    if (!isOperation(value)) continue
    if (!`${value.path}/`.startsWith(`/v1/${name}/`)) throw new Error(`${name}: ${value.path} is not below /v1/${name}`)
    if (id in found) throw new Error(`${name}: two operations are called ${id}`)
    found[id] = { ...value, service: name }
  }
  return { name, what, operations: found, migrations: migrations ?? null, workers, open: open ?? null }
}

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'operation'
