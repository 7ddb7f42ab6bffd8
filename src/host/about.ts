// The host's own operations: what is here, whether it is well, and the description of all of it.
import { Type } from 'typebox'
import { EngineUnavailable } from '../engines/engines.ts'
import { Fault } from '../kit/fault.ts'
import { type Operation, operation } from '../kit/operation.ts'
import type { Service } from '../kit/service.ts'

const ServiceEntry = Type.Object({
  name: Type.String({ examples: ['projects'] }),
  path: Type.String({ examples: ['/v1/projects'] }),
  what: Type.String(),
  operations: Type.Integer({
    minimum: 0,
    description: 'How many operations this host has for it; 0 when it is not built yet, or runs elsewhere',
  }),
})

export function aboutOperations(
  services: readonly Service[],
  document: () => object,
  ping: () => Promise<void>,
): Record<string, Operation> {
  const list = services.map(({ name, what, paths, operations }) => {
    return { name, path: paths[0] as string, what, operations: Object.keys(operations).length }
  })
  const listServices = operation({
    route: 'GET /v1',
    summary: 'The services of this host',
    access: 'public',
    output: Type.Object({ version: Type.Literal('v1'), services: Type.Array(ServiceEntry) }),
    run: () => ({ version: 'v1' as const, services: list }),
  })

  let asking: Promise<void> | null = null
  const getHealth = operation({
    route: 'GET /v1/health',
    summary: 'Whether the host can serve; 503 names the engine that is down',
    access: 'public',
    output: Type.Object({ status: Type.Literal('up'), engines: Type.Object({ db: Type.Literal('up') }) }),
    faults: ['database_unreachable'],
    run: async () => {
      // Anybody may ask, so however many do, the database is asked once at a time.
      asking ??= askDatabase(ping).finally(() => {
        asking = null
      })
      await asking
      return { status: 'up' as const, engines: { db: 'up' as const } }
    },
  })

  const getOpenapi = operation({
    route: 'GET /v1/openapi.json',
    summary: 'This interface as an OpenAPI 3.1 document',
    access: 'public',
    output: Type.Unsafe<object>({ type: 'object' }),
    run: document,
  })
  return { listServices, getHealth, getOpenapi }
}

async function askDatabase(ping: () => Promise<void>): Promise<void> {
  try {
    await ping()
  } catch (error) {
    if (!(error instanceof EngineUnavailable) || error.state !== 'down') throw error
    throw new Fault('database_unreachable', {
      message: 'The database cannot be reached.',
      fields: [{ path: 'engines.db', says: 'is down' }],
      retryAfterS: 2,
      cause: error,
    })
  }
}
