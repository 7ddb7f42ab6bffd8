// A service is a folder under src/services. Its name is the path segment after /v1/; it may have further paths.

import type { Engines, Sql } from '../engines/engines.ts'
import type { AuditTrail } from './audit.ts'
import type { Consumer, ConsumerDeclaration, Schedule, ScheduleDeclaration } from './background.ts'
import type { OrgId, Principal } from './caller.ts'
import type { Credentials } from './host/credentials.ts'
import type { IdempotencyRecords } from './host/idempotency-records.ts'
import type { LeasePermits } from './host/permits.ts'
import type { IdentityProvider } from './host/sign-in.ts'
import type { Charged, Meter } from './meter.ts'
import { type Declare, declareOperation, type Operation } from './operation.ts'
import type { OrgSettings } from './org-settings/declare.ts'
import type { Queue, QueueDeclaration } from './queue.ts'
import type { Settings, SettingValues } from './setting.ts'
import { type Bounds, boundSettings, type Table } from './table.ts'
import { retentionOf } from './tables/retention.ts'
import type { Emits } from './write.ts'

/** The declaration functions of a service, typed by the state that its `open` returns. */
export function serviceKit<State>(): {
  operation: Declare<State>
  schedule: (declared: ScheduleDeclaration<State>) => Schedule
  consumer: <E extends Emits = Record<never, never>>(declared: ConsumerDeclaration<State, E>) => Consumer
  queue: <P, L = undefined, R = undefined, E extends Emits = Record<never, never>>(
    declared: QueueDeclaration<State, P, L, R, E>,
  ) => Queue<P>
} {
  return {
    operation: declared => declareOperation(declared as never),
    schedule: declared => ({ kind: 'schedule', per: 'all', ...declared }),
    consumer: declared => ({ kind: 'consumer', formerIds: [], emits: {}, ...declared }) as Consumer,
    queue: declared => ({ kind: 'queue', ...declared }) as never,
  }
}

export type Service = {
  name: string
  what: string
  /** The paths of its operations. `GET /v1` lists the first. */
  paths: readonly string[]
  operations: Record<string, Operation>
  /** The folder of its `NNNN-what.sql` files. */
  migrations: URL | null
  tables: readonly Table[]
  settings: Settings
  /** The settings of organisations. */
  orgSettings: OrgSettings | null
  schedules: readonly Schedule[]
  consumers: readonly Consumer[]
  queues: readonly Queue[]
  /** The products it charges for. */
  charges: readonly Charged[]
  /** The events emitted outside of its operations, by emitter, such as `the daily check`. */
  emits: Record<string, Emits>
  open: ((opening: Opening<never>) => Promise<Opened<unknown>>) | null
}

/** The argument of a service's `open` when the host starts. */
export type Opening<Values = unknown> = {
  engines: Engines
  settings: Values
  /** The names of all services, for checking limits. */
  services: ReadonlySet<string>
  /** The products of all services. */
  charged: ReadonlyMap<string, Charged>
  identity: IdentityProvider
  bounds: Bounds
  /** The tables of all services and of the host. */
  tables: readonly Table[]
  /** The URL at which clients reach this host. */
  baseUrl: string
  /** Logs errors that occur outside of a request. */
  warn: (error: unknown) => void
}

/** The result of `open`: the in-memory `state` that its operations and background work receive. */
export type Opened<State> = {
  state: State
  /** What the host itself uses from this service. */
  provides?: Partial<Provided>
  /** JSON documents at well-known paths, by path. */
  documents?: Record<string, () => object>
  gauges?: () => Gauge[]
  close?: () => Promise<void>
}

