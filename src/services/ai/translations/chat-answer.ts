// Readers for a provider's chat completion. A wrong type is an `Error`: the client cannot correct it.

import type { JsonObject } from './translation.ts'
import { countOrNone, isAbsent, isObject, readersFor } from './wire-fields.ts'

export const malformedAnswer = (says: string): Error => new Error(`The provider's answer is malformed: ${says}.`)
const { argumentsText } = readersFor((name, says) => malformedAnswer(`${name} ${says}`))

export function objectOf(value: unknown, name: string): JsonObject {
  if (isObject(value)) return value
  throw malformedAnswer(`${name} is not an object`)
}

export function answeredList(value: unknown, name: string): unknown[] {
  if (isAbsent(value)) return []
  if (Array.isArray(value)) return value
  throw malformedAnswer(`${name} is not an array`)
}

/** The empty text if it is absent. */
export function answeredText(value: unknown, name: string): string {
  if (isAbsent(value)) return ''
  if (typeof value === 'string') return value
  throw malformedAnswer(`${name} is not a string`)
}

/** The responses wire requires all counts. */
const countOf = (value: unknown): number => countOrNone(value) ?? 0

const detailsOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

export function usageOf(usage: JsonObject): JsonObject {
  const input = detailsOf(usage.prompt_tokens_details)
  const output = detailsOf(usage.completion_tokens_details)
  const [inputTokens, outputTokens] = [countOf(usage.prompt_tokens), countOf(usage.completion_tokens)]
  return {
    input_tokens: inputTokens,
    input_tokens_details: {
      cached_tokens: countOf(input.cached_tokens),
      cache_write_tokens: countOf(input.cache_write_tokens),
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: countOf(output.reasoning_tokens) },
    total_tokens: countOf(usage.total_tokens) || inputTokens + outputTokens,
  }
}

/** A part of the model's output, in the order of output items. */
export type Piece =
  | { kind: 'reasoning' | 'refusal'; text: string }
  | { kind: 'text'; text: string; logprobs: JsonObject[] }

/** `said` is a whole message or the delta of one. */
export function piecesOf(said: JsonObject, logprobs: unknown): Piece[] {
  const pieces: Piece[] = []
  // DeepSeek and llama.cpp use the first name, OpenRouter, Groq and vLLM the second. Providers with both send the same
  // text twice.
  const reasoning =
    answeredText(said.reasoning_content, 'reasoning_content') || answeredText(said.reasoning, 'reasoning')
  if (reasoning) pieces.push({ kind: 'reasoning', text: reasoning })
  if (!isAbsent(said.content)) addContent(pieces, said.content, logprobsOf(logprobs))
  const refusal = answeredText(said.refusal, 'refusal')
  if (refusal) pieces.push({ kind: 'refusal', text: refusal })
  return pieces
}

/** A token can be a part of a character: it has log probabilities then, and no text yet. */
function addContent(pieces: Piece[], content: unknown, logprobs: JsonObject[]): void {
  if (Array.isArray(content)) {
    for (const part of content) addPart(pieces, objectOf(part, 'a part of the content'))
    return
  }
  const text = answeredText(content, 'content')
  if (text || logprobs.length > 0) pieces.push({ kind: 'text', text, logprobs })
}

/** Mistral's reasoning models answer with parts. */
function addPart(pieces: Piece[], part: JsonObject): void {
  if (part.type === 'text') {
    const text = answeredText(part.text, 'the text of a part')
    if (text) pieces.push({ kind: 'text', text, logprobs: [] })
  } else if (part.type === 'thinking') {
    for (const thought of answeredList(part.thinking, 'thinking')) {
      const text = answeredText(objectOf(thought, 'a part of the thinking').text, 'the text of a part')
      if (text) pieces.push({ kind: 'reasoning', text })
    }
  } else if (part.type === 'refusal') {
    const text = answeredText(part.refusal, 'the refusal of a part')
    if (text) pieces.push({ kind: 'refusal', text })
  } else throw malformedAnswer('a part of the content is neither text nor thinking nor a refusal')
}

function logprobsOf(value: unknown): JsonObject[] {
  if (isAbsent(value)) return []
  return answeredList(objectOf(value, 'logprobs').content, 'the content of logprobs').map(entry => {
    const token = objectOf(entry, 'a log probability')
    const top = answeredList(token.top_logprobs, 'top_logprobs').map(other =>
      logprobOf(objectOf(other, 'a log probability')),
    )
    return { ...logprobOf(token), top_logprobs: top }
  })
}

function logprobOf({ token, logprob, bytes }: JsonObject): JsonObject {
  if (typeof logprob !== 'number') throw malformedAnswer('a log probability is not a number')
  return {
    token: answeredText(token, 'a token'),
    logprob,
    bytes: answeredList(bytes, 'the bytes of a token').map(byteOf),
  }
}

function byteOf(value: unknown): number {
  if (typeof value === 'number') return value
  throw malformedAnswer('a byte of a token is not a number')
}

export type CallDelta = { index: number | null; id: string; name: string; arguments: string }

export function callDeltaOf(value: unknown): CallDelta {
  const call = objectOf(value, 'a tool call')
  if (!isAbsent(call.type) && call.type !== '' && call.type !== 'function') {
    throw malformedAnswer('a tool call is not of a function')
  }
  const called = isAbsent(call.function) ? {} : objectOf(call.function, 'the function of a tool call')
  return {
    index: indexOf(call.index),
    id: answeredText(call.id, 'the id of a tool call'),
    name: answeredText(called.name, 'the name of a tool call'),
    arguments: argumentsText(called.arguments, 'the arguments of a tool call'),
  }
}

function indexOf(value: unknown): number | null {
  if (isAbsent(value)) return null
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  throw malformedAnswer('the index of a tool call is not a position')
}

export type UpstreamError = { code: string | null; message: string; param: string | null }

/** The error of a body or an event: `{error: {...}}`, `{error: "..."}` or the error alone. */
export function errorOf(body: JsonObject): UpstreamError {
  const error = body.error ?? body
  const fields: JsonObject = isObject(error) ? error : { message: error }
  const code = [fields.code, fields.type].find(
    value => typeof value === 'number' || (value && typeof value === 'string'),
  )
  return {
    code: code === undefined ? null : String(code),
    message: typeof fields.message === 'string' && fields.message ? fields.message : 'The provider reported an error.',
    param: typeof fields.param === 'string' ? fields.param : null,
  }
}
