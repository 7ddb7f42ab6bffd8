// The migrations of the host and of every service, in the order they are applied.
import { type Migration, readMigrations } from './engines/db/migrate.ts'
import { services } from './services/index.ts'

export const allMigrations = (): Migration[] => [
  ...readMigrations('host', new URL('host/migrations/', import.meta.url)),
  ...readMigrations('bus', new URL('engines/bus/migrations/', import.meta.url)),
  ...readMigrations('warehouse', new URL('engines/warehouse/migrations/', import.meta.url)),
  ...services.flatMap(({ name, migrations }) => (migrations ? readMigrations(name, migrations) : [])),
]