/** What the host uses from services. Exactly one service provides each. */
export type Provided = {
  credentials: Credentials
  audit: AuditTrail
  /** Raises 402 when the caller's key has used up its budget. */
  requireBudget(db: Sql, caller: Principal): Promise<void>
  meter: Meter
  leasePermits: LeasePermits
  idempotencyRecords: IdempotencyRecords
  /** Whether an organisation attached this host name and verified it; `address` is the client's. */
  isVerified(host: string, address: string): boolean | Promise<boolean>
  /** Whether the organisation has a project of that slug. */
  hasProject(org: OrgId, slug: string): boolean | Promise<boolean>
  endedOrgs: EndedOrgs
  /** Counts a request whose credential belongs to the organisation, when it is answered. */
  countRequest?(org: OrgId, status: number): void
  /** Whether an address belongs to a disposable mail provider; null if that is currently unknown. */
  isDisposable?(org: OrgId, email: string): Promise<boolean | null>
}

/** Deleted organisations that still have rows. */
export type EndedOrgs = {
  has(org: string): boolean
  onEnd(end: (org: OrgId) => void): void
}

/** `type` defaults to `gauge`. */
export type Gauge = {
  name: string
  help: string
  type?: 'gauge' | 'counter'
  samples: { labels: Record<string, string>; value: number }[]
}

type Declaration<State, S extends Settings> = {
  name: string
  /** One sentence for `GET /v1`. */
  what: string
  /** Default: `/v1/<name>`. */
  paths?: readonly string[]
  /** Whole modules (`import * as …`) that export operations: the export name is the operation's id everywhere. */
  operations?: Record<string, unknown>[]
  migrations?: URL
  /** A whole module (`import * as tables`) that exports tables. */
  tables?: Record<string, unknown>
  settings?: S
  orgSettings?: OrgSettings
  schedules?: readonly Schedule[]
  consumers?: readonly Consumer[]
  queues?: readonly Queue[]
  charges?: readonly Charged[]
  emits?: Record<string, Emits>
  open?: (opening: Opening<SettingValues<S>>) => Promise<Opened<State>>
}

export function service<State = undefined, S extends Settings = Record<never, never>>(
  declared: Declaration<State, S>,
): Service {
  const { name, what, paths = [`/v1/${name}`], operations = [], migrations = null, settings = {} } = declared
  const { orgSettings = null, consumers = [], queues = [], charges = [], open = null } = declared
  const tables = Object.values(declared.tables ?? {}).filter(isTable)
  const schedules = [...(declared.schedules ?? []), ...retentionOf(name, tables)]
  if (orgSettings && orgSettings.service !== name)
    throw new Error(`${name}: the settings are of ${orgSettings.service}`)
  const emits = {
    ...declared.emits,
    ...emitsOf(consumers, 'consumer'),
    ...emitsOf(queues, 'queue'),
    ...emitsOf(
      charges.map(({ product: id, emits }) => ({ id, emits })),
      'product',
    ),
  }
  const found: Record<string, Operation> = {}
  const modules = orgSettings ? [...operations, orgSettings.operations] : operations
  for (const [id, value] of modules.flatMap(module => Object.entries(module))) {
    if (!isOperation(value)) continue
    if (!paths.some(path => `${value.path}/`.startsWith(`${path}/`))) {
      throw new Error(`${name}: ${value.path} is not below ${paths.join(' or ')}`)
    }
    if (id in found) throw new Error(`${name}: two operations are named ${id}`)
    found[id] = { ...value, service: name }
  }
  const erased = open as Service['open']
  const data = { migrations, tables, orgSettings, settings: { ...settings, ...boundSettings(tables) } }
  const work = { schedules, consumers, queues, charges }
  return { name, what, paths, operations: found, ...data, ...work, emits, open: erased }
}

const emitsOf = (all: readonly { id: string; emits?: Emits }[], kind: string): Record<string, Emits> =>
  Object.fromEntries(
    all.flatMap(({ id, emits }) =>
      Object.keys(emits ?? {}).length > 0 ? [[`the ${kind} ${id}`, emits as Emits]] : [],
    ),
  )

/** The settings that these services declare. */
export const settingsOf = (services: readonly Service[]): Settings =>
  Object.assign({}, ...services.map(({ settings }) => settings))

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'table'

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'operation'
