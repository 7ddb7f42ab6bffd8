// The state of the service: the consumers, queues and tables that this version has.
import type { Database } from '../../engines/engines.ts'
import { serviceKit } from '../../kit/service.ts'
import type { Table } from '../../kit/table.ts'
import type { RequestCounts } from './requests/counts.ts'

export type Observed = {
  /** Their ids. */
  consumers: ReadonlySet<string>
  queues: ReadonlySet<string>
  tables: readonly { service: string; table: Table }[]
  /** For reads over many rows. */
  analytics: Database
  counts: RequestCounts
}

export const { operation, schedule } = serviceKit<Observed>()
