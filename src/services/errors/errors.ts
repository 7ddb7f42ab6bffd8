// Operations under /v1/errors: the errors that were captured.
import { Type } from 'typebox'
import type { ErrorRow } from '../../engines/engines.ts'
import { JsonText, writtenAs } from '../../kit/answer.ts'
import { notFound } from '../../kit/fault.ts'
import { anyValueFor, boolean, integer, string, timestamp } from '../../kit/fields.ts'
import { operation } from '../../kit/operation.ts'
import { PATHS } from './excerpt.ts'
import { recordText } from './record.ts'

const LIMIT_DEFAULT = 50
const LIMIT_MAX = 200

const text = (description: string, example: string) => Type.Optional(string(description, example))
const number = (description: string, example: number) =>
  Type.Optional(Type.Number({ description, examples: [example] }))

const Frame = Type.Object(
  {
    function: text('The function that was called', 'checkout'),
    file: text('The file of the call', 'https://shop.example.com/app.js'),
    line: number('The line in the file', 12),
    column: number('The column in the line', 34),
    inApp: Type.Optional(boolean('Whether it is in application code, not in a library', true)),
  },
  { title: 'Frame', description: 'A frame of the call stack' },
)

const Exception = Type.Object(
  {
    type: text('The class of the error', 'TypeError'),
    message: text('Its message', 'x is not a function'),
    stack: text('The stack trace as text', 'TypeError: x is not a function\n    at checkout (app.js:12:34)'),
    handled: Type.Optional(boolean('Whether the program caught it', false)),
    frames: Type.Array(Frame, { description: 'The stack frames, innermost first' }),
  },
  { title: 'Exception', description: 'An exception and its stack' },
)

const CapturedError = Type.Object(
  {
    id: string('The id of the event', 'evt_4vJ9mWcX2bQeT7yLrK0sZp1n'),
    event: string('The name of the event', '$exception'),
    timestamp: timestamp('When it happened, corrected for the clock of the client'),
    distinctId: text('The user it happened to', 'user-1'),
    sessionId: text('The session in which it happened', '0192c1f1'),
    product: text('The project it happened in', 'web-shop'),
    url: text('The address of the page', 'https://shop.example.com/cart?step=2'),
    path: text('The path of that address', '/cart'),
    library: text('The SDK that captured it', 'web'),
    libraryVersion: text('The version of the SDK', '1.2.3'),
    release: text('The version of the program', '2026.11.1'),
    environment: text('Where the program runs', 'production'),
    fingerprint: string('Identical for errors of the same kind', '9f86d081884c7d659a2feaa0c55ad015'),
    exception: Exception,
    propertiesOmitted: Type.Optional(
      integer('How many bytes of `properties` were left out, because the answer would be too long', 61_440, {
        minimum: 1,
      }),
    ),
    properties: Type.Record(Type.String(), Type.Unknown(), {
      description: 'All properties that were sent; empty if `propertiesOmitted` is present',
    }),
  },
  { title: 'CapturedError', description: 'An error that a client captured' },
)

const CapturedErrors = writtenAs(
  Type.Object({
    data: Type.Array(CapturedError, { description: 'The errors' }),
    next: string('Always empty', ''),
  }),
)

export const listErrors = operation({
  route: 'GET /v1/errors',
  summary: "Lists the organisation's errors, newest first",
  description: `There is only one page: \`next\` is always empty. A workspace token reads only errors that tokens of its workspace wrote. A \`limit\` that is not a positive number counts as ${LIMIT_DEFAULT}. If the properties of all errors exceed 2 MiB together, the largest are omitted, with their size in \`propertiesOmitted\`; request fewer errors to get them.`,
  access: 'reader',
  withoutCredential: 'forbidden',
  input: {
    // Any value is accepted, as the interface says.
    limit: Type.Optional(
      anyValueFor(integer(`How many to return; default ${LIMIT_DEFAULT}, at most ${LIMIT_MAX}`, 50)),
    ),
  },
  output: CapturedErrors,
  faults: ['warehouse_unreachable'],
  run: async ({ db, warehouse, caller: { org, workspace } }, { limit }) => {
    const of = { org, workspace, fingerprint: null }
    return textOf(await warehouse.newestErrors(db, of, limitFrom(limit), PATHS))
  },
})

export const listErrorsOfGroup = operation({
  route: 'GET /v1/errors/{fingerprint}',
  summary: 'Lists the errors with a fingerprint, newest first',
  description: 'As `GET /v1/errors`, of one of the groups that `GET /v1/event/errors` lists.',
  access: 'reader',
  input: {
    fingerprint: string('Its fingerprint', '9f86d081884c7d659a2feaa0c55ad015', { maxLength: 200 }),
    limit: Type.Optional(
      integer(`How many to return; default ${LIMIT_DEFAULT}`, 50, { minimum: 1, maximum: LIMIT_MAX }),
    ),
  },
  output: CapturedErrors,
  faults: ['not_found', 'warehouse_unreachable'],
  run: async ({ db, warehouse, caller: { org, workspace } }, { fingerprint, limit = LIMIT_DEFAULT }) => {
    const rows = await warehouse.newestErrors(db, { org, workspace, fingerprint }, limit, PATHS)
    if (rows.length === 0) throw notFound('error with this fingerprint')
    return textOf(rows)
  },
})

const textOf = (rows: readonly ErrorRow[]) => new JsonText(`{"data":[${rows.map(recordText).join(',')}],"next":""}`)

function limitFrom(sent: unknown): number {
  const limit = typeof sent === 'string' && sent.trim() !== '' ? Number(sent) : sent
  if (typeof limit !== 'number' || Number.isNaN(limit) || limit <= 0) return LIMIT_DEFAULT
  return Math.max(1, Math.min(Math.floor(limit), LIMIT_MAX))
}
