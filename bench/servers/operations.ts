// Operations under /v1/bench, which exist in benchmarks only.
import { Type } from 'typebox'
import { type Operation, operation } from '../../src/kit/operation.ts'
import { COLOURS, COUNT_MAX, ECHO_PATH, NAME_LENGTH_MAX, receiptFor } from './echo.ts'

const order = {
  name: Type.String({ maxLength: NAME_LENGTH_MAX }),
  count: Type.Integer({ minimum: 1, maximum: COUNT_MAX }),
  price: Type.Number({ minimum: 0 }),
  express: Type.Boolean(),
  colour: Type.Enum([...COLOURS]),
}

export const echo = operation({
  route: `POST ${ECHO_PATH}`,
  summary: 'Answers an order with its receipt',
  access: 'public',
  input: order,
  output: Type.Object({
    id: Type.String(),
    ...order,
    total: Type.Number(),
    currency: Type.String(),
    status: Type.String(),
    note: Type.String(),
  }),
  audit: 'none',
  run: (_context, input) => receiptFor(input),
})

/** The paths have the same length, so that the requests differ in the credential only. */
export const READ_PATHS = { public: '/v1/bench/public', bearer: '/v1/bench/bearer' } as const
export const READ_QUERY = '?limit=20'
export const READ_ANSWER = { limit: 20, name: 'Walnut desk', colour: 'green', count: 12, status: 'accepted' } as const

export const readPublic = readOperation('public')
export const readBearer = readOperation('bearer')

function readOperation(access: keyof typeof READ_PATHS): Operation {
  return operation({
    route: `GET ${READ_PATHS[access]}`,
    summary: 'Answers a small object',
    access,
    input: { limit: Type.Integer({ minimum: 1, maximum: 100 }) },
    output: Type.Object({
      limit: Type.Integer(),
      name: Type.String(),
      colour: Type.Enum([...COLOURS]),
      count: Type.Integer(),
      status: Type.String(),
    }),
    run: (_context, { limit }) => ({ ...READ_ANSWER, limit }),
  })
}

export const ECHO_BODY_PATH = '/v1/bench/echo-body'

/** Accepts the input of a look-up in the risk reference, and answers a prepared object, which is serialised for each
 *  request like every answer. */
export const echoOf = (answer: () => object): Operation =>
  operation({
    route: `POST ${ECHO_BODY_PATH}`,
    summary: 'Answers a prepared body',
    access: 'bearer',
    audit: 'none',
    input: {
      keys: Type.Array(Type.String({ minLength: 1, maxLength: 512 }), { minItems: 1, maxItems: 100 }),
      sets: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z]{1,40}$' }), { maxItems: 100 })),
    },
    output: Type.Object({}),
    run: async () => answer(),
  })
