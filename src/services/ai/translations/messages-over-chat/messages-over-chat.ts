// Clients of the Anthropic messages wire on models of the OpenAI chat completions wire.
import { createHash } from 'node:crypto'
import { effortOf } from '../effort.ts'
import type { JsonObject, Translation } from '../translation.ts'
import {
  asked,
  INEXPRESSIBLE,
  isAbsent,
  isObject,
  isStandardTier,
  type LeftOut,
  refuseInexpressible,
  refuseOthers,
  shown,
  untranslatable,
} from '../wire-fields.ts'
import { messagesAnswer } from './answer.ts'
import { messagesStream } from './stream.ts'
import { turnsAsChat } from './turns.ts'

export const messagesOverChat: Translation = { request, answer: messagesAnswer, stream: messagesStream }

/** OpenAI's limit for `stop`. */
const STOPS_MAX = 4
/** OpenAI's limit for `user`. Claude Code sends longer ones. */
const USER_CHARS_MAX = 64

const TRANSLATED = new Set([
  'model',
  'messages',
  'system',
  'stream',
  'max_tokens',
  'temperature',
  'top_p',
  'stop_sequences',
  'metadata',
  'thinking',
  'output_config',
  'service_tier',
  'tools',
  'tool_choice',
])

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0
const LEFT_OUT: LeftOut = new Map([
  // Changes the price of an answer and not the answer.
  ['cache_control', () => true],
  // Asks why a cache was not used; the answer is the same without it.
  ['diagnostics', () => true],
  // The default.
  ['speed', (value: unknown) => value === 'standard'],
  ['mcp_servers', isEmptyList],
  ['context_management', keepsContent],
])

/** `allowed_callers` and `defer_loading` are checked. Eager streaming changes only how the input is cut into deltas. */
const TOOL = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'strict',
  'cache_control',
  'eager_input_streaming',
  'defer_loading',
  'allowed_callers',
  'input_examples',
])
const EFFORTS = new Set<unknown>(['low', 'medium', 'high', 'xhigh', 'max'])

function request(body: JsonObject): JsonObject {
  refuseInexpressible(body, TRANSLATED, LEFT_OUT)
  const sent: JsonObject = {
    model: asked.text(body.model, 'model'),
    messages: turnsAsChat(body.system, body.messages),
    max_completion_tokens: maxTokens(body.max_tokens),
  }
  const tools = toolsOf(body.tools)
  if (tools.length > 0) sent.tools = tools
  Object.assign(sent, toolChoice(body.tool_choice), sampling(body), output(body))
  const user = userOf(body.metadata)
  if (user !== undefined) sent.user = user
  if (isStandardTier(body.service_tier, 'standard_only')) sent.service_tier = 'default'
  if (isAbsent(body.stream)) return sent
  sent.stream = asked.flag(body.stream, 'stream')
  // The messages wire always reports usage.
  if (sent.stream) sent.stream_options = { include_usage: true }
  return sent
}

function maxTokens(value: unknown): number {
  const tokens = asked.count(value, 'max_tokens')
  // Anthropic only fills its cache for 0.
  if (tokens === 0) throw untranslatable('max_tokens', 'must be at least 1')
  return tokens
}

/** Claude Code asks to clear or keep earlier thinking. The chat wire carries none, so that this changes nothing. */
function keepsContent(value: unknown): boolean {
  if (!isObject(value) || Object.keys(value).some(name => name !== 'edits')) return false
  if (isAbsent(value.edits)) return true
  const clearsThinking = (edit: unknown) =>
    isObject(edit) && typeof edit.type === 'string' && edit.type.startsWith('clear_thinking_')
  return Array.isArray(value.edits) && value.edits.every(clearsThinking)
}

function sampling(body: JsonObject): JsonObject {
  const sent: JsonObject = {}
  if (!isAbsent(body.temperature)) sent.temperature = asked.number(body.temperature, 'temperature')
  if (!isAbsent(body.top_p)) sent.top_p = asked.number(body.top_p, 'top_p')
  if (isAbsent(body.stop_sequences)) return sent
  const stops = asked.list(body.stop_sequences, 'stop_sequences')
  if (stops.length > STOPS_MAX) throw untranslatable('stop_sequences', `must be at most ${STOPS_MAX}`)
  if (stops.length > 0) sent.stop = stops.map((stop, i) => asked.name(stop, `stop_sequences[${i}]`))
  return sent
}

