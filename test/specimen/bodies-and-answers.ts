// An operation for each kind of body and answer.
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { either, eventStream, events, nothing, replies, reply, type ServerEvent } from '../../src/kit/answer.ts'
import { Fault } from '../../src/kit/fault.ts'
import { nullable, operation } from './state.ts'

export const BODY_LIMIT = 4096

export const echo = operation({
  route: 'POST /v1/specimen/echo',
  summary: 'Returns its input',
  access: 'public',
  input: { tree: Type.Optional(Type.Unknown()), text: Type.Optional(Type.String()) },
  output: Type.Object({ tree: Type.Optional(Type.Unknown()), text: Type.Optional(Type.String()) }),
  audit: 'none',
  run: (_context, input) => input,
})

export const typedQuery = operation({
  route: 'GET /v1/specimen/typed-query',
  summary: 'Has a query field of each type',
  access: 'public',
  input: {
    integer: Type.Optional(Type.Integer()),
    number: Type.Optional(Type.Number()),
    flag: Type.Optional(Type.Boolean()),
    choice: Type.Optional(Type.Enum(['one', 'two'])),
  },
  output: Type.Object({}),
  run: (_context, input) => input,
})

export const raw = operation({
  route: 'POST /v1/specimen/raw',
  summary: 'Accepts a body of bytes',
  access: 'bearer',
  body: 'bytes',
  bodyLimit: BODY_LIMIT,
  encodings: ['gzip', 'deflate', 'br', 'zstd'],
  input: { tag: Type.Optional(Type.String()) },
  output: Type.Object({ bytes: Type.Integer(), tag: Type.Optional(Type.String()) }),
  audit: 'none',
  run: (_context, { body, tag }) => ({ bytes: body.length, tag }),
})

export const parsed = operation({
  route: 'POST /v1/specimen/parsed',
  summary: 'Accepts any JSON: the operation gets the bytes, the parsed value and the declared fields',
  access: 'bearer',
  body: 'parsed',
  bodyLimit: BODY_LIMIT,
  encodings: ['gzip'],
  input: { model: Type.Optional(Type.String({ examples: ['one'] })) },
  output: Type.Object({ bytes: Type.Integer(), json: Type.Optional(Type.Unknown()), model: nullable }),
  audit: 'none',
  run: (_context, { body, model }) => ({ bytes: body.bytes.length, json: body.json, model: model ?? null }),
})

export const upload = operation({
  route: 'POST /v1/specimen/upload',
  summary: 'Accepts a streamed body and counts its bytes',
  access: 'bearer',
  body: 'stream',
  bodyLimit: 1024 * 1024,
  encodings: ['gzip', 'deflate', 'br', 'zstd'],
  output: Type.Object({ bytes: Type.Integer(), chunks: Type.Integer() }),
  audit: 'none',
  run: async (_context, { body }) => {
    let [bytes, chunks] = [0, 0]
    for await (const chunk of body) {
      bytes += (chunk as Buffer).length
      chunks++
    }
    return { bytes, chunks }
  },
})

export const unreadUpload = operation({
  route: 'POST /v1/specimen/unread-upload',
  summary: 'Accepts a streamed body and does not read it',
  access: 'bearer',
  body: 'stream',
  bodyLimit: 1024 * 1024,
  output: nothing,
  audit: 'none',
  run: () => {},
})

export const anyMethod = operation({
  route: 'ANY /v1/specimen/any-method',
  summary: 'Accepts any method',
  access: 'bearer',
  body: 'bytes',
  bodyLimit: BODY_LIMIT,
  passUnknown: true,
  output: Type.Object({ method: Type.String(), bytes: Type.Integer() }),
  audit: 'none',
  run: ({ request: { method } }, { body }) => ({ method, bytes: body.length }),
})

// Answers.

export const redirect = operation({
  route: 'GET /v1/specimen/redirect',
  summary: 'Redirects to another origin',
  access: 'public',
  output: replies,
  status: 303,
  run: () => reply(303, { location: 'https://elsewhere.example.com/', 'set-cookie': ['a=1', 'b=2'] }),
})

export const file = operation({
  route: 'GET /v1/specimen/file',
  summary: 'Answers bytes with its own headers',
  access: 'public',
  output: replies,
  run: () => reply(200, { 'content-type': 'text/plain', 'cache-control': 'max-age=60' }, Buffer.from('plain')),
})

export const endlessStream = operation({
  route: 'GET /v1/specimen/endless-stream',
  summary: 'Streams until the client disconnects',
  access: 'public',
  output: replies,
  run: ({ request }) => {
    const body = new Readable({ read() {} })
    body.push('first\n')
    request.signal.addEventListener('abort', () => {
      disconnects.count++
      body.destroy()
    })
    return reply(200, { 'content-type': 'text/plain' }, body)
  },
})
/** Counts the endless streams that were aborted: by their client, or because the host drained. */
export const disconnects = { count: 0 }

const Tick = Type.Object({ n: Type.Integer() })

export const ticks = operation({
  route: 'GET /v1/specimen/ticks',
  summary: 'An event stream of `count` events; with `fails` it then fails',
  access: 'bearer',
  input: {
    count: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, examples: [3] })),
    fails: Type.Optional(Type.Boolean()),
  },
  output: events(Tick),
  faults: ['conflict'],
  run: (_context, { count = 3, fails = false }) => eventStream(tick(count, fails)),
})

async function* tick(count: number, fails: boolean): AsyncGenerator<ServerEvent<{ n: number }>> {
  for (let n = 1; n <= count; n++) yield { data: { n }, id: String(n), event: 'tick' }
  if (fails) throw new Fault('conflict', { message: 'The stream failed.' })
}

export const endlessEvents = operation({
  route: 'GET /v1/specimen/endless-events',
  summary: 'An event stream that never ends',
  access: 'bearer',
  output: events(Tick),
  run: ({ request: { signal } }) => {
    async function* follow(): AsyncGenerator<ServerEvent<{ n: number }>> {
      yield { data: { n: 0 } }
      await new Promise(resolve => signal.addEventListener('abort', resolve))
      disconnects.count++
    }
    return eventStream(follow())
  },
})

export const chat = operation({
  route: 'POST /v1/specimen/chat',
  summary: 'Answers a value or an event stream; metered, and calls a model',
  access: 'bearer',
  project: 'chosen',
  model: 'model',
  uses: ['meter'],
  passUnknown: true,
  input: { model: Type.String({ examples: ['one'] }), stream: Type.Optional(Type.Boolean()) },
  output: either(Type.Object({ model: Type.String() }), Tick),
  audit: 'none',
  run: (_context, { model, stream }) => (stream ? eventStream(tick(2, false)) : { model }),
})
