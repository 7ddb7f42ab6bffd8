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
    'The body and the answer are those of the chat-completions format, with streams, tools and images. They pass to the provider and back unchanged if it speaks this format, and are translated if it does not; what its format cannot express is refused by name. What was used is settled when the call ends, also if the client leaves before.',
  input: { model: Model },
  bodyExample: { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hello' }] },
  output: eitherBytes(Foreign('ChatCompletion', 'A chat completion'), ForeignPart('A part of a chat completion')),
  faults: CALL_FAULTS,
  run: (context, { body }) => callModel(context, 'chat', bodyFields(body, ['messages']), body.bytes),
})
