// Operations under /v1/iam/workspaces: workspaces of teams, and the tokens that write events for a workspace.

import { Type } from 'typebox'
import { nothing } from '../../../kit/answer.ts'
import { invalidField } from '../../../kit/check.ts'
import { orNotFound } from '../../../kit/fault.ts'
import { displayName, secret, timestamp } from '../../../kit/fields.ts'
import { listing, pageByTime, paging } from '../../../kit/page.ts'
import { workspaceCreated, workspaceDeleted, workspaceTokenIssued } from '../events.ts'
import { WorkspaceId as Id } from '../fields.ts'
import { operation } from '../state.ts'
import * as tables from '../tables.ts'
import * as store from './store.ts'
import { newWorkspaceSecret, signWorkspaceToken } from './tokens.ts'

const DAY_MS = 24 * 60 * 60_000
const LIFETIME_MS = 30 * DAY_MS
const LIFETIME_MAX_MS = 366 * DAY_MS

const Name = displayName("The workspace's name")
const Workspace = Type.Object(
  { id: Id, name: Name, created: timestamp('When it was created') },
  { title: 'Workspace', description: 'A team of the organisation that writes events with its own tokens' },
)

export const listWorkspaces = operation({
  route: 'GET /v1/iam/workspaces',
  summary: "Lists the organisation's workspaces, newest first",
  access: 'bearer',
  input: paging,
  output: listing(Workspace),
  run: ({ db, caller }, query) =>
    pageByTime(query, (last, count) => store.selectWorkspaces(db, caller.org, last, count)),
})

export const createWorkspace = operation({
  route: 'POST /v1/iam/workspaces',
  summary: 'Creates a workspace',
  description: 'The maximum number of workspaces is a setting.',
  access: 'admin',
  input: { name: Name },
  output: Workspace,
  status: 201,
  faults: ['conflict'],
  audit: 'workspace.create',
  emits: workspaceCreated,
  run: async ({ bounds, caller, clock, random, seal, write }, { name }) => {
    const workspace = { id: `wsp_${random.token(24)}`, name, created: clock.now().toISOString() }
    const secret = newWorkspaceSecret({ random, seal }, caller.org, workspace.id)
    return write({ serialize: true }, async ({ db, record, emit }) => {
      await store.insertWorkspace(db, caller.org, { ...workspace, secret })
      await bounds.require(db, tables.workspaces, caller.org)
      record(workspace.id, { name: { to: name } })
      emit('iam.workspace.created', { id: workspace.id, name })
      return workspace
    })
  },
})

export const deleteWorkspace = operation({
  route: 'DELETE /v1/iam/workspaces/{id}',
  summary: 'Deletes a workspace; its tokens end immediately',
  access: 'admin',
  input: { id: Id },
  output: nothing,
  faults: ['not_found'],
  audit: 'workspace.delete',
  emits: workspaceDeleted,
  run: ({ caller, write }, { id }) =>
    write(async ({ db, record, emit }) => {
      const name = orNotFound(await store.deleteWorkspace(db, caller.org, id), 'workspace')
      record(id, { name: { from: name } })
      emit('iam.workspace.deleted', { id, name })
    }),
})

export const createWorkspaceToken = operation({
  route: 'POST /v1/iam/workspaces/{id}/tokens',
  summary: 'Issues a token that writes page views, errors and clicks for a workspace; it can be used in browsers',
  description: 'A token cannot be revoked on its own: it ends when it expires or when its workspace is deleted.',
  access: 'admin',
  issuesCredential: true,
  input: {
    id: Id,
    expires: Type.Optional(timestamp('When the token expires, at most a year from now; 30 days from now if omitted')),
  },
  output: Type.Object({
    token: secret('The token, a JWT, which is returned only here', 'eyJ…'),
    expires: timestamp('When the token expires'),
  }),
  status: 201,
  faults: ['not_found'],
  audit: 'workspace.token',
  emits: workspaceTokenIssued,
  run: async ({ caller, clock, seal, write }, { id, expires }) => {
    const nowMs = clock.now().getTime()
    const untilMs = expires === undefined ? nowMs + LIFETIME_MS : Date.parse(expires)
    if (!(untilMs > nowMs && untilMs <= nowMs + LIFETIME_MAX_MS)) {
      throw invalidField('expires', 'must be in the future and at most a year from now')
    }
    const [fromS, untilS] = [Math.floor(nowMs / 1000), Math.floor(untilMs / 1000)]
    const until = new Date(untilS * 1000).toISOString()
    return write(async ({ db, record, emit }) => {
      const secret = orNotFound(await store.selectWorkspaceSecret(db, caller.org, id), 'workspace')
      record(id, { expires: { to: until } })
      emit('iam.workspace.token_issued', { id, expires: until })
      return {
        token: await signWorkspaceToken(seal, { org: caller.org, workspace: id, secret }, fromS, untilS),
        expires: until,
      }
    })
  },
})
