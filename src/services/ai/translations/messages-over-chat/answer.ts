// A chat completion as an Anthropic message.
import { type Piece, piecesOf } from '../chat-answer.ts'
import type { About, JsonObject } from '../translation.ts'
import { answered, countOrNone, isAbsent, isObject, malformedUpstream } from '../wire-fields.ts'

const STOP_REASONS: ReadonlyMap<string, string> = new Map([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['content_filter', 'refusal'],
])

export function messagesAnswer(body: JsonObject, about: About): JsonObject {
  const choice = answered.object(answered.list(body.choices, 'choices')[0], 'choices[0]')
  const path = 'choices[0].message'
  const message = answered.object(choice.message, path)
  refuseParts(message, path)
  const pieces = piecesOf(message, null)
  const [thinking, text, refusal] = [joined(pieces, 'reasoning'), joined(pieces, 'text'), joined(pieces, 'refusal')]
  const content: JsonObject[] = []
  if (thinking) content.push({ type: 'thinking', thinking, signature: '' })
  if (text) content.push({ type: 'text', text })
  if (refusal) content.push({ type: 'text', text: refusal })
  const calls = isAbsent(message.tool_calls) ? [] : answered.list(message.tool_calls, `${path}.tool_calls`)
  const isCut = choice.finish_reason === 'length'
  for (const [i, call] of calls.entries()) content.push(toolUse(call, i, `${path}.tool_calls[${i}]`, { about, isCut }))
  return {
    id: typeof body.id === 'string' && body.id !== '' ? body.id : about.id,
    type: 'message',
    role: 'assistant',
    model: about.model,
    content,
    stop_reason: stopReason(choice.finish_reason, { called: calls.length > 0, refused: Boolean(refusal) }),
    stop_sequence: null,
    usage: messagesUsage(body.usage),
  }
}

/** The messages wire has no audio; a function call of the old form has no id to answer to. */
export function refuseParts(message: JsonObject, path: string): void {
  for (const name of ['audio', 'function_call']) {
    if (!isAbsent(message[name])) throw malformedUpstream(`${path}.${name}`, 'cannot be expressed for this client')
  }
}

function joined(pieces: Piece[], kind: Piece['kind']): string {
  return pieces
    .filter(piece => piece.kind === kind)
    .map(({ text }) => text)
    .join('')
}

/** OpenAI says `stop` when a named tool was called, and for a refusal in words; some servers do so for every call.
 *  Others give a whole answer no reason. */
export function stopReason(reason: unknown, { called, refused }: { called: boolean; refused: boolean }): string {
  const name = STOP_REASONS.get(answered.textOrNone(reason, 'finish_reason') || 'stop') ?? 'end_turn'
  if (name !== 'end_turn') return name
  return called ? 'tool_use' : refused ? 'refusal' : name
}

/** Some servers give calls no id; the answer's own id makes one that is not used again. */
export function callId(id: unknown, position: number, path: string, about: About): string {
  return answered.textOrNone(id, path) || `toolu_${about.id}_${position}`
}

/** Zeros stand for counts that the upstream does not report: the messages wire requires them. */
export function messagesUsage(value: unknown): JsonObject {
  const usage = fieldsOf(value)
  const prompt = fieldsOf(usage.prompt_tokens_details)
  const cached = countOrNone(prompt.cached_tokens) ?? 0
  const written = countOrNone(prompt.cache_write_tokens) ?? 0
  const reasoning = countOrNone(fieldsOf(usage.completion_tokens_details).reasoning_tokens)
  const sent: JsonObject = {
    input_tokens: Math.max(0, (countOrNone(usage.prompt_tokens) ?? 0) - cached - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    output_tokens: countOrNone(usage.completion_tokens) ?? 0,
  }
  if (reasoning !== undefined) sent.output_tokens_details = { thinking_tokens: reasoning }
  return sent
}

const fieldsOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** `isCut` is whether the model reached its limit, perhaps within the arguments. */
function toolUse(
  value: unknown,
  position: number,
  path: string,
  { about, isCut }: { about: About; isCut: boolean },
): JsonObject {
  const call = answered.object(value, path)
  const called = answered.object(call.function, `${path}.function`)
  const given = `${path}.function.arguments`
  return {
    type: 'tool_use',
    id: callId(call.id, position, `${path}.id`, about),
    name: answered.name(called.name, `${path}.function.name`),
    input: answered.argumentsIn(answered.argumentsText(called.arguments, given), given, isCut),
  }
}
