// The host's own operations: the list of services, the health check and the OpenAPI document.
import { Type } from 'typebox'
import { EngineUnavailable } from '../engines/engines.ts'
import { repliesIn } from '../kit/answer.ts'
import { Fault } from '../kit/fault.ts'
import { type Operation, operation } from '../kit/operation.ts'
import type { Service } from '../kit/service.ts'
import { diskFull } from './faults.ts'
import { type Document, replyWith } from './files.ts'

const ServiceEntry = Type.Object(
  {
    name: Type.String({ description: 'The name, which limits of keys refer to', examples: ['projects'] }),
    path: Type.String({ description: 'The path prefix of its operations', examples: ['/v1/projects'] }),
    what: Type.String({ description: 'What it does', examples: ['The products an organisation builds'] }),
    operations: Type.Integer({
      minimum: 0,
      description: 'How many of its operations this host serves; 0 if it is not available yet or runs elsewhere',
      examples: [9],
    }),
  },
  { title: 'Service', description: 'One service of the host' },
)

export function aboutOperations(
  services: readonly Service[],
  document: () => Document,
  ping: () => Promise<void>,
): Record<string, Operation> {
  const list = services.map(({ name, what, paths, operations }) => {
    return { name, path: paths[0] as string, what, operations: Object.keys(operations).length }
  })
  const listServices = operation({
    route: 'GET /v1',
    summary: 'Lists the services of this host',
    access: 'public',
    output: Type.Object({
      version: Type.Literal('v1', { description: 'The version of this API' }),
      services: Type.Array(ServiceEntry, { description: 'Every service, including those without operations' }),
    }),
    run: () => ({ version: 'v1' as const, services: list }),
  })

  let pinging: Promise<void> | null = null
  const getHealth = operation({
    route: 'GET /v1/health',
    summary: 'Checks whether the host can serve requests; a 503 names the engine that is down or whose disk is full',
    access: 'public',
    output: Type.Object({
      status: Type.Literal('up', { description: 'The host can serve requests' }),
      engines: Type.Object(
        { db: Type.Literal('up', { description: 'The database' }) },
        { description: 'The state of each engine the host depends on' },
      ),
    }),
    faults: ['database_unreachable'],
    run: async () => {
      // The operation is public, so concurrent requests share one ping.
      pinging ??= pingDatabase(ping).finally(() => {
        pinging = null
      })
      await pinging
      return { status: 'up' as const, engines: { db: 'up' as const } }
    },
  })

  const getOpenapi = operation({
    route: 'GET /v1/openapi.json',
    summary: 'Returns this API as an OpenAPI 3.1 document',
    access: 'public',
    output: repliesIn('application/json'),
    run: ({ request }) => replyWith(document(), request.headers),
  })
  return { listServices, getHealth, getOpenapi }
}

async function pingDatabase(ping: () => Promise<void>): Promise<void> {
  try {
    await ping()
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error
    if (error.state === 'full') throw diskFull(error, [{ path: 'engines.db', says: 'has no disk space left' }])
    if (error.state !== 'down') throw error
    throw new Fault('database_unreachable', {
      message: 'The database cannot be reached.',
      fields: [{ path: 'engines.db', says: 'is down' }],
      retryAfterS: 2,
      cause: error,
    })
  }
}
