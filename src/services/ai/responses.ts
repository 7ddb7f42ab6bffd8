// POST /v1/responses.
import { eitherBytes } from '../../kit/answer.ts'
import { invalidInput } from '../../kit/check.ts'
import { callModel } from './call/call.ts'
import { operation } from './state.ts'
import { CALL_FAULTS, Foreign, ForeignPart, fieldsOf, Model, modelCall } from './wire-operations.ts'

export const createResponse = operation({
  ...modelCall,
  route: 'POST /v1/responses',
  summary: 'Calls a chat model, in the responses format',
  description:
    'The same as `POST /v1/chat/completions` in the format of the responses interface. Nothing is stored: `previous_response_id` works only with a provider that keeps responses itself.',
  input: { model: Model },
  bodyExample: { model: 'gpt-5-mini', input: 'Hello' },
  output: eitherBytes(Foreign('Response', 'A response'), ForeignPart('An event of a response')),
  faults: CALL_FAULTS,
  // Within a stream, clients of this format read an error by these fields.
  faultBody: (fault, { id }) => ({ type: 'error', sequence_number: 0, ...fault.body(id) }),
  run: (context, { body }) => {
    const fields = fieldsOf(body, ['input'])
    if (fields.background === true) {
      throw invalidInput([{ path: 'background', says: 'must not be true: nothing is stored here' }])
    }
    return callModel(context, 'responses', fields, body.bytes)
  },
})
