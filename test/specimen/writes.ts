// Operations that write, are limited to projects, spend, issue credentials or call operations; and background work.
import { Type } from 'typebox'
import type { Tx } from '../../src/engines/engines.ts'
import { nothing } from '../../src/kit/answer.ts'
import { Fault } from '../../src/kit/fault.ts'
import { slug } from '../../src/kit/fields.ts'
import { insertProject, updateProject } from '../../src/services/projects/store.ts'
import { consumer, nullable, operation, schedule } from './state.ts'

export const failedWrite = operation({
  route: 'POST /v1/specimen/failed-write',
  summary: 'Writes, then fails',
  access: 'bearer',
  output: nothing,
  faults: ['internal'],
  audit: 'specimen.fail',
  emits: { 'specimen.failed': Type.Object({}) },
  run: ({ caller, clock, write }) =>
    write(async ({ db, record, emit }) => {
      await insertProject(db, caller.org, 'rolled-back', 'Rolled back', clock.now().toISOString())
      record('rolled-back')
      emit('specimen.failed', {})
      throw new Error('after the write')
    }),
})

export const rename = operation({
  route: 'POST /v1/specimen/rename',
  summary: 'Renames a project in a serialised write, with an audit entry and an event',
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
      await duringWrite.run(tries, db)
      return { tries }
    })
  },
})
/** Runs inside the write of `rename`, for tests of races. */
export const duringWrite: { run: (tries: number, db: Tx) => Promise<void> } = { run: async () => {} }

export const recordEntry = operation({
  route: 'POST /v1/specimen/record-entry',
  summary: 'Records an audit entry for a credential that may have no user',
  access: 'ingest',
  project: 'chosen',
  output: nothing,
  audit: 'specimen.record',
  run: ({ write }) => write(async ({ record }) => record('an entry')),
})

export const projectInPath = operation({
  route: 'GET /v1/specimen/project-in-path/{slug}',
  summary: 'Acts in the project that the path names',
  access: 'bearer',
  project: 'slug',
  input: { slug: slug('A project') },
  output: Type.Object({ project: nullable }),
  faults: ['not_found'],
  run: ({ caller: { project } }) => ({ project }),
})

export const chosenProject = operation({
  route: 'GET /v1/specimen/chosen-project',
  summary: 'Acts in the project that the caller chose',
  access: 'bearer',
  project: 'chosen',
  output: Type.Object({ project: nullable }),
  run: ({ caller: { project } }) => ({ project }),
})

export const spend = operation({
  route: 'POST /v1/specimen/spend',
  summary: 'Charges the given units, as a model call would',
  access: 'bearer',
  uses: ['meter'],
  project: 'chosen',
  input: {
    units: Type.Integer({ minimum: 0, maximum: 1_000_000_000, examples: [1] }),
    model: Type.Optional(Type.String({ maxLength: 100, examples: ['large'] })),
    waits: Type.Optional(
      Type.Boolean({ description: 'Whether the answer waits for the settlement', examples: [true] }),
    ),
  },
  output: nothing,
  audit: 'none',
  run: async ({ caller, meter }, { units, model = 'small', waits = true }) => {
    const about = { product: 'specimen', model, metadata: { units } }
    const hold = await meter.hold(caller, { ...about, most: units, amount: units })
    const settled = hold.settle({ amount: units, model, metadata: { units } })
    if (waits) await settled
  },
})

const UNITS = 3_000_000

export const holdMoney = operation({
  route: 'POST /v1/specimen/hold',
  summary: 'Holds 3 cents until the client leaves, for at most so long',
  access: 'bearer',
  uses: ['meter'],
  input: { ms: Type.Integer({ minimum: 0, maximum: 60_000, examples: [0] }) },
  output: nothing,
  audit: 'none',
  run: async ({ caller, meter, request, clock }, { ms }) => {
    const hold = await meter.hold(caller, { product: 'specimen', model: 'small', most: UNITS, amount: 0, metadata: {} })
    if (ms > 0) await clock.sleep(ms, request.signal)
    await hold.release()
  },
})

export const issueCredential = operation({
  route: 'POST /v1/specimen/issue-credential',
  summary: 'Is declared to issue a credential',
  access: 'bearer',
  issuesCredential: true,
  output: nothing,
  audit: 'none',
  run: () => {},
})

export const callOperation = operation({
  route: 'POST /v1/specimen/call-operation',
  summary: 'Calls another operation for its own caller',
  access: 'public',
  uses: ['calls'],
  input: { operation: Type.String({ examples: ['typedQuery'] }), input: Type.Optional(Type.Unknown()) },
  output: Type.Object({ code: nullable, output: Type.Optional(Type.Unknown()) }),
  audit: 'none',
  run: async ({ calls, request }, { operation: id, input = {} }) => {
    const { authorization, cookie, 'x-csrf-token': csrfToken } = request.headers
    try {
      const presented = {
        address: request.ip,
        authorization,
        cookie,
        csrfToken: csrfToken as string | undefined,
        isSafe: false,
      }
      const operation = calls.operations.get(id) ?? { access: 'bearer', withoutCredential: null }
      const caller = await calls.identify(operation, presented)
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
    if (!state.opened) throw new Error('a schedule must get the state of its service')
  },
})
export const specimenConsumer = consumer({
  id: 'specimen.nothing',
  subjects: ['specimen.>'],
  batchMax: 500,
  run: async () => undefined,
})
