// Clients of the OpenAI chat completions wire on models of the Anthropic messages wire.

import { BUDGET_TOKENS_MIN, budgetOf } from '../effort.ts'
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
  untranslatable,
} from '../wire-fields.ts'
import { chatAnswer } from './answer.ts'
import { chatStream } from './stream.ts'
import { conversation } from './turns.ts'

export const chatOverMessages: Translation = { request, answer: chatAnswer, stream: chatStream }

/** Anthropic requires a limit and the chat wire does not. All Anthropic models can produce this many tokens. */
const MAX_TOKENS_DEFAULT = 4096
/** What a thinking budget leaves for the answer, at the least. */
const ANSWER_TOKENS_MIN = 1024
/** The least `top_p` that Anthropic accepts with thinking. */
const THINKING_TOP_P_MIN = 0.95

const TRANSLATED = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'stop',
  'user',
  'safety_identifier',
  'reasoning_effort',
  'response_format',
  'service_tier',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
])

const always = () => true
const zero = (value: unknown) => value === 0
const no = (value: unknown) => value === false
const LEFT_OUT: LeftOut = new Map([
  // Anthropic returns one answer.
  ['n', (value: unknown) => value === 1],
  // Off, as without the field.
  ['logprobs', no],
  ['top_logprobs', zero],
  ['frequency_penalty', zero],
  ['presence_penalty', zero],
  ['logit_bias', (value: unknown) => isObject(value) && Object.keys(value).length === 0],
  ['modalities', (value: unknown) => Array.isArray(value) && value.length === 1 && value[0] === 'text'],
  // `true` asks OpenAI to keep the answer for later, which does not happen here.
  ['store', no],
  // Labels of a stored answer; the answer is the same without them.
  ['metadata', isObject],
  // Hints for the provider's cache; the answer is the same without them.
  ['prompt_cache_key', always],
  ['prompt_cache_retention', always],
  ['prompt_cache_options', always],
  // The default. Other values change the answer.
  ['verbosity', (value: unknown) => value === 'medium'],
])

function request(body: JsonObject): JsonObject {
  refuseInexpressible(body, TRANSLATED, LEFT_OUT)
  checkStreamOptions(body)
  const { system, messages } = conversation(body.messages)
  const { maxTokens, thinking } = limits(body)
  const sent: JsonObject = { model: asked.text(body.model, 'model'), max_tokens: maxTokens }
  if (system !== undefined) sent.system = system
  sent.messages = messages
  const tools = toolsOf(body.tools)
  if (tools.length > 0) sent.tools = tools
  const choice = toolChoice(body, tools.length > 0)
  if (choice) sent.tool_choice = choice
  if (thinking) {
    sent.thinking = thinking
    refuseWithThinking(body, choice)
  }
  sampling(body, sent)
  const user = asked.textOrNone(body.user, 'user') ?? asked.textOrNone(body.safety_identifier, 'safety_identifier')
  if (user !== undefined) sent.metadata = { user_id: user }
  const format = outputFormat(body.response_format)
  if (format) sent.output_config = { format }
  if (isStandardTier(body.service_tier, 'default')) sent.service_tier = 'standard_only'
  if (!isAbsent(body.stream)) sent.stream = asked.flag(body.stream, 'stream')
  return sent
}

function checkStreamOptions(body: JsonObject): void {
  if (isAbsent(body.stream_options)) return
  const options = asked.object(body.stream_options, 'stream_options')
  // Obfuscation pads chunks against observers of the network; the answer is the same without it.
  refuseOthers(options, 'stream_options', new Set(['include_usage', 'include_obfuscation']))
  if (!isAbsent(options.include_usage)) asked.flag(options.include_usage, 'stream_options.include_usage')
}

function limits(body: JsonObject): { maxTokens: number; thinking: JsonObject | undefined } {
  const given = maxTokensOf(body)
  const effort = asked.textOrNone(body.reasoning_effort, 'reasoning_effort')
  if (effort === undefined || effort === 'none') return { maxTokens: given ?? MAX_TOKENS_DEFAULT, thinking: undefined }
  const budget = budgetOf(effort)
  if (budget === undefined) throw untranslatable('reasoning_effort', INEXPRESSIBLE)
  const enabled = (tokens: number) => ({ type: 'enabled', budget_tokens: tokens })
  // On both wires the limit includes the tokens of the reasoning.
  if (given === undefined) return { maxTokens: budget + MAX_TOKENS_DEFAULT, thinking: enabled(budget) }
  if (given < BUDGET_TOKENS_MIN + ANSWER_TOKENS_MIN) {
    throw untranslatable(
      'reasoning_effort',
      `needs max_completion_tokens of at least ${BUDGET_TOKENS_MIN + ANSWER_TOKENS_MIN}`,
    )
  }
  return { maxTokens: given, thinking: enabled(Math.min(budget, given - ANSWER_TOKENS_MIN)) }
}

