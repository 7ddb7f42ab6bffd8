// One operation for each kind of body and answer.
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { either, eventStream, events, nothing, replies, reply, type ServerEvent } from '../../src/kit/answer.ts'
import { Fault } from '../../src/kit/fault.ts'
import { nullable, operation } from './state.ts'

export const RAW_LIMIT = 4096

export const echo = operation({
  route: 'POST /v1/specimen/echo',
  summary: 'Answers its input',
  access: 'public',
  input: { tree: Type.Optional(Type.Unknown()), text: Type.Optional(Type.String()) },
  output: Type.Object({ tree: Type.Optional(Type.Unknown()), text: Type.Optional(Type.String()) }),
  audit: 'none',
  run: (_context, input) => input,
})

export const typed = operation({
  route: 'GET /v1/specimen/typed',
  summary: 'Query fields of each type',
  access: 'public',
  input: {
    whole: Type.Optional(Type.Integer()),
    number: Type.Optional(Type.Number()),
    flag: Type.Optional(Type.Boolean()),
    word: Type.Optional(Type.Enum(['one', 'two'])),
  },
  output: Type.Object({}),
  run: (_context, input) => input,
})

export const raw = operation({
  route: 'POST /v1/specimen/raw',
  summary: 'Takes bytes',
  access: 'bearer',
  body: 'bytes',
  bodyLimit: RAW_LIMIT,
  encodings: ['gzip', 'deflate', 'br', 'zstd'],
  input: { tag: Type.Optional(Type.String()) },
  output: Type.Object({ bytes: Type.Integer(), tag: Type.Optional(Type.String()) }),
  audit: 'none',
  run: (_context, { body, tag }) => ({ bytes: body.length, tag }),
})

export const parsed = operation({
  route: 'POST /v1/specimen/parsed',
  summary: 'Takes JSON that is not ours: its bytes, what it is, and the fields we know',
  access: 'bearer',
  body: 'parsed',
  bodyLimit: RAW_LIMIT,
  encodings: ['gzip'],
  input: { model: Type.Optional(Type.String({ examples: ['one'] })) },
  output: Type.Object({ bytes: Type.Integer(), json: Type.Optional(Type.Unknown()), model: nullable }),
  audit: 'none',
  run: (_context, { body, model }) => ({ bytes: body.bytes.length, json: body.json, model: model ?? null }),
})

export const upload = operation({
  route: 'POST /v1/specimen/upload',
  summary: 'Takes a stream, and counts it',
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

export const ignoring = operation({
  route: 'POST /v1/specimen/ignoring',
  summary: 'Takes a stream, and does not read it',
  access: 'bearer',
  body: 'stream',
  bodyLimit: 1024 * 1024,
  output: nothing,
  audit: 'none',
  run: () => {},
})

export const any = operation({
  route: 'ANY /v1/specimen/any',
  summary: 'Takes any method',
  access: 'bearer',
  body: 'bytes',
  bodyLimit: RAW_LIMIT,
  passUnknown: true,
  output: Type.Object({ method: Type.String(), bytes: Type.Integer() }),
  audit: 'none',
  run: ({ request: { method } }, { body }) => ({ method, bytes: body.length }),
})

// Answers.

export const redirect = operation({
  route: 'GET /v1/specimen/redirect',
  summary: 'Sends elsewhere',
  access: 'public',
  output: replies,
  status: 303,
  run: () => reply(303, { location: 'https://elsewhere.example.com/', 'set-cookie': ['a=1', 'b=2'] }),
})

export const file = operation({
  route: 'GET /v1/specimen/file',
  summary: 'Answers bytes of its own',
  access: 'public',
  output: replies,
  run: () => reply(200, { 'content-type': 'text/plain', 'cache-control': 'max-age=60' }, Buffer.from('plain')),
})

export const drip = operation({
  route: 'GET /v1/specimen/drip',
  summary: 'Streams until the client leaves',
  access: 'public',
  output: replies,
  run: ({ request }) => {
    const body = new Readable({ read() {} })
    body.push('first\n')
    request.signal.addEventListener('abort', () => {
      drips.left++
      body.destroy()
    })
    return reply(200, { 'content-type': 'text/plain' }, body)
  },
})
/** How many clients of the streams were seen to leave, or were stopped. */
export const drips = { left: 0 }

const Tick = Type.Object({ n: Type.Integer() })

export const ticks = operation({
  route: 'GET /v1/specimen/ticks',
  summary: 'An event stream: so many events, then one that fails if it is asked to',
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
  if (fails) throw new Fault('conflict', { message: 'The stream broke off.' })
}

export const tail = operation({
  route: 'GET /v1/specimen/tail',
  summary: 'An event stream without end',
  access: 'bearer',
  output: events(Tick),
  run: ({ request: { signal } }) => {
    async function* follow(): AsyncGenerator<ServerEvent<{ n: number }>> {
      yield { data: { n: 0 } }
      await new Promise(resolve => signal.addEventListener('abort', resolve))
      drips.left++
    }
    return eventStream(follow())
  },
})

export const chat = operation({
  route: 'POST /v1/specimen/chat',
  summary: 'A value, or the same as an event stream; costs a little, and calls a model',
  access: 'bearer',
  project: 'chosen',
  model: 'model',
  metered: true,
  passUnknown: true,
  input: { model: Type.String({ examples: ['one'] }), stream: Type.Optional(Type.Boolean()) },
  output: either(Type.Object({ model: Type.String() }), Tick),
  audit: 'none',
  run: (_context, { model, stream }) => (stream ? eventStream(tick(2, false)) : { model }),
})
