// One request to a provider.
import type { IncomingHttpHeaders } from 'node:http'
import { type Http, type HttpBody, HttpFailure, type HttpResponse } from '../../../engines/engines.ts'
import { eventsOfWhole } from './events-of-whole.ts'
import { BETA_HEADERS } from './extras.ts'
import { refusalInText } from './opening.ts'
import { failureOf, notAsked, refusalIn, refusalWithin, unusable } from './refusal.ts'
import type { Route } from './route.ts'
import { cleanError, tellsError } from './secrets.ts'
import { eventsIn } from './server-events.ts'
import { jsonIn } from './texts.ts'

/** For the head of the answer, and for each gap in it, unless the model has its own. Reasoning models think for minutes
 *  before the first byte. */
const WAIT_MS = 300_000
const ANSWER_BYTES_MAX = 64 * 1024 * 1024

export type Sent = {
  body: Buffer | string
  /** Of the client. */
  headers: IncomingHttpHeaders
  isStreamed: boolean
  signal: AbortSignal
  /** Called when the request was written to a connection. */
  onSent: () => void
}

/** An answer that is not streamed. */
export type Whole = { bytes: Buffer; text: string; json: object }

/** `whole` is null if a stream was requested. */
export type Answered = { response: HttpResponse; whole: Whole | null }

/** The client disconnected after part of the answer had arrived. */
export class CutOff extends Error {
  readonly route: Route
  readonly text: string
  constructor(route: Route, text: string, cause: unknown) {
    super('the client disconnected during the answer', { cause })
    this.route = route
    this.text = text
  }
}

export async function attempt(http: Http, route: Route, sent: Sent): Promise<Answered> {
  const { offer, wire } = route
  const { provider, baseUrl, apiKey } = offer.at
  const { beginMs = WAIT_MS, gapMs = WAIT_MS } = offer.bounds
  const { body, headers, isStreamed, signal, onSent } = sent
  const parts: Buffer[] = []
  try {
    const response = await http.send({
      method: 'POST',
      url: baseUrl + provider.path(wire),
      headers: { 'content-type': 'application/json', ...passedHeaders(route, headers), ...provider.headers(apiKey) },
      body,
      timeoutMs: beginMs,
      gapMs,
      stream: true,
      bodyBytesMax: ANSWER_BYTES_MAX,
      reach: 'configured',
      signal,
      onSent,
    })
    if (response.status < 200 || response.status > 299) throw await refusalIn(response, offer)
    // Some providers answer in one piece although a stream was requested.
    if (isStreamed && !isJson(response)) {
      if (isEvents(response)) return { response, whole: null }
      response.body.destroy()
      throw unusable(offer.by)
    }
    for await (const part of response.body) parts.push(part)
    const whole = wholeOf(parts, response, route)
    if (!isStreamed) return { response, whole }
    const events = eventsOfWhole(wire, whole.json)
    if (events === null) throw unusable(offer.by)
    return { response: { ...response, body: bodyOf(events) }, whole: null }
  } catch (error) {
    if (signal.aborted && parts.length > 0) throw new CutOff(route, Buffer.concat(parts).toString(), error)
    signal.throwIfAborted()
    throw error instanceof HttpFailure ? failureOf(error, offer.by) : error
  }
}

const bodyOf = (bytes: Buffer): HttpBody =>
  Object.assign(
    (async function* () {
      yield bytes
    })(),
    { destroy: () => {} },
  )

const isJson = ({ headers }: HttpResponse) => String(headers['content-type']).startsWith('application/json')

/** Some answers have no content type. A web page is not an answer. */
const isEvents = ({ headers }: HttpResponse) =>
  /^(text\/event-stream|undefined)\b/i.test(String(headers['content-type']))

function wholeOf(parts: readonly Buffer[], response: HttpResponse, { offer }: Route): Whole {
  const bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
  const text = bytes.toString('utf8')
  const json = jsonIn(text)
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw refusalInText(text, response, offer) ?? unusableText(text, offer.by)
  const refusal = refusalWithin(json, response, offer)
  if (refusal) throw refusal
  const clean = tellsError(json) ? cleanError(json, offer.at.apiKey) : json
  if (clean === json) return { bytes, text, json }
  const cleanText = JSON.stringify(clean)
  return { bytes: Buffer.from(cleanText), text: cleanText, json: clean }
}

const unusableText = (text: string, by: string) =>
  eventsIn(Buffer.from(text)).length > 0 ? notAsked(by) : unusable(by)

/** Headers with which a client enables optional features of its wire. */
function passedHeaders({ translation }: Route, headers: IncomingHttpHeaders): Record<string, string> {
  const given = translation ? [] : BETA_HEADERS.filter(name => headers[name] !== undefined)
  return Object.fromEntries(given.map(name => [name, String(headers[name])]))
}
