// The kinds of answer that an operation can declare as `output`, which types its `run`: a JSON value or its text, nothing,
// an event stream, a value or an event stream (depending on the request), or a reply with explicit status, headers and
// body.
import type { Readable } from 'node:stream'
import { type Static, type TSchema, Type } from 'typebox'

/** No body: 204. */
export const nothing = Type.Void()

/** A text is sent with the head in one piece, bytes are not. */
type ReplyBody = string | Uint8Array | Readable | null

/** For redirects, files and foreign protocols. */
export class Reply {
  readonly status: number
  readonly headers: Record<string, string | string[]>
  readonly body: ReplyBody
  constructor(status: number, headers: Record<string, string | string[]>, body: ReplyBody) {
    this.status = status
    this.headers = headers
    this.body = body
  }
}

export const reply = (status: number, headers: Reply['headers'] = {}, body: ReplyBody = null): Reply =>
  new Reply(status, headers, body)

/** A JSON value as text: stored JSON need not be parsed and serialised again. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** The JSON text of what an operation answered. */
export const answerText = (output: unknown): string =>
  output instanceof JsonText ? output.text : JSON.stringify(output)

/** The body of a JSON answer: with a final newline, so that a shell shows its prompt on the next line. */
export const jsonBody = (value: unknown): string => `${answerText(value)}\n`

/** One event of `text/event-stream`. A string is sent unchanged, any other value as JSON. */
export type ServerEvent<T> = { data: T; event?: string; id?: string }

/** Byte chunks from the source are already encoded events and are sent unchanged. */
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

/** As `output`: the same, with a body of that media type. */
export const repliesIn = (media: string) => Type.Unsafe<Reply>({ [KIND]: 'reply', media })

/** As `output`: the same, with a body of any number of lines, each a JSON value of that schema. */
export const jsonLines = (line: TSchema) =>
  Type.Unsafe<Reply>({ [KIND]: 'reply', media: 'application/x-ndjson', chunk: line })

/** As `output`: a value of that schema, or the same as CSV in a `reply(…)`, depending on the input field `format` of
 *  kit/csv.ts or the header Accept. */
export const orCsv = <V extends TSchema>(value: V) =>
  Type.Unsafe<Static<V> | Reply>({ [KIND]: 'value', value, media: 'text/csv' })

/** As `output`: a value of that schema, answered as text. */
export const writtenAs = (value: TSchema) => Type.Unsafe<JsonText>(value)

/** As `output`: the operation answers with `eventStream(…)`; `chunk` is the schema of each event's data. */
export const events = <C extends TSchema>(chunk: C) =>
  Type.Unsafe<EventStream<Static<C>>>({ [KIND]: 'events', value: null, chunk })

/** As `output`: a value or an event stream, depending on the request. */
export const either = <V extends TSchema, C extends TSchema>(value: V, chunk: C) =>
  Type.Unsafe<Static<V> | EventStream<Static<C>>>({ [KIND]: 'either', value, chunk })

/** As `output`: the same for foreign protocols, with the bytes of the value in a `reply(…)`. */
export const eitherBytes = <V extends TSchema, C extends TSchema>(value: V, chunk: C) =>
  Type.Unsafe<Reply | EventStream<Static<C>>>({ [KIND]: 'either', value, chunk })

export type AnswerKind = 'value' | 'nothing' | 'reply' | 'events' | 'either'
/** A parsed `output`: `value` is the schema of the value, `chunk` that of an event's data or of a line, `media` the type of a
 *  reply, or the other type in which a value can be asked for. */
export type Answer = { kind: AnswerKind; value: TSchema | null; chunk: TSchema | null; media: string | null }

export function answerOf(output: TSchema): Answer {
  if (output === nothing) return { kind: 'nothing', value: null, chunk: null, media: null }
  const marked = output as { [KIND]?: AnswerKind; value?: TSchema; chunk?: TSchema; media?: string }
  const kind = marked[KIND]
  if (kind === undefined) return { kind: 'value', value: output, chunk: null, media: null }
  return { kind, value: marked.value ?? null, chunk: marked.chunk ?? null, media: marked.media ?? null }
}
