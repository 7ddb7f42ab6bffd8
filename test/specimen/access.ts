// One operation for each kind of access, and those that fail.
import { setTimeout as wait } from 'node:timers/promises'
import { Type } from 'typebox'
import { EngineUnavailable } from '../../src/engines/engines.ts'
import { nothing } from '../../src/kit/answer.ts'
import { jsonrpc, oauth } from '../../src/kit/dialect.ts'
import { nullable, operation } from './state.ts'

export const openToAll = operation({
  route: 'GET /v1/specimen/open',
  summary: 'Open to anybody',
  access: 'public',
  output: Type.Object({ caller: Type.Null() }),
  run: ({ caller }) => ({ caller }),
})

export const forReaders = operation({
  route: 'GET /v1/specimen/reader',
  summary: 'For bearers and the tokens of workspaces',
  access: 'reader',
  output: Type.Object({ org: Type.String(), user: nullable, workspace: nullable }),
  run: ({ caller: { org, user, workspace } }) => ({ org, user, workspace }),
})

export const forAdmins = operation({
  route: 'GET /v1/specimen/admin',
  summary: 'For owners and admins',
  access: 'admin',
  output: nothing,
  run: () => {},
})

export const forSuperadmins = operation({
  route: 'GET /v1/specimen/superadmin',
  summary: 'For the operators',
  access: 'superadmin',
  output: nothing,
  run: () => {},
})

export const whoami = operation({
  route: 'GET /v1/specimen/whoami',
  summary: 'What an operation sees of its caller and its service',
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
  summary: 'What an operation sees of whoever writes events',
  access: 'ingest',
  project: 'chosen',
  output: Type.Object({ org: Type.String(), project: nullable, user: nullable, kind: Type.String() }),
  audit: 'none',
  run: ({ caller: { org, project, user, credential } }) => ({ org, project, user, kind: credential.kind }),
})

// Faults.

export const slow = operation({
  route: 'GET /v1/specimen/slow',
  summary: 'Answers after half a second',
  access: 'public',
  output: Type.Object({ done: Type.Literal(true) }),
  run: async () => {
    await wait(500)
    return { done: true as const }
  },
})

export const hold = operation({
  route: 'GET /v1/specimen/hold',
  summary: 'Keeps a database connection for half a second',
  access: 'public',
  output: nothing,
  run: async ({ db }) => {
    await db`select pg_sleep(0.5)`
  },
})

export const crash = operation({
  route: 'GET /v1/specimen/crash',
  summary: 'Fails in a way nobody foresaw',
  access: 'bearer',
  output: nothing,
  faults: ['internal'],
  run: () => {
    throw new Error('met sk-abcdefghijklmnop and card 4111 1111 1111 1111 on the way')
  },
})

export const away = operation({
  route: 'GET /v1/specimen/away/{engine}',
  summary: 'Meets an engine that is down',
  access: 'public',
  input: { engine: Type.Enum(['db', 'warehouse', 'bus', 'mail'], { examples: ['warehouse'] }) },
  output: nothing,
  faults: ['mail_unreachable', 'not_found'],
  run: (_context, { engine }) => {
    throw new EngineUnavailable(engine, 'down')
  },
})

export const inOauth = operation({
  route: 'POST /v1/specimen/oauth',
  summary: 'Tells of faults as OAuth does',
  access: 'bearer',
  dialect: oauth,
  input: { grant: Type.String({ examples: ['code'] }) },
  output: nothing,
  audit: 'none',
  run: () => {},
})

export const inJsonrpc = operation({
  route: 'POST /v1/specimen/jsonrpc',
  summary: 'Tells of faults as JSON-RPC does',
  access: 'bearer',
  dialect: jsonrpc,
  input: { method: Type.String({ examples: ['ping'] }) },
  output: nothing,
  audit: 'none',
  run: () => {},
})
