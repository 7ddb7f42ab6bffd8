// What an operation can answer: a value, nothing, an event stream, a value or an event stream as the request asks, or a
// reply with a status, headers and a body of its own. Declared as `output`, so that `run` is typed by it.
import type { Readable } from 'node:stream'
import { type Static, type TSchema, Type } from 'typebox'

/** No body: 204. */
export const nothing = Type.Void()

/** For redirects, foreign wires and files. */
export class Reply {
  readonly status: number
  readonly headers: Record<string, string | string[]>
  readonly body: Uint8Array | Readable | null
  constructor(status: number, headers: Record<string, string | string[]>, body: Uint8Array | Readable | null) {
    this.status = status
    this.headers = headers
    this.body = body
  }
}

export const reply = (
  status: number,
  headers: Reply['headers'] = {},
  body: Uint8Array | Readable | null = null,
): Reply => new Reply(status, headers, body)

/** One event of `text/event-stream`. Text is sent as it is, everything else as JSON. */
export type ServerEvent<T> = { data: T; event?: string; id?: string }

/** Bytes in the source are events already encoded, and pass unchanged. */
export class EventStream<T> {
  readonly source: AsyncIterable<ServerEvent<T> | Uint8Array>
  readonly headers: Record<string, string>
  constructor(source: AsyncIterable<ServerEvent<T> | Uint8Array>, headers: Record<string, string>) {
    this.source = source
    this.headers = headers
  }
}

export const eventStream = <T>(
  source: AsyncIterable<ServerEvent<T> | Uint8Array>,
  headers: Record<string, string> = {},
): EventStream<T> => new EventStream(source, headers)

const KIND = 'x-stoa-answer'

/** As `output`: the operation answers with `reply(…)`. */
export const replies = Type.Unsafe<Reply>({ [KIND]: 'reply' })

/** As `output`: the operation answers with `eventStream(…)`, whose events carry such data. */
export const events = <C extends TSchema>(chunk: C) =>
  Type.Unsafe<EventStream<Static<C>>>({ [KIND]: 'events', value: null, chunk })

/** As `output`: such a value, or an event stream, as the request asks. */
export const either = <V extends TSchema, C extends TSchema>(value: V, chunk: C) =>
  Type.Unsafe<Static<V> | EventStream<Static<C>>>({ [KIND]: 'either', value, chunk })

export type AnswerKind = 'value' | 'nothing' | 'reply' | 'events' | 'either'
/** What is declared: the schema of a value, and that of an event's data. */
export type Answer = { kind: AnswerKind; value: TSchema | null; chunk: TSchema | null }

export function answerOf(output: TSchema): Answer {
  if (output === nothing) return { kind: 'nothing', value: null, chunk: null }
  const marked = output as { [KIND]?: AnswerKind; value?: TSchema; chunk?: TSchema }
  const kind = marked[KIND]
  if (kind === undefined) return { kind: 'value', value: output, chunk: null }
  return { kind, value: marked.value ?? null, chunk: marked.chunk ?? null }
}
