// Operations under /v1/o11y/engines: what this host stores its data with and sends its mail through.
import { type Static, Type } from 'typebox'
import { EngineUnavailable } from '../../engines/engines.ts'
import { integer, string } from '../../kit/fields.ts'
import { operation } from './state.ts'
import { selectDatabaseFacts } from './store.ts'

const Engine = Type.Object(
  {
    name: Type.Enum(['db', 'log', 'warehouse', 'mail'], {
      description: 'What it is for: the database, the event log, the events that analytics reads, or mail',
      examples: ['db'],
    }),
    driver: string('What implements it', 'embedded PostgreSQL'),
    status: Type.Enum(['up', 'busy', 'down', 'full'], {
      description: '`full`: its disk is; `busy`: it answers, but calls wait',
      examples: ['up'],
    }),
    version: Type.Optional(string('The version of its server', '17.5')),
    bytes: Type.Optional(integer('Its size on disk', 52_428_800)),
    connections: Type.Optional(
      Type.Object(
        {
          used: integer('The open connections to its server, of all its clients', 12),
          max: integer('How many the server allows', 56),
        },
        { description: 'Connections to its server', examples: [{ used: 12, max: 56 }] },
      ),
    ),
  },
  { title: 'Engine', description: 'A database or server that this host depends on' },
)

export const listEngines = operation({
  route: 'GET /v1/o11y/engines',
  summary: 'Lists the engines of this host, such as its database and mail server, and whether they answer',
  description:
    'Each engine has a few seconds to answer. A mail server is asked to accept a connection and the login, but gets no mail. Facts that an engine could not tell in time are absent.',
  access: 'superadmin',
  output: Type.Object({ engines: Type.Array(Engine, { description: 'The database first' }) }),
  run: async ({ log, mail, state: { analytics }, warehouse }) => {
    const [db, sent, facts, logBytes] = await Promise.all([
      statusOf(analytics.ping()),
      statusOf(mail.ping()),
      ifAvailable(selectDatabaseFacts(analytics)),
      ifAvailable(log.bytes(analytics)),
    ])
    const { version, bytes, used, max } = facts ?? {}
    const engines: Static<typeof Engine>[] = [
      {
        ...{ name: 'db', driver: analytics.driver, status: db },
        ...(version !== undefined && { version }),
        ...(bytes !== undefined && { bytes }),
        ...(used !== undefined && max !== undefined && { connections: { used, max } }),
      },
      { name: 'log', driver: log.driver, status: db, ...(logBytes !== null && { bytes: logBytes }) },
      { name: 'warehouse', driver: warehouse.driver, status: db },
      { name: 'mail', driver: mail.driver, status: sent },
    ]
    return { engines }
  },
})

type Status = Static<typeof Engine>['status']

const statusOf = (ping: Promise<void>): Promise<Status> =>
  ping.then(
    () => 'up',
    error => {
      if (!(error instanceof EngineUnavailable)) throw error
      if (error.state === 'slow') return 'busy'
      return error.state === 'busy' || error.state === 'full' ? error.state : 'down'
    },
  )

const ifAvailable = <T>(work: Promise<T>): Promise<T | null> =>
  work.catch(error => {
    if (error instanceof EngineUnavailable) return null
    throw error
  })
