// POST /v1/chat/completions.
import { eitherBytes } from '../../kit/answer.ts'
import { callModel } from './call/call.ts'
import { operation } from './state.ts'
import { bodyFields, CALL_FAULTS, Foreign, ForeignPart, Model, modelCall } from './wire-operations.ts'

export const createChatCompletion = operation({
  ...modelCall,
  route: 'POST /v1/chat/completions',
  summary: 'Calls a chat model, in the chat-completions format',
  description:
    'The body and the answer have the chat-completions format, with streams, tools and images. They are passed on unchanged if the provider uses this format, and translated if not; fields that its format cannot express are rejected by name. Usage is settled when the call ends, even if the client disconnects earlier.',
  input: { model: Model },
  bodyExample: { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hello' }] },
  output: eitherBytes(Foreign('ChatCompletion', 'A chat completion'), ForeignPart('A part of a chat completion')),
  faults: CALL_FAULTS,
  run: (context, { body }) => callModel(context, 'chat', bodyFields(body, ['messages']), body.bytes),
})
