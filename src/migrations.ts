// The tables of the host and of every service, in the order they are made.
import { type Migration, readMigrations } from './engines/db/migrate.ts'
import { services } from './services/index.ts'

export const allMigrations = (): Migration[] => [
  ...readMigrations('host', new URL('host/migrations/', import.meta.url)),
  ...services.flatMap(one => (one.migrations ? readMigrations(one.name, one.migrations) : [])),
]
