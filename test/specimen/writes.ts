// One operation for each rule of writes, limits and doors, and background work.
import { Type } from 'typebox'
import type { Tx } from '../../src/engines/engines.ts'
import { nothing } from '../../src/kit/answer.ts'
import { Fault } from '../../src/kit/fault.ts'
import { slug } from '../../src/kit/fields.ts'
import { settleSpend } from '../../src/services/account/public.ts'
import { insertProject, updateProject } from '../../src/services/projects/store.ts'
import { consumer, nullable, operation, schedule } from './state.ts'

export const half = operation({
  route: 'POST /v1/specimen/half',
  summary: 'Writes, then fails',
  access: 'bearer',
  output: nothing,
  faults: ['internal'],
  audit: 'specimen.half',
  emits: { 'specimen.half': Type.Object({}) },
  run: ({ caller, clock, write }) =>
    write(async ({ db, record, emit }) => {
      await insertProject(db, caller.org, 'half', 'Half', clock.now().toISOString())
      record('half')
      emit('specimen.half', {})
      throw new Error('after the write')
    }),
})

export const rename = operation({
  route: 'POST /v1/specimen/rename',
  summary: 'Writes one thing, one call of an organisation after the other, and tells of it',
  access: 'bearer',
  input: {
    slug: slug('A project'),
    name: Type.String({ maxLength: 40, examples: ['Shop'] }),
    changes: Type.Optional(Type.Boolean()),
  },
  output: Type.Object({ tries: Type.Integer() }),
  audit: 'specimen.rename',
  emits: { 'specimen.renamed': Type.Object({ slug: Type.String(), name: Type.String() }) },
  run: async ({ caller, clock, write }, { slug, name, changes = true }) => {
    let tries = 0
    return write({ serialize: true }, async ({ db, record, emit }) => {
      tries++
      if (changes) {
        await updateProject(db, caller.org, slug, name, clock.now().toISOString())
        record(slug, { name: { to: name } })
        emit('specimen.renamed', { slug, name })
      }
      await meanwhile.work(tries, db)
      return { tries }
    })
  },
})
/** What happens in the middle of a write, for tests of races. */
export const meanwhile: { work: (tries: number, db: Tx) => Promise<void> } = { work: async () => {} }

export const note = operation({
  route: 'POST /v1/specimen/note',
  summary: 'Records what a credential did that may stand for nobody',
  access: 'ingest',
  project: 'chosen',
  output: nothing,
  audit: 'specimen.note',
  run: ({ write }) => write(async ({ record }) => record('a note')),
})

export const within = operation({
  route: 'GET /v1/specimen/within/{slug}',
  summary: 'Acts in the project its path names',
  access: 'bearer',
  project: 'slug',
  input: { slug: slug('A project') },
  output: Type.Object({ project: nullable }),
  faults: ['not_found'],
  run: ({ caller: { project } }) => ({ project }),
})

export const chosen = operation({
  route: 'GET /v1/specimen/chosen',
  summary: 'Acts in the project its caller chose',
  access: 'bearer',
  project: 'chosen',
  output: Type.Object({ project: nullable }),
  run: ({ caller: { project } }) => ({ project }),
})

export const spend = operation({
  route: 'POST /v1/specimen/spend',
  summary: 'Costs what it is told, as a model call would',
  access: 'bearer',
  metered: true,
  input: { units: Type.Integer({ minimum: 0, maximum: 1_000_000_000, examples: [1] }) },
  output: nothing,
  audit: 'none',
  run: ({ caller, clock, write }, { units }) => write(({ db }) => settleSpend({ db, clock }, caller, units)),
})

export const mint = operation({
  route: 'POST /v1/specimen/mint',
  summary: 'Would reveal a credential',
  access: 'bearer',
  issuesCredential: true,
  output: nothing,
  audit: 'none',
  run: () => {},
})

export const door = operation({
  route: 'POST /v1/specimen/door',
  summary: 'Calls another operation for whoever called this one',
  access: 'public',
  callsOperations: true,
  input: { operation: Type.String({ examples: ['typed'] }), input: Type.Optional(Type.Unknown()) },
  output: Type.Object({ code: nullable, output: Type.Optional(Type.Unknown()) }),
  audit: 'none',
  run: async ({ calls, request }, { operation: id, input = {} }) => {
    const { authorization, cookie, 'x-csrf-token': csrfToken } = request.headers
    try {
      const presented = { authorization, cookie, csrfToken: csrfToken as string | undefined, isSafe: false }
      const access = calls.operations.get(id)?.access ?? 'bearer'
      const caller = await calls.identify(access, presented)
      return { code: null, output: await calls.call(id, caller, input as Record<string, unknown>, request) }
    } catch (error) {
      if (error instanceof Fault) return { code: error.code }
      throw error
    }
  },
})

// Background work.

export const specimenSchedule = schedule({
  name: 'specimen',
  everyMs: 60_000,
  deadlineMs: 30_000,
  run: async ({ state }) => {
    if (!state.opened) throw new Error('a schedule sees what its service opened')
  },
})
export const specimenConsumer = consumer({
  name: 'specimen',
  subjects: ['specimen.>'],
  batchMax: 500,
  run: async () => {},
})
