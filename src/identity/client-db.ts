// The database for requests to the identity origin. Their organisation is not known before the sign-in, so each client
// address has its own queue.
import type { Database } from '../engines/engines.ts'
import { clientOfRequest } from './request.ts'

export function perClient(db: Database): Database {
  const current = () => {
    const client = clientOfRequest()
    return client === null ? db : db.for(client)
  }
  const read: Database = ((strings: TemplateStringsArray, ...values: never[]) => current()(strings, ...values)) as never
  return Object.defineProperty(
    Object.assign(read, {
      ...db,
      transaction: (work: never) => current().transaction(work),
      script: (text: string) => current().script(text),
    }),
    'autocommit',
    { get: () => current().autocommit },
  )
}
