// The Response object: what identifies it, what it repeats of the request, and how it ended.

import type { About, JsonObject } from '../translation.ts'
import { isAbsent, isObject } from '../wire-fields.ts'

export type ResponseHead = { id: string; idSuffix: string; created: number; model: string; echo: JsonObject }

export type ResponseState = {
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  error: JsonObject | null
  incomplete: 'max_output_tokens' | 'content_filter' | null
  output: JsonObject[]
  usage: JsonObject | null
  serviceTier: string | null
}

/** Ids of providers are shorter. */
const ID_LENGTH_MAX = 100

export function headOf(body: JsonObject, about: About, request: JsonObject): ResponseHead {
  const id = typeof body.id === 'string' && body.id !== '' ? body.id : about.id
  const idSuffix = id
    .slice(0, ID_LENGTH_MAX)
    .replace(/^(?:chatcmpl|resp)[-_]/, '')
    .replace(/[^A-Za-z0-9_-]/g, '_')
  // The first chunk of Azure has an empty id and the time 0.
  const created = typeof body.created === 'number' && body.created > 0 ? body.created : about.created
  return { id: `resp_${idSuffix}`, idSuffix, created, model: about.model, echo: echoOf(request) }
}

export function responseJson(head: ResponseHead, state: ResponseState): JsonObject {
  return {
    id: head.id,
    object: 'response',
    created_at: head.created,
    status: state.status,
    error: state.error,
    incomplete_details: state.incomplete === null ? null : { reason: state.incomplete },
    model: head.model,
    output: state.output,
    usage: state.usage,
    ...head.echo,
    service_tier: state.serviceTier ?? head.echo.service_tier,
    access_programs: null,
    background: false,
    previous_response_id: null,
    store: false,
    truncation: 'disabled',
  }
}

const isText = (value: unknown) => typeof value === 'string'
const isNumber = (value: unknown) => typeof value === 'number'

/** The fields that a response repeats, and their values where the request has none. */
const ECHOED: [name: string, otherwise: unknown, fits: (value: unknown) => boolean][] = [
  ['instructions', null, isText],
  ['max_output_tokens', null, isNumber],
  ['metadata', {}, isObject],
  ['parallel_tool_calls', true, value => typeof value === 'boolean'],
  ['prompt_cache_key', null, isText],
  ['safety_identifier', null, isText],
  ['service_tier', null, isText],
  ['temperature', null, isNumber],
  ['tool_choice', 'auto', value => isText(value) || isObject(value)],
  ['tools', [], Array.isArray],
  ['top_logprobs', 0, isNumber],
  ['top_p', null, isNumber],
  ['user', null, isText],
]

function echoOf(request: JsonObject): JsonObject {
  const echo: JsonObject = {}
  for (const [name, otherwise, fits] of ECHOED) echo[name] = fits(request[name]) ? request[name] : otherwise
  const text = isObject(request.text) ? request.text : {}
  const reasoning = isObject(request.reasoning) ? request.reasoning : {}
  echo.text = { ...text, format: isAbsent(text.format) ? { type: 'text' } : text.format }
  echo.reasoning = { effort: reasoning.effort ?? null, summary: null }
  return echo
}
