// The input items of a Responses request as chat messages. A turn of the assistant is several items there and one message
// here: its text and all its tool calls.

import { type JsonObject, Untranslatable } from '../translation.ts'
import { asked, isAbsent, isObject } from '../wire-fields.ts'
import { type ChatContent, chatContent, contentParts } from './content.ts'
import { below, NOT_EXPRESSIBLE, NOT_STORED, refuseUnknown, refuseUnlessOff } from './fields.ts'

type Message = { role: string; content: ChatContent | null; tool_calls?: JsonObject[]; tool_call_id?: string }

export function inputAsChat(instructions: unknown, input: unknown): Message[] {
  const messages: Message[] = []
  if (!isAbsent(instructions)) messages.push({ role: 'system', content: asked.text(instructions, 'instructions') })
  if (typeof input === 'string') messages.push({ role: 'user', content: input })
  else if (Array.isArray(input)) for (const [at, item] of input.entries()) addItem(messages, item, `input.${at}`)
  else throw new Untranslatable('input', isAbsent(input) ? 'is required' : 'must be a string or an array')
  return messages
}

function addItem(messages: Message[], value: unknown, path: string): void {
  const item = asked.object(value, path)
  const type = isAbsent(item.type) && item.role !== undefined ? 'message' : item.type
  switch (type) {
    case 'message':
      addMessage(messages, item, path)
      break
    case 'function_call':
      addCall(messages, item, path)
      break
    case 'function_call_output':
      addOutput(messages, item, path)
      break
    // Its content is encrypted for, or a note of, the model that wrote it: another model cannot use it.
    case 'reasoning':
      return
    case 'item_reference':
      throw new Untranslatable(path, NOT_STORED)
    default:
      throw new Untranslatable(below(path, 'type'), typeof type === 'string' ? NOT_EXPRESSIBLE : 'must be a string')
  }
}

/** `id` and `status` are the client's record of an earlier answer; the model does not read them. */
function addMessage(messages: Message[], item: JsonObject, path: string): void {
  refuseUnknown(item, path, new Set(['type', 'id', 'status', 'role', 'content', 'phase']))
  refuseUnlessOff(item, path, ['phase'])
  const [at, content] = [below(path, 'content'), item.content]
  switch (item.role) {
    case 'user':
      messages.push({ role: 'user', content: chatContent(content, 'user', at) })
      return
    // Providers other than OpenAI know `system` only, and OpenAI treats it as `developer` where there is a difference.
    case 'system':
    case 'developer':
      messages.push({ role: 'system', content: chatContent(content, 'system', at) })
      return
    case 'assistant':
      addAssistantText(messages, chatContent(content, 'assistant', at))
      return
    default:
      throw new Untranslatable(below(path, 'role'), 'must be one of user, assistant, system, developer')
  }
}

/** Tool messages must follow the message with their calls, so text between the two joins that message. */
function addAssistantText(messages: Message[], content: ChatContent): void {
  const last = messages.at(-1)
  if (!last?.tool_calls) messages.push({ role: 'assistant', content })
  else if (last.content === null) last.content = content
  else {
    const parts = contentParts(last.content)
    for (const part of contentParts(content)) parts.push(part)
    last.content = parts
  }
}

function addCall(messages: Message[], item: JsonObject, path: string): void {
  refuseUnknown(
    item,
    path,
    new Set(['type', 'id', 'call_id', 'name', 'arguments', 'status', 'caller', 'namespace', 'async']),
  )
  refuseUnlessOff(item, path, ['namespace', 'async'])
  refuseIndirect(item, path)
  const call = {
    id: asked.text(item.call_id, below(path, 'call_id')),
    type: 'function',
    function: {
      name: asked.text(item.name, below(path, 'name')),
      arguments: asked.text(item.arguments, below(path, 'arguments')),
    },
  }
  const last = messages.at(-1)
  if (last?.role !== 'assistant') messages.push({ role: 'assistant', content: null, tool_calls: [call] })
  else if (last.tool_calls) last.tool_calls.push(call)
  else last.tool_calls = [call]
}

function addOutput(messages: Message[], item: JsonObject, path: string): void {
  refuseUnknown(item, path, new Set(['type', 'id', 'call_id', 'output', 'status', 'caller']))
  refuseIndirect(item, path)
  const content = chatContent(item.output, 'tool', below(path, 'output'))
  messages.push({ role: 'tool', tool_call_id: asked.text(item.call_id, below(path, 'call_id')), content })
}

/** Chat completions has no calls by programs, only those by the model. */
function refuseIndirect({ caller }: JsonObject, path: string): void {
  if (isAbsent(caller) || (isObject(caller) && caller.type === 'direct')) return
  throw new Untranslatable(below(path, 'caller'), NOT_EXPRESSIBLE)
}