function maxTokensOf(body: JsonObject): number | undefined {
  const read = (name: string) => {
    if (isAbsent(body[name])) return undefined
    const tokens = asked.count(body[name], name)
    if (tokens === 0) throw untranslatable(name, 'must be at least 1')
    return tokens
  }
  const current = read('max_completion_tokens')
  const old = read('max_tokens')
  if (current !== undefined && old !== undefined && current !== old) {
    throw untranslatable('max_tokens', 'must not differ from max_completion_tokens')
  }
  return current ?? old
}

function sampling(body: JsonObject, sent: JsonObject): void {
  if (!isAbsent(body.temperature)) {
    const temperature = asked.number(body.temperature, 'temperature')
    if (temperature < 0 || temperature > 1) throw untranslatable('temperature', 'must be from 0 to 1')
    sent.temperature = temperature
  }
  if (!isAbsent(body.top_p)) sent.top_p = asked.number(body.top_p, 'top_p')
  if (isAbsent(body.stop)) return
  const { stop } = body
  if (!Array.isArray(stop)) sent.stop_sequences = [asked.name(stop, 'stop')]
  else if (stop.length > 0) sent.stop_sequences = stop.map((text, i) => asked.name(text, `stop[${i}]`))
}

/** Anthropic rejects these with thinking; the check here names the client's own field. */
function refuseWithThinking(body: JsonObject, choice: JsonObject | undefined): void {
  if (!isAbsent(body.temperature) && body.temperature !== 1) {
    throw untranslatable('temperature', 'must be 1 with reasoning_effort')
  }
  if (typeof body.top_p === 'number' && body.top_p < THINKING_TOP_P_MIN) {
    throw untranslatable('top_p', `must be at least ${THINKING_TOP_P_MIN} with reasoning_effort`)
  }
  if (choice?.type === 'any' || choice?.type === 'tool') {
    throw untranslatable('tool_choice', 'must be auto or none with reasoning_effort')
  }
}

function toolsOf(value: unknown): JsonObject[] {
  if (isAbsent(value)) return []
  return asked.list(value, 'tools').map((item, i) => {
    const path = `tools[${i}]`
    const tool = asked.object(item, path)
    if (tool.type !== 'function') throw untranslatable(`${path}.type`, INEXPRESSIBLE)
    refuseOthers(tool, path, new Set(['type', 'function']))
    const definition = asked.object(tool.function, `${path}.function`)
    refuseOthers(definition, `${path}.function`, new Set(['name', 'description', 'parameters', 'strict']))
    const sent: JsonObject = { name: asked.name(definition.name, `${path}.function.name`) }
    const description = asked.textOrNone(definition.description, `${path}.function.description`)
    if (description !== undefined) sent.description = description
    sent.input_schema = inputSchema(definition.parameters, `${path}.function.parameters`)
    const strict = definition.strict
    if (!isAbsent(strict) && asked.flag(strict, `${path}.function.strict`)) sent.strict = true
    return sent
  })
}

/** Anthropic requires the type, and the arguments of a function are always an object. */
function inputSchema(parameters: unknown, path: string): JsonObject {
  if (isAbsent(parameters)) return { type: 'object', properties: {} }
  const schema = asked.object(parameters, path)
  return isAbsent(schema.type) ? { ...schema, type: 'object' } : schema
}

function toolChoice(body: JsonObject, hasTools: boolean): JsonObject | undefined {
  const parallel = body.parallel_tool_calls
  const single = !isAbsent(parallel) && !asked.flag(parallel, 'parallel_tool_calls')
  const choice = chosen(body.tool_choice)
  // Without tools both wires call none, and Anthropic refuses a choice.
  if (!hasTools && (choice === undefined || choice.type === 'auto' || choice.type === 'none')) return undefined
  if (!single || choice?.type === 'none') return choice
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true }
}

function chosen(value: unknown): JsonObject | undefined {
  if (isAbsent(value)) return undefined
  if (value === 'auto' || value === 'none') return { type: value }
  if (value === 'required') return { type: 'any' }
  const choice = asked.object(value, 'tool_choice')
  if (choice.type !== 'function') throw untranslatable('tool_choice.type', INEXPRESSIBLE)
  const named = asked.object(choice.function, 'tool_choice.function')
  return { type: 'tool', name: asked.name(named.name, 'tool_choice.function.name') }
}

function outputFormat(value: unknown): JsonObject | undefined {
  if (isAbsent(value)) return undefined
  const format = asked.object(value, 'response_format')
  if (format.type === 'text') return undefined
  // Anthropic has no JSON output without a schema.
  if (format.type !== 'json_schema') throw untranslatable('response_format.type', INEXPRESSIBLE)
  const path = 'response_format.json_schema'
  const wanted = asked.object(format.json_schema, path)
  // The name is a label. Anthropic always enforces the schema, so that `strict: false` gets more than it asks for.
  refuseOthers(wanted, path, new Set(['name', 'description', 'schema', 'strict']))
  const schema = asked.object(wanted.schema, `${path}.schema`)
  const description = asked.textOrNone(wanted.description, `${path}.description`)
  if (description === undefined || !isAbsent(schema.description)) return { type: 'json_schema', schema }
  return { type: 'json_schema', schema: { ...schema, description } }
}
