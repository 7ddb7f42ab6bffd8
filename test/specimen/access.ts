// An operation for each kind of access, and operations that are slow or fail.
import { setTimeout as wait } from 'node:timers/promises'
import { Type } from 'typebox'
import { EngineUnavailable } from '../../src/engines/engines.ts'
import { nothing } from '../../src/kit/answer.ts'
import { jsonrpc, oauth } from '../../src/kit/dialect.ts'
import type { Fault } from '../../src/kit/fault.ts'
import type { RequestFacts } from '../../src/kit/operation.ts'
import { nullable, operation } from './state.ts'

export const publicAccess = operation({
  route: 'GET /v1/specimen/public',
  summary: 'Needs no credential',
  access: 'public',
  output: Type.Object({ caller: Type.Null() }),
  run: ({ caller }) => ({ caller }),
})

export const readerAccess = operation({
  route: 'GET /v1/specimen/reader',
  summary: 'For users, keys and workspace tokens',
  access: 'reader',
  output: Type.Object({ org: Type.String(), user: nullable, workspace: nullable }),
  run: ({ caller: { org, user, workspace } }) => ({ org, user, workspace }),
})

export const personAccess = operation({
  route: 'GET /v1/specimen/person',
  summary: 'For people who are signed in',
  access: 'person',
  output: nothing,
  run: () => {},
})

export const adminAccess = operation({
  route: 'GET /v1/specimen/admin',
  summary: 'For owners and admins',
  access: 'admin',
  output: nothing,
  run: () => {},
})

export const superadminAccess = operation({
  route: 'GET /v1/specimen/superadmin',
  summary: 'For superadmins',
  access: 'superadmin',
  output: nothing,
  run: () => {},
})

export const whoami = operation({
  route: 'GET /v1/specimen/whoami',
  summary: 'Returns the caller, the request and the service state that an operation receives',
  access: 'bearer',
  output: Type.Object({
    org: Type.String(),
    user: Type.String(),
    email: Type.String(),
    ip: Type.String(),
    peer: Type.String(),
    greeting: Type.String(),
    headers: Type.Record(Type.String(), Type.Unknown()),
  }),
  run: ({ caller: { org, user, email }, request: { ip, peer, headers }, state: { greeting } }) => {
    return { org, user, email, ip, peer, greeting, headers }
  },
})

export const ingest = operation({
  route: 'POST /v1/specimen/ingest',
  summary: 'Returns the caller that an operation with ingest access receives',
  access: 'ingest',
  project: 'chosen',
  output: Type.Object({ org: Type.String(), project: nullable, user: nullable, kind: Type.String() }),
  audit: 'none',
  run: ({ caller: { org, project, user, credential } }) => ({ org, project, user, kind: credential.kind }),
})

/** How often a body was read. */
export const bodiesRead = { count: 0 }

const readKey = (bytes: Buffer, { url }: RequestFacts) => {
  bodiesRead.count++
  const text = bytes.toString() || new URLSearchParams(url.split('?')[1]).get('sent') || ''
  return { key: text.startsWith('key ') ? text.slice('key '.length) : null, text }
}

const readsKey = {
  access: 'ingest',
  body: readKey,
  passUnknown: true,
  output: Type.Object({ org: Type.String(), text: Type.String() }),
  faultBody: (fault: Fault, _request: RequestFacts, read: ReturnType<typeof readKey> | null) =>
    fault.code === 'ingest_key_unknown' ? { read: read?.text ?? null } : null,
  audit: 'none',
} as const

export const keyInBody = operation({
  ...readsKey,
  route: 'POST /v1/specimen/key-in-body',
  summary: 'Finds the key in the body that it reads',
  bodyLimit: 1024,
  run: ({ caller: { org } }, { body: { text } }) => ({ org, text }),
})

export const keyInQuery = operation({
  ...readsKey,
  route: 'GET /v1/specimen/key-in-query',
  summary: 'Finds the key where others have a body',
  run: ({ caller: { org } }, { body: { text } }) => ({ org, text }),
})

// Slow and failing operations.

/** How often `slow` has begun, so that tests can wait for it. */
export const slowCalls = { count: 0 }

export const slow = operation({
  route: 'GET /v1/specimen/slow',
  summary: 'Answers after half a second',
  access: 'public',
  output: Type.Object({ done: Type.Literal(true) }),
  run: async () => {
    slowCalls.count++
    await wait(500)
    return { done: true as const }
  },
})

/** The advisory lock that `slowQuery` waits for. */
export const SLOW_QUERY_LOCK = 4711

export const slowQuery = operation({
  route: 'GET /v1/specimen/slow-query',
  summary: 'Uses a database connection until no test holds the lock',
  access: 'public',
  output: nothing,
  run: async ({ db }) => {
    await db`select pg_advisory_xact_lock_shared(${SLOW_QUERY_LOCK}::int)`
  },
})

export const unexpectedError = operation({
  route: 'GET /v1/specimen/unexpected-error',
  summary: 'Throws an error that is not a fault',
  access: 'bearer',
  output: nothing,
  faults: ['internal'],
  run: () => {
    throw new Error('failed for key sk-abcdefghijklmnop and card 4111 1111 1111 1111 in a test')
  },
})

export const engineUnavailable = operation({
  route: 'GET /v1/specimen/engine-unavailable/{engine}',
  summary: 'Fails because an engine is unavailable',
  access: 'public',
  input: { engine: Type.Enum(['db', 'warehouse', 'log', 'mail'], { examples: ['warehouse'] }) },
  output: nothing,
  faults: ['mail_unreachable', 'not_found'],
  run: (_context, { engine }) => {
    throw new EngineUnavailable(engine, 'down')
  },
})

export const oauthFaults = operation({
  route: 'POST /v1/specimen/oauth',
  summary: 'Answers faults in the OAuth format',
  access: 'bearer',
  dialect: oauth,
  input: { grant: Type.String({ examples: ['code'] }) },
  output: nothing,
  audit: 'none',
  run: () => {},
})

export const jsonrpcFaults = operation({
  route: 'POST /v1/specimen/jsonrpc',
  summary: 'Answers faults in the JSON-RPC format',
  access: 'bearer',
  dialect: jsonrpc,
  input: { method: Type.String({ examples: ['ping'] }) },
  output: nothing,
  audit: 'none',
  run: () => {},
})
