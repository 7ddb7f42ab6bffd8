// POST /v1/messages.
import { eitherBytes } from '../../kit/answer.ts'
import { type Fault, typeOf } from '../../kit/fault.ts'
import { callModel } from './call/call.ts'
import { operation } from './state.ts'
import { bodyFields, CALL_FAULTS, Foreign, ForeignPart, Model, modelCall } from './wire-operations.ts'

export const createMessage = operation({
  ...modelCall,
  route: 'POST /v1/messages',
  summary: 'Calls a chat model, in the messages format',
  description:
    'Like `POST /v1/chat/completions`, in the messages format. Send the key as a bearer token, or in the header `x-api-key`.',
  keyHeader: 'x-api-key',
  input: { model: Model },
  bodyExample: { model: 'claude-sonnet-5', max_tokens: 1024, messages: [{ role: 'user', content: 'Hello' }] },
  output: eitherBytes(Foreign('Message', 'A message'), ForeignPart('An event of a message')),
  faults: CALL_FAULTS,
  faultBody: fault => ({
    type: 'error',
    error: { type: messagesType(fault), message: fault.message, code: fault.code, ...detailsOf(fault) },
  }),
  run: (context, { body }) => callModel(context, 'messages', bodyFields(body, ['messages', 'max_tokens']), body.bytes),
})

/** The message from which the official client's tool runner learns to work without threads. */
const detailsOf = ({ fields }: Fault) =>
  fields[0]?.path === 'thread' ? { details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] } } : {}

/** As clients of this format know them. */
function messagesType({ status, code }: Fault): string {
  if (status === 402) return 'billing_error'
  if (status === 413) return 'request_too_large'
  return status === 503 ? 'overloaded_error' : typeOf(code)
}
