// POST /v1/responses.
import { eitherBytes } from '../../kit/answer.ts'
import { callModel } from './call/call.ts'
import { hasBegun } from './call/opening.ts'
import { operation } from './state.ts'
import { bodyFields, CALL_FAULTS, Foreign, ForeignPart, Model, modelCall } from './wire-operations.ts'

export const createResponse = operation({
  ...modelCall,
  route: 'POST /v1/responses',
  summary: 'Calls a chat model, in the responses format',
  description:
    'Like `POST /v1/chat/completions`, in the responses format. Nothing is stored here: `previous_response_id` and items without content, such as `item_reference`, work only with a provider that stores responses, and only for responses that the organisation received here in the last 30 days.',
  input: { model: Model },
  bodyExample: { model: 'gpt-5-mini', input: 'Hello' },
  output: eitherBytes(Foreign('Response', 'A response'), ForeignPart('An event of a response')),
  faults: CALL_FAULTS,
  // Within a stream, clients of this format read an error by these fields.
  faultBody: (fault, request) =>
    hasBegun(request) ? { type: 'error', sequence_number: 0, ...fault.body(request.id) } : null,
  run: (context, { body }) => callModel(context, 'responses', bodyFields(body, ['input'], true), body.bytes),
})
