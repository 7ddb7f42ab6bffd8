// Lets clients of `POST /v1/responses` call models of providers that have chat completions only.

import { errorOf, malformedAnswer } from '../chat-answer.ts'
import type { About, JsonObject, ServerEvent, StreamTranslation, Translation } from '../translation.ts'
import { isAbsent, isObject } from '../wire-fields.ts'
import type { Emit } from './output.ts'
import { chatRequest, fieldOf } from './request.ts'
import { ResponseRun } from './run.ts'

export const responsesOverChat: Translation = {
  request: chatRequest,
  answer: responseAnswer,
  stream: responseStream,
  fieldOf,
}

function responseAnswer(body: JsonObject, about: About, request: JsonObject = {}): JsonObject {
  if (!isObject(body)) throw malformedAnswer('it is not an object')
  if (!isAbsent(body.error)) throw new Error(errorOf(body).message)
  const run = new ResponseRun(request, about, () => undefined)
  run.whole(body)
  run.end()
  if (run.failure || !run.response) throw new Error(run.failure?.message)
  return run.response
}

function responseStream(request: JsonObject, about: About): StreamTranslation {
  const events: ServerEvent[] = []
  let sequence = 0
  const emit = (type: string, fields: JsonObject) => {
    events.push({ event: type, data: JSON.stringify({ type, sequence_number: sequence++, ...fields }) })
  }
  const run = new ResponseRun(isObject(request) ? request : {}, about, emit)
  return {
    next(event) {
      if (run.response === null) read(run, event, emit)
      return events.splice(0)
    },
    end() {
      run.end()
      return events.splice(0)
    },
  }
}

function read(run: ResponseRun, { event, data }: ServerEvent, emit: Emit): void {
  const text = data.trim()
  if (text === '') return
  if (text === '[DONE]') run.end(true)
  else {
    try {
      readChunk(run, event, chunkOf(text), emit)
    } catch (error) {
      run.failAtEnd(error instanceof Error ? error.message : String(error))
      throw error
    }
  }
}

function readChunk(run: ResponseRun, event: string | null, body: JsonObject, emit: Emit): void {
  if (event !== 'error' && isAbsent(body.error)) run.chunk(body)
  else {
    const error = errorOf(body)
    run.fail(error)
    // After the failed response: the official client throws on this event and reads no further.
    emit('error', error)
  }
}

function chunkOf(data: string): JsonObject {
  let body: unknown
  try {
    body = JSON.parse(data)
  } catch (error) {
    throw new Error("The provider's answer is malformed: an event is not JSON.", { cause: error })
  }
  if (!isObject(body)) throw malformedAnswer('an event is not an object')
  return body
}
