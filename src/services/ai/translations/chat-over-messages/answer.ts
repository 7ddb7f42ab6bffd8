// An Anthropic message as a chat completion.
import type { About, JsonObject } from '../translation.ts'
import { answered, countOrNone, isAbsent, isObject, malformedUpstream, shown } from '../wire-fields.ts'

const FINISH_REASONS: ReadonlyMap<string, string> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
])

/** The fields in which blocks and deltas have text or a call. */
const CARRYING = ['text', 'content', 'input', 'partial_json']

export function chatAnswer(body: JsonObject, about: About): JsonObject {
  const text: string[] = []
  const thinking: string[] = []
  const calls: JsonObject[] = []
  answered.list(body.content, 'content').forEach((item, i) => {
    const path = `content[${i}]`
    const block = answered.object(item, path)
    if (block.type === 'text') text.push(answered.text(block.text, `${path}.text`))
    else if (block.type === 'thinking') thinking.push(answered.text(block.thinking, `${path}.thinking`))
    else if (block.type === 'tool_use') calls.push(toolCall(block, path))
    else checkIgnored(block, path)
  })
  const joined = text.join('')
  const message: JsonObject = {
    role: 'assistant',
    content: joined === '' && calls.length > 0 ? null : joined,
    refusal: null,
  }
  if (thinking.length > 0) message.reasoning_content = thinking.join('')
  if (calls.length > 0) message.tool_calls = calls
  const answer: JsonObject = {
    id: typeof body.id === 'string' ? body.id : about.id,
    object: 'chat.completion',
    created: about.created,
    model: about.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(body.stop_reason, calls.length > 0) }],
  }
  if (isObject(body.usage)) answer.usage = chatUsage(body.usage)
  return answer
}

/** For a block or delta that has no place on the chat wire: encrypted thinking, a signature, or a type that Anthropic
 *  adds, which it may do without a new version. It is left out, because the rest of the answer is of use and has been
 *  paid for. But text or a call must not get lost unseen, so one that has any is an error. Blocks of server tools, which
 *  have such fields, cannot come, because no request asks for such a tool. */
export function checkIgnored(part: JsonObject, path: string): void {
  if (CARRYING.some(name => !isAbsent(part[name]) && part[name] !== '')) {
    throw malformedUpstream(`${path}.type`, `is not known: ${shown(part.type)}`)
  }
}

/** A reason that Anthropic adds later ends the answer as any other does, and so does none. */
export function finishReason(stopReason: unknown, called: boolean): string {
  const reason = answered.textOrNone(stopReason, 'stop_reason') || (called ? 'tool_use' : 'end_turn')
  return FINISH_REASONS.get(reason) ?? 'stop'
}

/** `input_tokens` of Anthropic does not include what was read from the cache or written to it. */
export function chatUsage(usage: JsonObject): JsonObject {
  const read = (name: string) => countOrNone(usage[name]) ?? 0
  const cached = read('cache_read_input_tokens')
  const written = read('cache_creation_input_tokens')
  const prompt = read('input_tokens') + cached + written
  const completion = read('output_tokens')
  const answer: JsonObject = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details:
      written > 0 ? { cached_tokens: cached, cache_write_tokens: written } : { cached_tokens: cached },
  }
  const details = usage.output_tokens_details
  const reasoning = isObject(details) ? countOrNone(details.thinking_tokens) : undefined
  if (reasoning !== undefined) answer.completion_tokens_details = { reasoning_tokens: reasoning }
  return answer
}

/** The input of a tool as JSON text. */
export function argumentsText(input: unknown, path: string): string {
  answered.checkNesting(input, path)
  return JSON.stringify(isAbsent(input) ? {} : answered.object(input, path))
}

function toolCall(block: JsonObject, path: string): JsonObject {
  return {
    id: answered.name(block.id, `${path}.id`),
    type: 'function',
    function: {
      name: answered.name(block.name, `${path}.name`),
      arguments: argumentsText(block.input, `${path}.input`),
    },
  }
}
