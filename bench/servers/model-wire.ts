// What the model server of the benchmarks answers: a chat completion and a stream in the format of OpenAI.

export const CHAT_PATH = '/v1/chat/completions'
/** How many chunks of a stream have text. */
export const CHUNKS = 200

const MODEL = 'gpt-5-mini'
const COMMON = { created: 1_790_000_000, model: 'gpt-5-mini-2025-08-07', service_tier: 'default' }
const ID = 'chatcmpl-CqT6h2mWcX8vN0kLrPzYb4sJdEfAu'
const SENTENCE = 'The harbour was quiet that morning, and the boats lay still beside the long stone wall. '
const DETAILS = { cached_tokens: 0, audio_tokens: 0 }
const USAGE = {
  prompt_tokens: 112,
  completion_tokens: 202,
  total_tokens: 314,
  prompt_tokens_details: DETAILS,
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
}

/** About 1 KB. */
export const COMPLETION = JSON.stringify({
  id: ID,
  object: 'chat.completion',
  ...COMMON,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: SENTENCE.repeat(4), refusal: null, annotations: [] },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: USAGE,
  system_fingerprint: null,
})

/** A client that asks for usage gets the field in every chunk, and a chunk with the numbers at the end. */
export function chunksOf(asksForUsage: boolean): string[] {
  const chunk = (choices: object[], usage: object | null, obfuscation: string) => {
    const head = { id: ID, object: 'chat.completion.chunk', ...COMMON, system_fingerprint: null, choices }
    return `data: ${JSON.stringify({ ...head, ...(asksForUsage && { usage }), obfuscation })}\n\n`
  }
  const choice = (delta: object, finish_reason: string | null) => [{ index: 0, delta, finish_reason }]
  const words = SENTENCE.match(/\S+ /g) as string[]
  return [
    chunk(choice({ role: 'assistant', content: '', refusal: null }, null), null, 'q7'),
    ...Array.from({ length: CHUNKS }, (_, at) =>
      chunk(choice({ content: words[at % words.length] as string }, null), null, 'Zk3pQ'.slice(at % 5)),
    ),
    chunk(choice({}, 'stop'), null, 'a'),
    ...(asksForUsage ? [chunk([], USAGE, 'Wd9')] : []),
    'data: [DONE]\n\n',
  ]
}

const MESSAGES = [
  { role: 'system', content: 'You write short scenes for a travel magazine. Answer in plain prose, without headings.' },
  { role: 'user', content: 'Describe a small harbour at dawn, in about two hundred words. Mention the boats.' },
]

/** `chunkMs` is the time between two chunks of a stream; 0 for no stream. */
export type Asked = { chunkMs: number; asksForUsage?: boolean }

export const requestBody = ({ chunkMs, asksForUsage = false }: Asked): string =>
  JSON.stringify({
    model: MODEL,
    messages: MESSAGES,
    max_completion_tokens: 400,
    temperature: 0.7,
    ...(chunkMs > 0 && { stream: true, user: `chunk-ms-${chunkMs}` }),
    ...(asksForUsage && { stream_options: { include_usage: true } }),
  })

/** What such a body asks for. */
export const chunkMsIn = (body: string): number => Number(body.match(/"chunk-ms-(\d+)"/)?.[1])
