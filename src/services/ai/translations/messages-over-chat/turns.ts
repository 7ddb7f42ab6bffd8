// Anthropic's system prompt and turns as the messages of a chat request.
import { documentPart, imagePart } from '../media.ts'
import type { JsonObject } from '../translation.ts'
import { asked, INEXPRESSIBLE, isAbsent, refuseOthers, shown, untranslatable } from '../wire-fields.ts'

const MESSAGE = new Set(['role', 'content'])
/** Cache control changes the price and not the answer. Citations show the client where an earlier text came from. */
const TEXT_BLOCK = new Set(['type', 'text', 'cache_control', 'citations'])
const TOOL_USE = new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller'])
const TOOL_RESULT = new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control'])

export function turnsAsChat(system: unknown, messages: unknown): JsonObject[] {
  const sent: JsonObject[] = []
  if (!isAbsent(system)) addSystem(sent, system, 'system')
  asked.list(messages, 'messages').forEach((item, i) => {
    const path = `messages[${i}]`
    const message = asked.object(item, path)
    refuseOthers(message, path, MESSAGE)
    if (message.role === 'user') addUser(sent, message.content, `${path}.content`)
    else if (message.role === 'assistant') sent.push(assistant(message.content, `${path}.content`))
    else if (message.role === 'system') addSystem(sent, message.content, `${path}.content`)
    else throw untranslatable(`${path}.role`, INEXPRESSIBLE)
  })
  return sent
}

function addSystem(sent: JsonObject[], content: unknown, path: string): void {
  const text = joined(blocksOf(content, path).map((block, i) => textPart(block, `${path}[${i}]`)))
  if (text !== '') sent.push({ role: 'system', content: text })
}

/** Results of tools come first on both wires: directly after the calls. */
function addUser(sent: JsonObject[], content: unknown, path: string): void {
  const parts: JsonObject[] = []
  blocksOf(content, path).forEach((block, i) => {
    const at = `${path}[${i}]`
    if (block.type !== 'tool_result') parts.push(userPart(block, at))
    else {
      const { message, media } = toolMessage(block, at)
      sent.push(message)
      for (const part of media) parts.push(part)
    }
  })
  if (parts.length > 0) sent.push({ role: 'user', content: contentOf(parts) })
}

/** Texts alone are sent as one string: several compatible servers accept no lists. Anthropic's own chat endpoint also
 *  joins texts with a line break. */
function contentOf(parts: JsonObject[]): string | JsonObject[] {
  return parts.every(part => part.type === 'text') ? joined(parts) : parts
}

function joined(parts: JsonObject[]): string {
  return parts.map(part => part.text).join('\n')
}

/** The chat wire has no flag for failed calls, and no images or files in tool messages: the flag becomes a word, and the
 *  media follow in the user message after the results, each with the id of its call. */
function toolMessage(block: JsonObject, path: string): { message: JsonObject; media: JsonObject[] } {
  refuseOthers(block, path, TOOL_RESULT)
  const id = asked.name(block.tool_use_id, `${path}.tool_use_id`)
  const failed = !isAbsent(block.is_error) && asked.flag(block.is_error, `${path}.is_error`)
  const parts = isAbsent(block.content)
    ? []
    : blocksOf(block.content, `${path}.content`).map((item, i) => userPart(item, `${path}.content[${i}]`))
  const media = parts.filter(part => part.type !== 'text')
  const texts = parts.filter(part => part.type === 'text')
  if (media.length > 0) {
    texts.push({ type: 'text', text: 'Attachments of this result follow in the next user message.' })
    media.unshift({ type: 'text', text: `Attachments of the result of tool call ${id}:` })
  }
  const text = joined(texts)
  return { message: { role: 'tool', tool_call_id: id, content: failed ? `Error: ${text}` : text }, media }
}

function assistant(content: unknown, path: string): JsonObject {
  const texts: string[] = []
  const calls: JsonObject[] = []
  blocksOf(content, path).forEach((block, i) => {
    const at = `${path}[${i}]`
    if (block.type === 'tool_use') calls.push(toolCall(block, at))
    // The chat wire takes no thinking back.
    else if (block.type !== 'thinking' && block.type !== 'redacted_thinking') {
      texts.push(textPart(block, at).text as string)
    }
  })
  const text = texts.join('')
  if (calls.length === 0) return { role: 'assistant', content: text }
  return { role: 'assistant', content: text === '' ? null : text, tool_calls: calls }
}

function toolCall(block: JsonObject, path: string): JsonObject {
  refuseOthers(block, path, TOOL_USE)
  if (!isAbsent(block.caller)) {
    const caller = asked.object(block.caller, `${path}.caller`)
    if (caller.type !== 'direct') throw untranslatable(`${path}.caller`, INEXPRESSIBLE)
  }
  return {
    id: asked.name(block.id, `${path}.id`),
    type: 'function',
    function: {
      name: asked.name(block.name, `${path}.name`),
      arguments: JSON.stringify(asked.object(block.input, `${path}.input`)),
    },
  }
}

function blocksOf(content: unknown, path: string): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw untranslatable(path, 'must be a string or an array of blocks')
  return content.map((block, i) => asked.object(block, `${path}[${i}]`))
}

function userPart(block: JsonObject, path: string): JsonObject {
  if (block.type === 'image') return imagePart(block, path)
  return block.type === 'document' ? documentPart(block, path) : textPart(block, path)
}

function textPart(block: JsonObject, path: string): JsonObject {
  if (block.type !== 'text') throw untranslatable(`${path}.type`, `${INEXPRESSIBLE}: ${shown(block.type)}`)
  refuseOthers(block, path, TEXT_BLOCK)
  return { type: 'text', text: asked.text(block.text, `${path}.text`) }
}
