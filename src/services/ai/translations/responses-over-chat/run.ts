// One answer of a chat model on its way to becoming a response: takes chunks, emits events, and ends with the response.

import { answeredList, answeredText, errorOf, objectOf, piecesOf, type UpstreamError, usageOf } from '../chat-answer.ts'
import type { About, JsonObject } from '../translation.ts'
import { isAbsent, isObject } from '../wire-fields.ts'
import { ToolCalls } from './calls.ts'
import { headOf, type ResponseHead, type ResponseState, responseJson } from './object.ts'
import { type Emit, ResponseOutput } from './output.ts'

/** What the first chunk determines. */
type Started = { head: ResponseHead; output: ResponseOutput; calls: ToolCalls }

export class ResponseRun {
  readonly #request: JsonObject
  readonly #about: About
  readonly #emit: Emit
  #started: Started | null = null
  /** Undefined before the first choice, and empty until one has a reason. */
  #finishReason: string | undefined
  #usage: JsonObject | null = null
  #serviceTier: string | null = null
  #failure: UpstreamError | null = null
  #response: JsonObject | null = null

  constructor(request: JsonObject, about: About, emit: Emit) {
    this.#request = request
    this.#about = about
    this.#emit = emit
  }

  /** The response, once it has ended. */
  get response(): JsonObject | null {
    return this.#response
  }

  get failure(): UpstreamError | null {
    return this.#failure
  }

  chunk(body: JsonObject): void {
    const started = this.#start(body)
    this.#note(body)
    for (const value of answeredList(body.choices, 'choices')) {
      const choice = objectOf(value, 'a choice')
      // One answer is requested. A response has no place for more.
      if (!isAbsent(choice.index) && choice.index !== 0) continue
      this.#choice(started, choice)
    }
  }

  /** The message of an answer that is not streamed: what a chunk has, with whole tool calls. */
  whole(body: JsonObject): void {
    const started = this.#start(body)
    this.#note(body)
    const [first] = answeredList(body.choices, 'choices')
    const choice = objectOf(first, 'the first choice')
    const message = objectOf(choice.message, 'the message')
    this.#say(started, message, choice.logprobs)
    for (const [at, call] of answeredList(message.tool_calls, 'tool_calls').entries()) started.calls.add(call, at)
    this.#finish(choice, 'stop')
  }

  /** Everything that follows is ignored. `isDone` is whether the provider said that its answer is whole, which some do
   *  without a finish reason. */
  end(isDone = false): void {
    if (this.#response) return
    const { head, output, calls } = this.#start({})
    const isCut = this.#finishReason === undefined || (this.#finishReason === '' && !isDone)
    this.#failure ??= isCut ? failed('The provider ended its answer before it was complete.') : null
    const wrong = this.#failure ? null : calls.finish()
    if (wrong !== null) this.#failure = failed(`The provider's answer is malformed: ${wrong}.`)
    const incomplete = INCOMPLETE.get(this.#finishReason ?? '') ?? null
    if (this.#failure) output.abandon()
    else output.close(incomplete === null)
    const status = this.#failure ? 'failed' : incomplete === null ? 'completed' : 'incomplete'
    this.#response = responseJson(head, {
      ...this.#state(output),
      status,
      incomplete: status === 'incomplete' ? incomplete : null,
      error: this.#failure && { code: responseCode(this.#failure.code), message: this.#failure.message },
    })
    this.#emit(`response.${status}`, { response: this.#response })
  }

  fail(error: UpstreamError): void {
    this.#failure ??= error
    this.end()
  }

  /** For a chunk that cannot be read: whatever follows, the response fails. */
  failAtEnd(message: string): void {
    this.#failure ??= failed(message)
  }

  #start(body: JsonObject): Started {
    if (this.#started) return this.#started
    const head = headOf(body, this.#about, this.#request)
    const output = new ResponseOutput(head.idSuffix, this.#emit)
    this.#started = { head, output, calls: new ToolCalls(head.idSuffix, output) }
    const response = responseJson(head, this.#state(output))
    this.#emit('response.created', { response })
    this.#emit('response.in_progress', { response })
    return this.#started
  }

  #note(body: JsonObject): void {
    if (isObject(body.usage)) this.#usage = usageOf(body.usage)
    if (typeof body.service_tier === 'string') this.#serviceTier = body.service_tier
  }

  #state(output: ResponseOutput): ResponseState {
    const [usage, serviceTier] = [this.#usage, this.#serviceTier]
    return { status: 'in_progress', error: null, incomplete: null, output: output.toJson(), usage, serviceTier }
  }

  #choice(started: Started, choice: JsonObject): void {
    if (!isAbsent(choice.delta)) {
      const delta = objectOf(choice.delta, 'a delta')
      this.#say(started, delta, choice.logprobs)
      for (const call of answeredList(delta.tool_calls, 'tool_calls')) started.calls.add(call, null)
    }
    this.#finish(choice, '')
  }

  #say({ output }: Started, said: JsonObject, logprobs: unknown): void {
    for (const piece of piecesOf(said, logprobs)) output.add(piece)
  }

  #finish(choice: JsonObject, otherwise: string): void {
    const reason = answeredText(choice.finish_reason, 'finish_reason') || otherwise
    this.#finishReason = reason || (this.#finishReason ?? '')
    // OpenRouter reports an error of the model behind it like this.
    if (reason === 'error') this.#failure ??= errorOf({ error: isObject(choice.error) ? choice.error : {} })
  }
}

const failed = (message: string): UpstreamError => ({ code: null, message, param: null })

/** With any other finish reason the answer is complete. */
const INCOMPLETE = new Map<string, 'max_output_tokens' | 'content_filter'>([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
])

/** The codes that the Responses wire has and chat completions can report. */
const CODES = new Set(['server_error', 'rate_limit_exceeded', 'invalid_prompt'])

function responseCode(code: string | null): string {
  if (code !== null && CODES.has(code)) return code
  return code === '429' || code === 'rate_limit_error' ? 'rate_limit_exceeded' : 'server_error'
}
