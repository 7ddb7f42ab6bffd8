// Responses as OpenAI sends them.
import { type Counts, type Json, pieces, type Said } from './model.ts'

const usageOf = ({ input, output, cached }: Counts) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: input + output,
})

const response = (status: string, output: Json[], usage: Json | null): Json => ({
  id: 'resp_68af4030592c81938ec0a5fbab4a3e9f',
  object: 'response',
  created_at: 1_790_000_000,
  status,
  background: false,
  error: null,
  incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
  instructions: null,
  max_output_tokens: null,
  model: 'large-2026-04-14',
  output,
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  service_tier: 'default',
  store: true,
  temperature: 1,
  text: { format: { type: 'text' }, verbosity: 'medium' },
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  truncation: 'disabled',
  usage,
  user: null,
  metadata: {},
})

const statusOf = ({ isCut }: Said) => (isCut ? 'incomplete' : 'completed')

/** Each item as it begins and as it ends. */
function itemsOf({ text, calls }: Said): { begin: Json; end: Json }[] {
  const message = { id: 'msg_68af4031', type: 'message', role: 'assistant' }
  const part = { type: 'output_text', annotations: [], logprobs: [], text }
  const called = calls.map(({ id, name, input }, n) => {
    const call = { id: `fc_68af4032${n}`, type: 'function_call', call_id: id, name }
    return {
      begin: { ...call, status: 'in_progress', arguments: '' },
      end: { ...call, status: 'completed', arguments: JSON.stringify(input) },
    }
  })
  const begin = { ...message, status: 'in_progress', content: [] }
  return text === '' ? called : [{ begin, end: { ...message, status: 'completed', content: [part] } }, ...called]
}

export const responseAnswer = (said: Said): Json =>
  response(
    statusOf(said),
    itemsOf(said).map(({ end }) => end),
    usageOf(said.counts),
  )

export function responseEvents(said: Said): string[] {
  let sequence = 0
  const event = (type: string, data: Json) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`
  const begun = response('in_progress', [], null)
  return [
    event('response.created', { response: begun }),
    event('response.in_progress', { response: begun }),
    ...itemsOf(said).flatMap(({ begin, end }, output_index) => [
      event('response.output_item.added', { output_index, item: begin }),
      ...(end.type === 'message' ? textEvents(end, output_index, event) : callEvents(end, output_index, event)),
      event('response.output_item.done', { output_index, item: end }),
    ]),
    event(`response.${statusOf(said)}`, { response: responseAnswer(said) }),
  ]
}

type Event = (type: string, data: Json) => string

function textEvents({ id, content }: Json, output_index: number, event: Event): string[] {
  const [part] = content as { text: string }[]
  const at = { item_id: id, output_index, content_index: 0 }
  const text = part?.text ?? ''
  return [
    event('response.content_part.added', { ...at, part: { ...part, text: '' } }),
    ...pieces(text).map(delta =>
      event('response.output_text.delta', { ...at, delta, logprobs: [], obfuscation: 'Qm1xUkR' }),
    ),
    event('response.output_text.done', { ...at, text, logprobs: [] }),
    event('response.content_part.done', { ...at, part }),
  ]
}

function callEvents(call: Json, output_index: number, event: Event): string[] {
  const at = { item_id: call.id, output_index }
  return [
    ...pieces(call.arguments as string).map(delta =>
      event('response.function_call_arguments.delta', { ...at, delta, obfuscation: 'Qm1xUkR' }),
    ),
    event('response.function_call_arguments.done', { ...at, arguments: call.arguments }),
  ]
}
