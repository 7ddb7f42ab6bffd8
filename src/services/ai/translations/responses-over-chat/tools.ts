// The tools of a Responses request and the choice among them, as chat completions has them.

import { type JsonObject, Untranslatable } from '../translation.ts'
import { asked, isAbsent, isObject } from '../wire-fields.ts'
import { below, booleanAt, copyPresent, NOT_EXPRESSIBLE, refuseUnknown, refuseUnlessOff } from './fields.ts'

type ChatTool = { type: 'function'; function: JsonObject & { name: string } }

const TOOL_FIELDS = new Set([
  'type',
  'name',
  'description',
  'parameters',
  'strict',
  'allowed_callers',
  'async',
  'defer_loading',
  'output_schema',
])

/** The fields `tools`, `tool_choice` and `parallel_tool_calls`. Without tools, chat completions rejects the other two. */
export function toolFields(body: JsonObject): JsonObject {
  const tools = isAbsent(body.tools)
    ? []
    : asked.list(body.tools, 'tools').map((tool, at) => chatTool(tool, `tools.${at}`))
  const { choice, allowed } = toolChoice(body.tool_choice, tools)
  const parallel = copyPresent(body, '', [['parallel_tool_calls', booleanAt]])
  if (tools.length === 0) {
    if (choice !== undefined && choice !== 'auto' && choice !== 'none') {
      throw new Untranslatable('tool_choice', 'requires a tool, but `tools` is empty')
    }
    return {}
  }
  return { tools: allowed, ...(choice === undefined ? {} : { tool_choice: choice }), ...parallel }
}

function chatTool(value: unknown, path: string): ChatTool {
  const tool = asked.object(value, path)
  const type = asked.text(tool.type, below(path, 'type'))
  if (type !== 'function')
    throw new Untranslatable(below(path, 'type'), `must be function: a tool of another type ${NOT_EXPRESSIBLE}`)
  refuseUnknown(tool, path, TOOL_FIELDS)
  refuseUnlessOff(tool, path, ['async', 'defer_loading', 'output_schema'])
  if (!isAbsent(tool.allowed_callers)) directCallers(tool.allowed_callers, below(path, 'allowed_callers'))
  const rest = copyPresent<unknown>(tool, path, [
    ['description', asked.text],
    ['parameters', asked.object],
    ['strict', booleanAt],
  ])
  return { type: 'function', function: { name: asked.text(tool.name, below(path, 'name')), ...rest } }
}

function directCallers(value: unknown, path: string): void {
  for (const caller of asked.list(value, path)) if (caller !== 'direct') throw new Untranslatable(path, NOT_EXPRESSIBLE)
}

type Choice = { choice?: unknown; allowed: ChatTool[] }

function toolChoice(value: unknown, tools: ChatTool[]): Choice {
  if (isAbsent(value)) return { allowed: tools }
  if (value === 'auto' || value === 'none' || value === 'required') return { choice: value, allowed: tools }
  if (!isObject(value)) throw new Untranslatable('tool_choice', 'must be auto, none, required or an object')
  switch (value.type) {
    case 'function': {
      refuseUnknown(value, 'tool_choice', new Set(['type', 'name']))
      const name = asked.text(value.name, 'tool_choice.name')
      return { choice: { type: 'function', function: { name } }, allowed: tools }
    }
    case 'allowed_tools':
      return allowedTools(value, tools)
    default:
      throw new Untranslatable('tool_choice.type', NOT_EXPRESSIBLE)
  }
}

/** Only the allowed tools are sent: for the model it is the same, and it works where `allowed_tools` is unknown. */
function allowedTools(choice: JsonObject, tools: ChatTool[]): Choice {
  refuseUnknown(choice, 'tool_choice', new Set(['type', 'mode', 'tools']))
  if (choice.mode !== 'auto' && choice.mode !== 'required') {
    throw new Untranslatable('tool_choice.mode', 'must be auto or required')
  }
  const known = new Set(tools.map(tool => tool.function.name))
  const names = asked.list(choice.tools, 'tool_choice.tools').map((value, at) => {
    const path = `tool_choice.tools.${at}`
    const tool = asked.object(value, path)
    if (tool.type !== 'function') throw new Untranslatable(below(path, 'type'), NOT_EXPRESSIBLE)
    refuseUnknown(tool, path, new Set(['type', 'name']))
    const name = asked.text(tool.name, below(path, 'name'))
    if (!known.has(name)) throw new Untranslatable(below(path, 'name'), 'is not the name of one of the `tools`')
    return name
  })
  if (names.length === 0) throw new Untranslatable('tool_choice.tools', 'must name at least one tool')
  const allowed = new Set(names)
  return { choice: choice.mode, allowed: tools.filter(tool => allowed.has(tool.function.name)) }
}
