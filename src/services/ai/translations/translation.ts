// A translation lets a client of one wire call a model of another: the request one way, the answer the other way.

export type JsonObject = Record<string, unknown>

/** One event of `text/event-stream`. */
export type ServerEvent = { event: string | null; data: string }

/** The events for the client that follow from one of the upstream, and those after its last one. */
export type StreamTranslation = {
  next(event: ServerEvent): ServerEvent[]
  end(): ServerEvent[]
}

/** `id` and `created` (seconds) are for answers whose upstream has none; `model` is the name that the client used. */
export type About = { id: string; created: number; model: string }

export type Translation = {
  /** Throws `Untranslatable` for what the upstream's wire cannot express. */
  request(body: JsonObject): JsonObject
  /** `request` is the body of the client, of which some answers repeat parts. */
  answer(body: JsonObject, about: About, request?: JsonObject): JsonObject
  stream(request: JsonObject, about: About): StreamTranslation
  /** The field of the client's request from which one of the upstream's was made, if their names differ. */
  fieldOf?(path: string): string
}

/** `path` names the field of the request. The message is what follows the name in a sentence. */
export class Untranslatable extends Error {
  readonly path: string
  constructor(path: string, says: string) {
    super(says)
    this.path = path
  }
}
