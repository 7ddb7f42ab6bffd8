// A service that exists for tests alone: one operation for each thing the host must do that no real one does yet.
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { Type } from 'typebox'
import { slug } from '../src/kit/fields.ts'
import { nothing, operation, stream } from '../src/kit/operation.ts'
import { service } from '../src/kit/service.ts'
import { requireBudget, settleSpend } from '../src/services/account/public.ts'
import { insertProject } from '../src/services/projects/store.ts'

export const RAW_LIMIT = 4096
const nullable = Type.Union([Type.String(), Type.Null()])

const openToAll = operation({
  route: 'GET /v1/specimen/open',
  summary: 'Open to anybody',
  access: 'public',
  output: Type.Object({ caller: Type.Null() }),
  run: ({ caller }) => ({ caller }),
})

const forAdmins = operation({
  route: 'GET /v1/specimen/admin',
  summary: 'For owners and admins',
  access: 'admin',
  output: nothing,
  run: () => {},
})

const forSuperadmins = operation({
  route: 'GET /v1/specimen/superadmin',
  summary: 'For the operators',
  access: 'superadmin',
  output: nothing,
  run: () => {},
})

const whoami = operation({
  route: 'GET /v1/specimen/whoami',
  summary: 'What an operation sees of its caller',
  access: 'bearer',
  output: Type.Object({
    org: Type.String(),
    user: Type.String(),
    email: Type.String(),
    ip: Type.String(),
    headers: Type.Record(Type.String(), Type.Unknown()),
  }),
  run: ({ caller: { org, user, email }, request: { ip, headers } }) => ({ org, user, email, ip, headers }),
})

const echo = operation({
  route: 'POST /v1/specimen/echo',
  summary: 'Answers its input',
  access: 'public',
  input: { tree: Type.Optional(Type.Unknown()), text: Type.Optional(Type.String()) },
  output: Type.Object({ tree: Type.Optional(Type.Unknown()), text: Type.Optional(Type.String()) }),
  audit: 'none',
  run: (_context, input) => input,
})

const typed = operation({
  route: 'GET /v1/specimen/typed',
  summary: 'Query fields of each type',
  access: 'public',
  input: {
    whole: Type.Optional(Type.Integer()),
    number: Type.Optional(Type.Number()),
    flag: Type.Optional(Type.Boolean()),
    word: Type.Optional(Type.Enum(['one', 'two'])),
  },
  output: Type.Object({}),
  run: (_context, input) => input,
})

const raw = operation({
  route: 'POST /v1/specimen/raw',
  summary: 'Takes bytes',
  access: 'bearer',
  body: 'raw',
  bodyLimit: RAW_LIMIT,
  input: { tag: Type.Optional(Type.String()) },
  output: Type.Object({ bytes: Type.Integer(), tag: Type.Optional(Type.String()) }),
  audit: 'none',
  run: (_context, { body, tag }) => ({ bytes: body.length, tag }),
})

const drip = operation({
  route: 'GET /v1/specimen/drip',
  summary: 'Streams until the client leaves',
  access: 'public',
  output: stream,
  run: ({ request }) => {
    const body = new Readable({ read() {} })
    body.push('first\n')
    request.signal.addEventListener('abort', () => {
      drips.left++
      body.destroy()
    })
    return { status: 200, headers: { 'content-type': 'text/plain' }, body }
  },
})
/** How many clients of the stream were seen to leave. */
export const drips = { left: 0 }

const slow = operation({
  route: 'GET /v1/specimen/slow',
  summary: 'Answers after half a second',
  access: 'public',
  output: Type.Object({ done: Type.Literal(true) }),
  run: async () => {
    await wait(500)
    return { done: true as const }
  },
})

const hold = operation({
  route: 'GET /v1/specimen/hold',
  summary: 'Keeps a database connection for half a second',
  access: 'public',
  output: nothing,
  run: async ({ db }) => {
    await db`select pg_sleep(0.5)`
  },
})

const crash = operation({
  route: 'GET /v1/specimen/crash',
  summary: 'Fails in a way nobody foresaw',
  access: 'bearer',
  output: nothing,
  faults: ['internal'],
  run: () => {
    throw new Error('met sk-abcdefghijklmnop and card 4111 1111 1111 1111 on the way')
  },
})

const half = operation({
  route: 'POST /v1/specimen/half',
  summary: 'Writes, then fails',
  access: 'bearer',
  output: nothing,
  faults: ['internal'],
  audit: { what: 'specimen.half', on: () => 'half' },
  run: async ({ db, caller, clock }) => {
    await insertProject(db, caller.org, 'half', 'Half', clock.now().toISOString())
    throw new Error('after the write')
  },
})

const ingest = operation({
  route: 'POST /v1/specimen/ingest',
  summary: 'What an operation sees of whoever writes events',
  access: 'ingest',
  project: 'chosen',
  output: Type.Object({ org: Type.String(), project: nullable, user: nullable, kind: Type.String() }),
  audit: 'none',
  run: ({ caller: { org, project, user, credential } }) => ({ org, project, user, kind: credential.kind }),
})

const within = operation({
  route: 'GET /v1/specimen/within/{slug}',
  summary: 'Acts in the project its path names',
  access: 'bearer',
  project: 'slug',
  input: { slug: slug('A project') },
  output: Type.Object({ project: nullable }),
  run: ({ caller: { project } }) => ({ project }),
})

const chosen = operation({
  route: 'GET /v1/specimen/chosen',
  summary: 'Acts in the project its caller chose',
  access: 'bearer',
  project: 'chosen',
  output: Type.Object({ project: nullable }),
  run: ({ caller: { project } }) => ({ project }),
})

const spend = operation({
  route: 'POST /v1/specimen/spend',
  summary: 'Costs what it is told, as a model call would',
  access: 'bearer',
  input: { units: Type.Integer({ examples: [1] }) },
  output: nothing,
  faults: ['key_budget'],
  audit: 'none',
  run: async (context, { units }) => {
    await requireBudget(context, context.caller)
    await settleSpend(context, context.caller, units)
  },
})

const mint = operation({
  route: 'POST /v1/specimen/mint',
  summary: 'Would reveal a credential',
  access: 'bearer',
  mints: true,
  output: nothing,
  audit: 'none',
  run: () => {},
})

const keyed = { ingest, within, chosen, spend, mint }
const parts = {
  openToAll,
  forAdmins,
  forSuperadmins,
  whoami,
  echo,
  typed,
  raw,
  drip,
  slow,
  hold,
  crash,
  half,
  ...keyed,
}
export const specimen = service({ name: 'specimen', what: 'For tests', operations: [parts] })
