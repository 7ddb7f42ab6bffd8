// The migrations of the host and of every service, in the order they are applied.
import { type Migration, readMigrations } from '../engines/db/migrate.ts'
import { services } from '../services/index.ts'

export const allMigrations = (): Migration[] => [
  // `bus` was the name of the log when its first migration was released.
  ...readMigrations('bus', new URL('../engines/log/migrations/', import.meta.url)),
  ...readMigrations('warehouse', new URL('../engines/warehouse/migrations/', import.meta.url)),
  ...readMigrations('host', new URL('../host/migrations/', import.meta.url)),
  ...services.flatMap(({ name, migrations }) => (migrations ? readMigrations(name, migrations) : [])),
  // Last, because its rows refer to organisations.
  ...readMigrations('org-settings', new URL('../kit/org-settings/migrations/', import.meta.url)),
]
