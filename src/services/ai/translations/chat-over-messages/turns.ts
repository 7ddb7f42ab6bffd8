// The messages of a chat request as Anthropic's system prompt and turns.
import { documentBlock, imageBlock } from '../media.ts'
import type { JsonObject } from '../translation.ts'
import { asked, INEXPRESSIBLE, isAbsent, refuseOthers, untranslatable } from '../wire-fields.ts'

type Turn = { role: 'user' | 'assistant'; content: JsonObject[] }

const SYSTEM_MESSAGE = new Set(['role', 'content'])
const USER_MESSAGE = new Set(['role', 'content'])
/** The id names the tool already. */
const TOOL_MESSAGE = new Set(['role', 'content', 'tool_call_id', 'name'])
/** `reasoning_content` is left out because Anthropic accepts only thinking that it has signed. `annotations` are
 *  sources of the text for the client, which the model does not read. */
const ASSISTANT_MESSAGE = new Set(['role', 'content', 'refusal', 'tool_calls', 'reasoning_content', 'annotations'])

/** Anthropic takes one system prompt, before all turns, so that all system and developer messages move there. Its own
 *  chat endpoint does the same. */
export function conversation(value: unknown): { system: string | JsonObject[] | undefined; messages: JsonObject[] } {
  const system: JsonObject[] = []
  const turns: Turn[] = []
  asked.list(value, 'messages').forEach((item, i) => {
    const path = `messages[${i}]`
    const message = asked.object(item, path)
    if (message.role === 'system' || message.role === 'developer') {
      for (const block of systemBlocks(message, path)) system.push(block)
    } else addTurn(turns, turnOf(message, path))
  })
  if (turns.length === 0) throw untranslatable('messages', 'must have a message that is not a system message')
  const only = system.length === 1 ? system[0] : undefined
  return { system: only ? (only.text as string) : system.length > 0 ? system : undefined, messages: turns.map(plain) }
}

function turnOf(message: JsonObject, path: string): Turn {
  switch (message.role) {
    case 'user': {
      refuseOthers(message, path, USER_MESSAGE)
      const content = blocks(message.content, `${path}.content`, userBlock)
      if (content.length === 0) throw untranslatable(`${path}.content`, 'must not be empty')
      return { role: 'user', content }
    }
    case 'assistant':
      return { role: 'assistant', content: assistantBlocks(message, path) }
    case 'tool':
      return { role: 'user', content: [toolResult(message, path)] }
    default:
      throw untranslatable(`${path}.role`, INEXPRESSIBLE)
  }
}

/** Anthropic's turns alternate. An assistant message without content says nothing, and Anthropic would refuse it. */
function addTurn(turns: Turn[], turn: Turn): void {
  if (turn.content.length === 0) return
  const last = turns.at(-1)
  if (last?.role === turn.role) for (const block of turn.content) last.content.push(block)
  else turns.push(turn)
}

/** A turn of one text is sent as a string, the shorter of the two forms. */
function plain({ role, content }: Turn): JsonObject {
  const only = content.length === 1 ? content[0] : undefined
  return { role, content: only?.type === 'text' ? only.text : content }
}

function systemBlocks(message: JsonObject, path: string): JsonObject[] {
  refuseOthers(message, path, SYSTEM_MESSAGE)
  return blocks(message.content, `${path}.content`, textPart)
}

function assistantBlocks(message: JsonObject, path: string): JsonObject[] {
  // Clients send back the answers they got, in which lists may be empty.
  refuseOthers(message, path, ASSISTANT_MESSAGE)
  const content = isAbsent(message.content) ? [] : blocks(message.content, `${path}.content`, assistantPart)
  const refusal = asked.textOrNone(message.refusal, `${path}.refusal`)
  if (refusal) content.push(textBlock(refusal))
  if (isAbsent(message.tool_calls)) return content
  const calls = asked.list(message.tool_calls, `${path}.tool_calls`)
  for (const [i, call] of calls.entries()) content.push(toolUse(call, `${path}.tool_calls[${i}]`))
  return content
}

function toolUse(value: unknown, path: string): JsonObject {
  const call = asked.object(value, path)
  if (!isAbsent(call.type) && call.type !== 'function') throw untranslatable(`${path}.type`, INEXPRESSIBLE)
  const called = asked.object(call.function, `${path}.function`)
  return {
    type: 'tool_use',
    id: asked.name(call.id, `${path}.id`),
    name: asked.name(called.name, `${path}.function.name`),
    input: asked.argumentsIn(called.arguments, `${path}.function.arguments`),
  }
}

function toolResult(message: JsonObject, path: string): JsonObject {
  refuseOthers(message, path, TOOL_MESSAGE)
  const result = {
    type: 'tool_result',
    tool_use_id: asked.name(message.tool_call_id, `${path}.tool_call_id`),
  }
  if (typeof message.content === 'string') return { ...result, content: message.content }
  return { ...result, content: blocks(message.content, `${path}.content`, userBlock) }
}

/** Anthropic refuses empty texts, and they say nothing. */
function blocks(content: unknown, path: string, blockOf: (part: JsonObject, path: string) => JsonObject): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [textBlock(content)]
  if (!Array.isArray(content)) throw untranslatable(path, 'must be a string or an array of parts')
  return content
    .map((part, i) => blockOf(asked.object(part, `${path}[${i}]`), `${path}[${i}]`))
    .filter(block => block.type !== 'text' || block.text !== '')
}

function userBlock(part: JsonObject, path: string): JsonObject {
  if (part.type === 'image_url') return imageBlock(part, path)
  return part.type === 'file' ? documentBlock(part, path) : textPart(part, path)
}

function assistantPart(part: JsonObject, path: string): JsonObject {
  if (part.type !== 'refusal') return textPart(part, path)
  return textBlock(asked.text(part.refusal, `${path}.refusal`))
}

function textPart(part: JsonObject, path: string): JsonObject {
  if (part.type !== 'text') throw untranslatable(`${path}.type`, INEXPRESSIBLE)
  // A cache breakpoint changes the price and not the answer.
  refuseOthers(part, path, new Set(['type', 'text', 'prompt_cache_breakpoint']))
  return textBlock(asked.text(part.text, `${path}.text`))
}

function textBlock(text: string): JsonObject {
  return { type: 'text', text }
}
