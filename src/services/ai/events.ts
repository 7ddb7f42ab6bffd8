// The events about model calls.
import { Type } from 'typebox'
import { event } from '../../kit/events.ts'
import { integer, string } from '../../kit/fields.ts'

export const callSettled = event('ai.call.settled', 'A model call has ended and its usage is settled', {
  requestId: string('The id of the call in the log', 'req_4vJ9mWcX2bQeT7yLrK0sZp1n'),
  model: string('The model that answered', 'gpt-5-mini'),
  namedModel: Type.Optional(
    string('The model that the client named, if it is another: an alias, or a model that failed', 'fast'),
  ),
  provider: string('Who answered', 'openai'),
  wire: string('The format of the client', 'chat'),
  inputTokens: integer('Tokens of the input', 1200),
  outputTokens: integer('Tokens of the output', 80),
  cachedInputTokens: Type.Optional(integer("Tokens of the input from the provider's cache", 1000)),
  cacheWriteTokens: Type.Optional(integer("Tokens of the input that were written to the provider's cache", 100)),
  cacheWriteHourTokens: Type.Optional(integer('Of these, tokens that are kept there for an hour', 100)),
  reasoningTokens: Type.Optional(integer('Tokens of the output that are reasoning', 40)),
  images: Type.Optional(integer('Images that were generated', 1)),
  estimated: Type.Optional(
    Type.Boolean({ description: 'Whether the tokens were counted here, because the provider reported none' }),
  ),
  cost: Type.Optional(
    Type.Number({ description: 'The cost in cents; absent if the model has no price', examples: [0.0425] }),
  ),
  firstTokenMs: Type.Optional(integer('Milliseconds until the first part of the answer', 320)),
  totalMs: integer('Milliseconds until the end of the answer', 1450),
  key: Type.Optional(string('The key that called', 'key_4vJ9mWcX2bQeT7yLrK0sZp1n')),
})
