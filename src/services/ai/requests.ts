// Operations under /v1/ai/requests: the log of model calls, without their bodies.
import { type Static, Type } from 'typebox'
import { Fault } from '../../kit/fault.ts'
import { boolean, integer, string, timestamp, withoutNulls } from '../../kit/fields.ts'
import { centsOf } from '../../kit/meter.ts'
import { listing, pageByTime, paging, shownAs } from '../../kit/page.ts'
import { operation } from './state.ts'
import * as store from './store.ts'

const ModelRequest = Type.Object(
  {
    id: string('The id of the request', 'req_4vJ9mWcX2bQeT7yLrK0sZp1n'),
    created: timestamp('When it began'),
    model: string('The model, as the client named it', 'gpt-5-mini'),
    answeredModel: Type.Optional(
      string('The model that answered, if it is another: behind an alias, or a fallback', 'claude-sonnet-5'),
    ),
    provider: Type.Optional(string('Who answered', 'openai')),
    wire: string('The format of the client', 'chat'),
    streamed: boolean('Whether the answer was streamed', true),
    key: Type.Optional(string('The key that called', 'key_4vJ9mWcX2bQeT7yLrK0sZp1n')),
    project: Type.Optional(string('The project', 'web-shop')),
    error: Type.Optional(
      string('Why it failed: the code of the fault, or `interrupted` if the client disconnected', 'upstream_busy'),
    ),
    attempts: integer('How many times a provider was called', 1),
    firstTokenMs: Type.Optional(integer('Milliseconds until the first part of the answer', 320)),
    totalMs: integer('Milliseconds until the end of the answer', 1450),
    inputTokens: integer('Tokens of the input', 1200),
    outputTokens: integer('Tokens of the output', 80),
    tokensPerSecond: Type.Optional(
      Type.Number({ description: 'Tokens of the output per second after the first part', examples: [71.4] }),
    ),
    estimated: boolean('Whether the tokens were counted here', false),
    cost: Type.Optional(Type.Number({ description: 'The cost in cents', examples: [0.0425] })),
    transactionId: Type.Optional(string('The transfer in the journal', 'txn_4vJ9mWcX2bQeT7yLrK0sZp1n')),
  },
  { title: 'ModelRequest', description: 'A model call in the log' },
)

function shown(row: store.RequestRow): Static<typeof ModelRequest> {
  const { id, created, model, wire, streamed, attempts, totalMs, inputTokens, outputTokens, estimated } = row
  const { answeredModel, provider, key, project, error, firstMs, amount, transaction } = row
  const seconds = firstMs === null ? 0 : (totalMs - firstMs) / 1000
  return withoutNulls({
    ...{ id, created, model, wire, streamed, attempts, totalMs, inputTokens, outputTokens, estimated },
    ...{ answeredModel, provider, key, project, error, firstTokenMs: firstMs },
    tokensPerSecond: seconds > 0 ? Math.round((outputTokens / seconds) * 10) / 10 : null,
    cost: amount === null ? null : centsOf(amount),
    transactionId: transaction,
  })
}

export const listModelRequests = operation({
  route: 'GET /v1/ai/requests',
  summary: "Lists the organisation's model calls, newest first",
  description: 'Calls are kept for 30 days, without prompts and answers.',
  access: 'bearer',
  showsUsage: true,
  input: paging,
  output: listing(ModelRequest),
  run: ({ db, caller: { org } }, query) =>
    shownAs(
      pageByTime(query, (last, rows) => store.selectRequests(db, org, last, rows)),
      shown,
    ),
})

export const getModelRequest = operation({
  route: 'GET /v1/ai/requests/{id}',
  summary: 'Returns one model call from the log',
  description: 'The id is in the header `X-Request-Id` of the answer.',
  access: 'bearer',
  showsUsage: true,
  input: {
    id: string('The id of the request', 'req_1', { pattern: '^[A-Za-z0-9_-]{1,64}$' }),
  },
  output: ModelRequest,
  faults: ['not_found'],
  run: async ({ db, caller: { org } }, { id }) => {
    const row = await store.selectRequest(db, org, id)
    if (!row) throw new Fault('not_found', { message: 'There is no such model call in the log.' })
    return shown(row)
  },
})