/** The format of the output and the effort of the reasoning. */
function output(body: JsonObject): JsonObject {
  const sent: JsonObject = {}
  const budget = thinkingBudget(body.thinking)
  if (budget !== undefined) sent.reasoning_effort = effortOf(budget)
  if (isAbsent(body.output_config)) return sent
  const config = asked.object(body.output_config, 'output_config')
  refuseOthers(config, 'output_config', new Set(['effort', 'format']))
  if (!isAbsent(config.effort)) {
    if (!EFFORTS.has(config.effort)) throw untranslatable('output_config.effort', INEXPRESSIBLE)
    // The efforts have the same names on both wires, and say more than our table.
    sent.reasoning_effort = config.effort
  }
  if (isAbsent(config.format)) return sent
  const format = asked.object(config.format, 'output_config.format')
  if (format.type !== 'json_schema') throw untranslatable('output_config.format.type', INEXPRESSIBLE)
  refuseOthers(format, 'output_config.format', new Set(['type', 'schema']))
  const schema = asked.object(format.schema, 'output_config.format.schema')
  // The chat wire requires a name. Anthropic always enforces the schema.
  sent.response_format = { type: 'json_schema', json_schema: { name: 'output', schema, strict: true } }
  return sent
}

/** `adaptive` leaves the amount to the model, and `disabled` is Anthropic's default: neither is sent on, because models
 *  that do not reason refuse any effort. `display` is accepted: it asks for no other answer, only for less of its
 *  thinking. */
function thinkingBudget(value: unknown): number | undefined {
  if (isAbsent(value)) return undefined
  const thinking = asked.object(value, 'thinking')
  refuseOthers(thinking, 'thinking', new Set(['type', 'budget_tokens', 'display']))
  if (thinking.type === 'disabled' || thinking.type === 'adaptive') return undefined
  if (thinking.type !== 'enabled') throw untranslatable('thinking.type', INEXPRESSIBLE)
  return asked.count(thinking.budget_tokens, 'thinking.budget_tokens')
}

/** A longer id is replaced by its SHA-256 in hex, which has 64 characters and is as stable. */
function userOf(value: unknown): string | undefined {
  if (isAbsent(value)) return undefined
  const metadata = asked.object(value, 'metadata')
  refuseOthers(metadata, 'metadata', new Set(['user_id']))
  const user = asked.textOrNone(metadata.user_id, 'metadata.user_id')
  if (user === undefined || user.length <= USER_CHARS_MAX) return user
  return createHash('sha256').update(user).digest('hex')
}

function toolsOf(value: unknown): JsonObject[] {
  if (isAbsent(value)) return []
  return asked.list(value, 'tools').map((item, i) => {
    const path = `tools[${i}]`
    const tool = asked.object(item, path)
    if (!isAbsent(tool.type) && tool.type !== 'custom') {
      throw untranslatable(`${path}.type`, `${INEXPRESSIBLE}: ${shown(tool.type)}`)
    }
    refuseOthers(tool, path, TOOL)
    if (tool.defer_loading === true) throw untranslatable(`${path}.defer_loading`, INEXPRESSIBLE)
    if (!isAbsent(tool.input_examples) && !isEmptyList(tool.input_examples)) {
      throw untranslatable(`${path}.input_examples`, INEXPRESSIBLE)
    }
    checkCallers(tool.allowed_callers, `${path}.allowed_callers`)
    const definition: JsonObject = { name: asked.name(tool.name, `${path}.name`) }
    const description = asked.textOrNone(tool.description, `${path}.description`)
    if (description !== undefined) definition.description = description
    definition.parameters = asked.object(tool.input_schema, `${path}.input_schema`)
    const strict = tool.strict
    if (!isAbsent(strict) && asked.flag(strict, `${path}.strict`)) definition.strict = true
    return { type: 'function', function: definition }
  })
}

function checkCallers(value: unknown, path: string): void {
  if (isAbsent(value)) return
  const callers = asked.list(value, path)
  if (callers.length !== 1 || callers[0] !== 'direct') throw untranslatable(path, INEXPRESSIBLE)
}

function toolChoice(value: unknown): JsonObject {
  if (isAbsent(value)) return {}
  const choice = asked.object(value, 'tool_choice')
  refuseOthers(choice, 'tool_choice', new Set(['type', 'name', 'disable_parallel_tool_use']))
  const sent: JsonObject = { tool_choice: chosen(choice) }
  const single = choice.disable_parallel_tool_use
  if (!isAbsent(single) && asked.flag(single, 'tool_choice.disable_parallel_tool_use')) {
    sent.parallel_tool_calls = false
  }
  return sent
}

function chosen(choice: JsonObject): unknown {
  switch (choice.type) {
    case 'auto':
    case 'none':
      return choice.type
    case 'any':
      return 'required'
    case 'tool':
      return { type: 'function', function: { name: asked.name(choice.name, 'tool_choice.name') } }
    default:
      throw untranslatable('tool_choice.type', INEXPRESSIBLE)
  }
}
