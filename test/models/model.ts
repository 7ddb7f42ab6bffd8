// A model on both wires: a test sets its answers in a common form, and it answers in the caller's format, as recorded from
// OpenAI and Anthropic. It rejects requests that those would reject.
import type { ServerResponse } from 'node:http'
import { type Answering, json, type Received } from '../model-server.ts'
import { chatAnswer, chatChunks, chatComplaint } from './model-chat.ts'
import { messageAnswer, messageEvents, messagesComplaint } from './model-messages.ts'
import { responseAnswer, responseEvents } from './model-responses.ts'

export type Json = Record<string, unknown>
export type ToolCall = { id: string; name: string; input: Json }
/** Counts of tokens; `cached` is a part of `input`. */
export type Counts = { input: number; output: number; cached: number }
/** What the model says in one answer. */
export type Turn = { text?: string; calls?: ToolCall[]; isCut?: boolean; counts?: Partial<Counts> }
/** The same, with nothing left out. */
export type Said = { text: string; calls: ToolCall[]; isCut: boolean; counts: Counts }

const COUNTS: Counts = { input: 1000, output: 200, cached: 0 }
export const PROVIDER_KEY = 'provider-secret'

const saidIn = ({ text = '', calls = [], isCut = false, counts = {} }: Turn): Said => ({
  ...{ text, calls, isCut },
  counts: { ...COUNTS, ...counts },
})

/** Texts come in pieces, which cut words, and characters of two code units are never cut. */
export const pieces = (text: string, size = 5): string[] => {
  const characters = [...text]
  const count = Math.ceil(characters.length / size)
  return Array.from({ length: count }, (_, n) => characters.slice(n * size, (n + 1) * size).join(''))
}

/** Answers one request with each of these, and refuses any other request. */
export function saying(...turns: readonly (Turn | Answering)[]): Answering {
  const left = [...turns]
  return async (response, received) => {
    const next = left.shift()
    if (next === undefined) return json({ error: { message: 'No answer is left' } }, 400)(response, received)
    if (typeof next === 'function') return next(response, received)
    const complaint = complaintAbout(received)
    if (complaint) return json(refusal(received, complaint), 400)(response, received)
    await answer(response, received, saidIn(next), '')
  }
}

/** Sends the first words of a stream, and closes the connection when told to. */
export const stoppingAfter =
  (text: string, isOver: Promise<void>): Answering =>
  async (response, received) => {
    await answer(response, received, saidIn({ text: `${text} and more` }), text)
    await isOver
    response.destroy()
  }

/** An error in the format of whoever is asked. */
export const failing =
  (status: number, code: string, message: string, headers: Record<string, string> = {}): Answering =>
  (response, received) =>
    json(refusal(received, message, code), status, headers)(response, received)

async function answer(response: ServerResponse, received: Received, said: Said, stopsAfter: string): Promise<void> {
  const wire = wireOf(received)
  if (received.json.stream !== true) return json(wire.whole(said))(response, received)
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  let written = ''
  for (const event of wire.events(said, received.json)) {
    response.write(event)
    written += event
    // Apart from each other, so that they arrive one by one.
    await new Promise(resolve => setTimeout(resolve, 1))
    if (stopsAfter !== '' && joined(written).includes(stopsAfter)) return
  }
  response.end()
}

/** The text so far, of any wire. */
const joined = (events: string) =>
  [...events.matchAll(/"(?:content|text|delta)":("(?:[^"\\]|\\.)*")/g)]
    .map(([, text]) => JSON.parse(text ?? '""'))
    .join('')

type Wire = {
  whole(said: Said): unknown
  events(said: Said, request: Json): string[]
  complaint(received: Received): string | null
}

const WIRES: Record<string, Wire> = {
  '/v1/chat/completions': { whole: chatAnswer, events: chatChunks, complaint: chatComplaint },
  '/v1/messages': { whole: messageAnswer, events: messageEvents, complaint: messagesComplaint },
  '/v1/responses': { whole: responseAnswer, events: responseEvents, complaint: () => null },
}

function wireOf({ path }: Received): Wire {
  const wire = WIRES[path]
  if (!wire) throw new Error(`The provider was asked at ${path}`)
  return wire
}

function complaintAbout(received: Received): string | null {
  const { 'x-api-key': own, authorization } = received.headers
  const key = received.path === '/v1/messages' ? own : authorization?.replace('Bearer ', '')
  return key === PROVIDER_KEY ? wireOf(received).complaint(received) : 'The key is not that of the provider'
}

function refusal({ path }: Received, message: string, code = 'invalid_request_error'): Json {
  if (path === '/v1/messages') return { type: 'error', error: { type: code, message }, request_id: 'req_011CQ' }
  return { error: { message, type: 'invalid_request_error', param: null, code } }
}
