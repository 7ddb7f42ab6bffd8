// Operations under /v1/iam/workspaces: a team's workspaces, and the tokens that write events for one of them.
import { Type } from 'typebox'
import { nothing } from '../../kit/answer.ts'
import { invalidInput } from '../../kit/check.ts'
import { Fault, notFound } from '../../kit/fault.ts'
import { displayName, timestamp } from '../../kit/fields.ts'
import { listing, page, paging, positionFrom, positionKey } from '../../kit/page.ts'
import { operation } from './state.ts'
import * as store from './store.ts'
import { newWorkspaceSecret, signWorkspaceToken } from './workspace-tokens.ts'

const WORKSPACES_MAX = 1_000
const DAY_MS = 24 * 60 * 60_000
const LASTS_MS = 30 * DAY_MS
const LASTS_MAX_MS = 366 * DAY_MS

const Id = Type.String({
  pattern: '^wsp_[0-9A-Za-z]{1,40}$',
  description: "A workspace's id, `wsp_…`",
  examples: ['wsp_4vJ9mWcX2bQeT7yLrK0sZp1n'],
})
const Name = displayName("The workspace's name")
const Workspace = Type.Object({ id: Id, name: Name, created: timestamp('When it was created') })

export const listWorkspaces = operation({
  route: 'GET /v1/iam/workspaces',
  summary: "The organisation's workspaces, newest first",
  access: 'bearer',
  input: paging,
  output: listing(Workspace),
  run: ({ db, caller }, asked) =>
    page(asked, (last, count) => store.selectWorkspaces(db, caller.org, positionFrom(last), count), positionKey),
})

export const createWorkspace = operation({
  route: 'POST /v1/iam/workspaces',
  summary: 'Creates a workspace',
  access: 'admin',
  input: { name: Name },
  output: Workspace,
  status: 201,
  faults: ['conflict'],
  audit: 'workspace.create',
  run: async ({ caller, clock, random, seal, write }, { name }) => {
    const workspace = { id: `wsp_${random.token(24)}`, name, created: clock.now().toISOString() }
    const secret = newWorkspaceSecret({ random, seal }, caller.org, workspace.id)
    return write(async ({ db, record }) => {
      if ((await store.insertWorkspace(db, caller.org, { ...workspace, secret })) > WORKSPACES_MAX) {
        throw new Fault('conflict', { message: `An organisation has at most ${WORKSPACES_MAX} workspaces.` })
      }
      record(workspace.id, { name: { to: name } })
      return workspace
    })
  },
})

export const deleteWorkspace = operation({
  route: 'DELETE /v1/iam/workspaces/{id}',
  summary: 'Removes a workspace; its tokens end at once',
  access: 'admin',
  input: { id: Id },
  output: nothing,
  faults: ['not_found'],
  audit: 'workspace.delete',
  run: ({ caller, write }, { id }) =>
    write(async ({ db, record }) => {
      if (!(await store.deleteWorkspace(db, caller.org, id))) throw notFound('workspace')
      record(id)
    }),
})

export const createWorkspaceToken = operation({
  route: 'POST /v1/iam/workspaces/{id}/tokens',
  summary: 'Makes a token that writes page views, errors and clicks for a workspace, and that a browser may hold',
  access: 'admin',
  issuesCredential: true,
  input: {
    id: Id,
    expires: Type.Optional(timestamp('Until when it is good, a year from now at most; 30 days unless said')),
  },
  output: Type.Object({
    token: Type.String({ description: 'The token. Keep it now' }),
    expires: timestamp('Until when it is good'),
  }),
  status: 201,
  faults: ['not_found'],
  audit: 'workspace.token',
  run: async ({ caller, clock, seal, write }, { id, expires }) => {
    const nowMs = clock.now().getTime()
    const untilMs = expires === undefined ? nowMs + LASTS_MS : Date.parse(expires)
    if (!(untilMs > nowMs && untilMs <= nowMs + LASTS_MAX_MS)) {
      throw invalidInput([{ path: 'expires', says: 'must be later than now, and within a year' }])
    }
    const [fromS, untilS] = [Math.floor(nowMs / 1000), Math.floor(untilMs / 1000)]
    const until = new Date(untilS * 1000).toISOString()
    return write(async ({ db, record }) => {
      const secret = await store.selectWorkspaceSecret(db, caller.org, id)
      if (!secret) throw notFound('workspace')
      record(id, { expires: { to: until } })
      return {
        token: await signWorkspaceToken(seal, { org: caller.org, workspace: id, secret }, fromS, untilS),
        expires: until,
      }
    })
  },
})
