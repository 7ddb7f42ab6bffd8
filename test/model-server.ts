// A model provider on 127.0.0.1 that answers in the formats of OpenAI and Anthropic, as set by a test.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

export type Received = {
  path: string
  headers: IncomingMessage['headers']
  bytes: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: each test sends another body
  json: any
  /** Whether the connection was closed before the answer was complete. */
  isCut: boolean
}
export type Answering = (response: ServerResponse, received: Received) => void | Promise<void>

/** `answer` is what the next requests get. */
export async function startModelServer(t?: TestContext) {
  const received: Received[] = []
  const state: { answer: Answering } = { answer: json(chatCompletion()) }
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request)
    const one = { path: request.url ?? '', headers: request.headers, bytes, json: parsed(bytes), isCut: false }
    received.push(one)
    response.once('close', () => {
      one.isCut = !response.writableFinished
    })
    await state.answer(response, one)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  t?.after(close)
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, received, state, close }
}

const parsed = (bytes: Buffer) => (bytes.length === 0 ? null : JSON.parse(bytes.toString()))

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answering =>
  response =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

/** Sends the texts one by one, and ends unless `isOpen`. */
export const stream =
  (parts: readonly string[], isOpen = false): Answering =>
  async response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const part of parts) {
      response.write(part)
      await new Promise(resolve => setTimeout(resolve, 2))
    }
    if (!isOpen) response.end()
  }

const USAGE = { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 }

export const chatCompletion = (usage: object | null = USAGE, content = 'Hello') => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'large-2026',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop', logprobs: null }],
  ...(usage && { usage }),
})

const chunk = (choices: unknown[], more: object = {}) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'large-2026', choices, ...more })}\n\n`

export const delta = (content: string, more: object = {}) =>
  chunk([{ index: 0, delta: { content }, finish_reason: null }], more)

/** As OpenAI sends it to whoever asks for usage. */
export const chatChunks = (words: readonly string[], usage: object | null = USAGE): string[] => {
  const none = usage ? { usage: null } : {}
  return [
    chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }], none),
    ...words.map(word => delta(word, none)),
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }], none),
    ...(usage ? [chunk([], { usage })] : []),
    'data: [DONE]\n\n',
  ]
}

export const message = (content: unknown[] = [{ type: 'text', text: 'Hello' }]) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-large',
  content,
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 900, cache_read_input_tokens: 100, cache_creation_input_tokens: 0, output_tokens: 200 },
})

const named = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`

export const messageEvents = (words: readonly string[]): string[] => [
  named('message_start', { message: { ...message([]), usage: { input_tokens: 1000, output_tokens: 1 } } }),
  named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  ...words.map(text => named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
  named('content_block_stop', { index: 0 }),
  named('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 200 } }),
  named('message_stop', {}),
]
