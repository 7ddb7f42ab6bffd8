// Reads event streams (`text/event-stream`) according to the HTML standard, section 9.2.
import type { Deadline } from './deadline.ts'
import { apiError, type FaultAnswer, faultIn, StoaConnectionError } from './errors.ts'

/** The host sends a comment every 15 seconds, so a stream that is silent for longer is lost. */
const SILENCE_MS = 60_000

const CUT_OFF = 'The event stream was incomplete.'

export type StoaEvent<Data> = {
  /** The name of the event; `message` if it has none. */
  event: string
  data: Data
  /** The id of the last event that had one; empty if none had. */
  id: string
}

export type Stream<Data> = AsyncGenerator<Data, void, undefined>

export type StreamReader<Data> = (
  response: Response,
  deadline: Deadline,
  outer: AbortSignal | undefined,
) => Stream<Data>

/** The events of an answer. A fault sent by the host as an event is thrown. */
export async function* eventsIn<Data>(
  parse: (text: string) => unknown,
  response: Response,
  deadline: Deadline,
  outer: AbortSignal | undefined,
): Stream<StoaEvent<Data>> {
  const parser = eventParser()
  for await (const chunk of chunksOf(response, deadline, outer)) {
    for (const { event, data, id } of parser.eventsIn(chunk)) {
      outer?.throwIfAborted()
      const fault = event === 'error' ? faultIn(jsonOrText(data)) : null
      if (fault) throw apiError(fault, response)
      yield { event, data: parsed(event, data, parse, response) as Data, id }
    }
  }
  // Some versions of `fetch` do not distinguish a lost connection from the end.
  if (!parser.isBetweenEvents()) throw new StoaConnectionError(CUT_OFF, { response })
}

/** The parts of a value, such as a model's answer. Errors of its provider are thrown, too. */
export async function* partsIn<Data>(path: string, ...answer: Parameters<StreamReader<Data>>): Stream<Data> {
  const [response] = answer
  let isWhole = !MODEL_PATHS.includes(path)
  for await (const { event, data: text } of eventsIn<string>(String, ...answer)) {
    if (text === '[DONE]') {
      isWhole = true // The end, in the chat-completions format.
      continue
    }
    const data = event === 'error' ? jsonOrText(text) : parsed(event, text, JSON.parse, response)
    const fault = providerFaultIn(event, data)
    if (fault) throw apiError(fault, response)
    isWhole ||= isLast(data)
    yield data as Data
  }
  if (!isWhole) throw new StoaConnectionError(CUT_OFF, { response })
}

/** Their streams have a last part. */
const MODEL_PATHS = ['/v1/chat/completions', '/v1/responses', '/v1/messages']

/** The last parts of responses and messages. */
const LAST = ['response.completed', 'response.incomplete', 'response.failed', 'message_stop']

/** Some providers of chat completions send no `[DONE]`. */
function isLast(data: unknown): boolean {
  const { type, choices } = (data ?? {}) as { type?: string; choices?: ({ finish_reason?: unknown } | null)[] }
  return LAST.includes(type as string) || (Array.isArray(choices) && choices.some(one => one?.finish_reason))
}

function parsed(event: string, text: string, parse: (text: string) => unknown, response: Response): unknown {
  try {
    return parse(text)
  } catch (cause) {
    throw new StoaConnectionError(`The data of the event \`${event}\` is no JSON.`, { cause, response })
  }
}

/** The fields with the content of a part, in all formats. */
const CONTENT = ['choices', 'delta', 'response', 'item', 'part', 'content_block']

/** Providers report errors as `{"error":{"message",…}}`, as `{"error":"…"}`, as `{"type":"error","message",…}`, or as a
 *  text, with or without a code. */
function providerFaultIn(event: string, data: unknown): FaultAnswer | null {
  const part = Object(data ?? {}) as Record<string, unknown>
  const isError = event === 'error' || part.type === 'error'
  const { type: _, ...flat } = part
  const error = part.error ?? (!isError ? null : typeof data === 'object' ? flat : data)
  if (error === null) return null
  const { message, type, code, ...more } = Object(error) as Record<string, unknown>
  const says = typeof error === 'string' ? error : message
  const isText = typeof says === 'string' && says !== ''
  if (!isError && !(isText && typeof error === 'object') && CONTENT.some(name => (part[name] ?? null) !== null))
    return null
  const kind = typeof type === 'string' ? type : 'api_error'
  const told = isText ? says : `The model's provider reported an error: ${JSON.stringify(error)}`
  return { ...more, code: String(code ?? kind), message: told, type: kind } as FaultAnswer
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

async function* chunksOf(response: Response, deadline: Deadline, outer: AbortSignal | undefined) {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder() // Removes a byte order mark.
  while (reader) {
    deadline.restart(SILENCE_MS)
    const { done, value } = await reader.read().catch(thrown => {
      outer?.throwIfAborted()
      const cause = deadline.signal.aborted ? deadline.signal.reason : thrown
      throw new StoaConnectionError(CUT_OFF, { cause, response })
    })
    deadline.pause() // The caller may take as long as it likes for an event.
    if (done) return
    yield decoder.decode(value, { stream: true })
  }
}

/** `eventsIn` takes the next part of a stream and returns the events that it completes. */
export function eventParser() {
  const splitter = lineSplitter()
  let [event, id] = ['', '']
  let data: string[] = []
  const take = (line: string): StoaEvent<string> | null => {
    if (line === '') {
      const complete = data.length > 0 ? { event: event || 'message', data: data.join('\n'), id } : null
      event = ''
      data = []
      return complete
    }
    const [, name, value = ''] = line.match(/^([^:]*)(?:: ?(.*))?$/s) as RegExpMatchArray
    if (name === 'event') event = value
    if (name === 'data') data.push(value)
    if (name === 'id' && !value.includes('\0')) id = value
    return null
  }
  return {
    eventsIn: (chunk: string) => splitter.linesIn(chunk).flatMap(line => take(line) ?? []),
    isBetweenEvents: () => data.length === 0 && event === '' && splitter.isBetweenLines(),
  }
}

/** `linesIn` takes the next part of a text and returns the lines that it completes: by CR, LF or CRLF. */
function lineSplitter() {
  let rest = ''
  let endedInCr = false
  const linesIn = (chunk: string): string[] => {
    if (chunk === '') return []
    // The line was complete with the CR already; the LF of a CRLF may arrive later.
    const text = endedInCr && chunk.startsWith('\n') ? chunk.slice(1) : chunk
    endedInCr = chunk.endsWith('\r')
    const lines = text.split(/\r\n|\r|\n/)
    lines[0] = rest + lines[0]
    rest = lines.pop() as string
    return lines
  }
  return { linesIn, isBetweenLines: () => rest === '' }
}
