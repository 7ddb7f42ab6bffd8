import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type JsonObject, Untranslatable } from '../translation.ts'
import { responsesOverChat } from './responses-over-chat.ts'

const MODEL = 'some-model'
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const TOOL = {
  type: 'function',
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: SCHEMA,
  strict: true,
}
const CHAT_TOOL = {
  type: 'function',
  function: { name: 'get_weather', description: 'Weather of a city', parameters: SCHEMA, strict: true },
}

const request = (fields: JsonObject) => responsesOverChat.request({ model: MODEL, input: 'Hello', ...fields })
const messagesOf = (input: unknown, fields: JsonObject = {}) => request({ ...fields, input }).messages
const HELLO = { model: MODEL, messages: [{ role: 'user', content: 'Hello' }] }

describe('a request of responses', () => {
  it('with text is one message of the user', () => {
    assert.deepEqual(request({}), HELLO)
  })

  it('with instructions begins with a system message', () => {
    assert.deepEqual(messagesOf('Hello', { instructions: 'Be brief.' }), [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ])
  })

  it('with messages of all roles keeps their order', () => {
    const input = [
      { role: 'developer', content: 'Be brief.' },
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Be kind.' }] },
      { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hello!', annotations: [], logprobs: [] }],
      },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'I cannot.' }] },
      { role: 'user', content: 'Thanks' },
    ]
    assert.deepEqual(messagesOf(input), [
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello!' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'I cannot.' }] },
      { role: 'user', content: 'Thanks' },
    ])
  })

  it('with images, files and audio has their chat parts', () => {
    const content = [
      { type: 'input_text', text: 'What is this?', prompt_cache_breakpoint: { mode: 'explicit' } },
      { type: 'input_image', image_url: 'https://example.com/cat.png', detail: 'low' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: null, file_id: null },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
      { type: 'input_file', file_id: 'file_1' },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    ]
    assert.deepEqual(messagesOf([{ role: 'user', content }]), [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?', prompt_cache_breakpoint: { mode: 'explicit' } },
          { type: 'image_url', image_url: { url: 'https://example.com/cat.png', detail: 'low' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
          { type: 'file', file: { file_id: 'file_1' } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
        ],
      },
    ])
  })

  const call = (id: string, city: string) => {
    const text = JSON.stringify({ city })
    return {
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name: 'get_weather',
      arguments: text,
      status: 'completed',
    }
  }
  const chatCall = (id: string, city: string) => {
    return { id, type: 'function', function: { name: 'get_weather', arguments: JSON.stringify({ city }) } }
  }

  it('joins the text and the parallel calls of one turn, and leaves reasoning out', () => {
    const input = [
      { role: 'user', content: 'Weather in Rome and Oslo?' },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Let me look.', annotations: [] }] },
      call('call_1', 'Rome'),
      { type: 'reasoning', id: 'rs_2', summary: [] },
      call('call_2', 'Oslo'),
      { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
      { type: 'function_call_output', id: 'fco_2', call_id: 'call_2', output: [{ type: 'input_text', text: 'snow' }] },
      call('call_3', 'Bern'),
      { type: 'function_call_output', call_id: 'call_3', output: 'rain', status: 'completed' },
    ]
    assert.deepEqual(messagesOf(input), [
      { role: 'user', content: 'Weather in Rome and Oslo?' },
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [chatCall('call_1', 'Rome'), chatCall('call_2', 'Oslo')],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
      { role: 'tool', tool_call_id: 'call_2', content: 'snow' },
      { role: 'assistant', content: null, tool_calls: [chatCall('call_3', 'Bern')] },
      { role: 'tool', tool_call_id: 'call_3', content: 'rain' },
    ])
  })

  it('joins text that follows a call with the message of the call', () => {
    const input = [call('call_1', 'Rome'), ...['One', 'moment'].map(content => ({ role: 'assistant', content }))]
    const content = [
      { type: 'text', text: 'One' },
      { type: 'text', text: 'moment' },
    ]
    assert.deepEqual(messagesOf(input), [{ role: 'assistant', content, tool_calls: [chatCall('call_1', 'Rome')] }])
  })

  it('with tools nests them, and translates the choice', () => {
    assert.deepEqual(request({ tools: [TOOL], tool_choice: 'required', parallel_tool_calls: false }), {
      ...HELLO,
      tools: [CHAT_TOOL],
      tool_choice: 'required',
      parallel_tool_calls: false,
    })
    const one = request({ tools: [TOOL], tool_choice: { type: 'function', name: 'get_weather' } })
    assert.deepEqual(one.tool_choice, { type: 'function', function: { name: 'get_weather' } })
    const bare = request({ tools: [{ type: 'function', name: 'now', parameters: null, strict: null }] })
    assert.deepEqual(bare.tools, [{ type: 'function', function: { name: 'now' } }])
  })

  it('with allowed tools sends those tools only', () => {
    const other = { ...TOOL, name: 'other' }
    const choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'get_weather' }] }
    const { tools, tool_choice } = request({ tools: [TOOL, other], tool_choice: choice })
    assert.deepEqual([tools, tool_choice], [[CHAT_TOOL], 'auto'])
  })

  it('without tools has no choice of tools, which chat completions would reject', () => {
    assert.deepEqual(request({ tools: [], tool_choice: 'auto', parallel_tool_calls: true }), HELLO)
  })

  it('with a format has the response format', () => {
    const format = { type: 'json_schema', name: 'city', schema: SCHEMA, strict: true, description: 'A city' }
    assert.deepEqual(request({ text: { format, verbosity: 'low' } }), {
      ...HELLO,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'city', schema: SCHEMA, description: 'A city', strict: true },
      },
      verbosity: 'low',
    })
    const object = request({ text: { format: { type: 'json_object' } } })
    assert.deepEqual(object.response_format, { type: 'json_object' })
    assert.deepEqual(request({ text: { format: { type: 'text' } } }), HELLO)
  })

  it('passes its settings on', () => {
    const same = {
      temperature: 0.5,
      top_p: 0.9,
      metadata: { a: 'b' },
      user: 'u',
      safety_identifier: 's',
      prompt_cache_key: 'k',
      prompt_cache_retention: '24h',
      service_tier: 'flex',
    }
    const fields = { ...same, max_output_tokens: 100, reasoning: { effort: 'low', summary: 'auto' }, stream: true }
    assert.deepEqual(request({ ...fields, stream_options: { include_obfuscation: false } }), {
      ...HELLO,
      ...same,
      max_completion_tokens: 100,
      reasoning_effort: 'low',
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it('asks for log probabilities', () => {
    const include = ['message.output_text.logprobs']
    assert.deepEqual(request({ include }), { ...HELLO, logprobs: true })
    assert.deepEqual(request({ include, top_logprobs: 2 }), { ...HELLO, logprobs: true, top_logprobs: 2 })
    assert.deepEqual(request({ include: [], top_logprobs: 0 }), HELLO)
    assert.deepEqual(request({ include: ['reasoning.encrypted_content'] }), HELLO)
  })

  it('accepts what means that a feature is off', () => {
    const off = {
      previous_response_id: null,
      conversation: null,
      background: false,
      prompt: null,
      truncation: 'disabled',
      max_tool_calls: null,
      include: null,
      instructions: null,
      tools: null,
      tool_choice: null,
      text: null,
      reasoning: { effort: null, summary: null },
      stream: false,
      stream_options: null,
    }
    assert.deepEqual(request(off), HELLO)
    for (const store of [true, false, null]) assert.deepEqual(request({ store }), HELLO)
  })
})

describe('what chat completions cannot express', () => {
  const item = (fields: JsonObject) => ({ input: [{ role: 'user', content: 'Hi' }, fields] })
  const user = (part: unknown) => ({ input: [{ role: 'user', content: [part] }] })
  const builtIn = [
    'web_search',
    'web_search_preview',
    'file_search',
    'computer_use_preview',
    'code_interpreter',
    'image_generation',
    'mcp',
    'local_shell',
    'custom',
    'apply_patch',
    'shell',
  ]
  const cases: [path: string, fields: JsonObject][] = [
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['conversation', { conversation: 'conv_1' }],
    ['background', { background: true }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    ['truncation', { truncation: 'auto' }],
    ['max_tool_calls', { max_tool_calls: 3 }],
    ['context_management', { context_management: [{ type: 'compaction' }] }],
    ['moderation', { moderation: { model: 'omni' } }],
    ['include.1', { include: ['reasoning.encrypted_content', 'web_search_call.results'] }],
    ['reasoning.summary', { reasoning: { summary: 'detailed' } }],
    ['reasoning.depth', { reasoning: { depth: 1 } }],
    ['stream_options.include_obfuscation', { stream_options: { include_obfuscation: true } }],
    ['seed', { seed: 1 }],
    ['__proto__', JSON.parse('{"__proto__":{"a":1}}')],
    ['constructor', { constructor: 1 }],
    ['text.format.type', { text: { format: { type: 'grammar' } } }],
    ['text.format.schema', { text: { format: { type: 'json_schema', name: 'a' } } }],
    ['tool_choice', { tool_choice: 'required' }],
    ['tool_choice', { tool_choice: 7 }],
    ['tool_choice.type', { tools: [TOOL], tool_choice: { type: 'mcp', server_label: 'a' } }],
    ['tool_choice.tools.0.name', { tools: [TOOL], tool_choice: allowed({ type: 'function', name: 'b' }) }],
    ['tool_choice.tools.0.type', { tools: [TOOL], tool_choice: allowed({ type: 'mcp', server_label: 'b' }) }],
    ...builtIn.map((type): [string, JsonObject] => ['tools.0.type', { tools: [{ type }] }]),
    ['tools.0.name', { tools: [{ type: 'function' }] }],
    ['tools.0.defer_loading', { tools: [{ ...TOOL, defer_loading: true }] }],
    ['tools.0.parameters', { tools: [{ ...TOOL, parameters: 'x' }] }],
    ['input', { input: undefined }],
    ['input', { input: 7 }],
    ['input.0', { input: [null] }],
    ['input.1', item({ type: 'item_reference', id: 'msg_1' })],
    ['input.1.type', item({ type: 'web_search_call', id: 'ws_1' })],
    ['input.1.type', item({})],
    ['input.1.role', item({ role: 'tool', content: '' })],
    ['input.1.phase', item({ role: 'assistant', content: '', phase: 'commentary' })],
    ['input.1.call_id', item({ type: 'function_call', name: 'a', arguments: '' })],
    ['input.1.arguments', item({ type: 'function_call', call_id: 'a', name: 'a', arguments: {} })],
    ['input.1.output', item({ type: 'function_call_output', call_id: 'a', output: {} })],
    [
      'input.1.output.0.type',
      item({ type: 'function_call_output', call_id: 'a', output: [{ type: 'input_image', image_url: 'data:' }] }),
    ],
    ['input.1.content.0.type', item({ role: 'system', content: [{ type: 'input_image', image_url: 'data:' }] })],
    ['input.0.content', { input: [{ role: 'user' }] }],
    ['input.0.content.0', user('text')],
    ['input.0.content.0.type', user({ type: 'output_text', text: 'a' })],
    ['input.0.content.0.type', user({ type: 'toString', text: 'a' })],
    ['input.0.content.0.text', user({ type: 'input_text' })],
    ['input.0.content.0.file_id', user({ type: 'input_image', file_id: 'file_1' })],
    ['input.0.content.0.file_url', user({ type: 'input_file', file_url: 'https://example.com' })],
    ['input.0.content.0.file_data', user({ type: 'input_file' })],
    ['model', { model: null }],
    ['temperature', { temperature: 'hot' }],
    ['store', { store: 'yes' }],
    ['stream', { stream: 'yes' }],
  ]
  for (const [path, fields] of cases) {
    it(`is refused as ${path}: ${JSON.stringify(fields).slice(0, 70)}`, () => {
      assert.throws(
        () => request(fields),
        (error: unknown) => error instanceof Untranslatable && error.path === path && error.message.length > 0,
      )
    })
  }

  it('cuts the name of an unknown field', () => {
    assert.throws(
      () => request({ ['x'.repeat(1000)]: 1 }),
      (error: unknown) => error instanceof Untranslatable && error.path.length === 100,
    )
  })

  it('is never another error, whatever the values', () => {
    const names = [
      'model',
      'input',
      'instructions',
      'tools',
      'tool_choice',
      'text',
      'reasoning',
      'include',
      'stream_options',
    ]
    const parts = [
      'type',
      'role',
      'content',
      'text',
      'image_url',
      'name',
      'format',
      'mode',
      'output',
      'call_id',
      '__proto__',
    ]
    const words = [
      'message',
      'function',
      'function_call',
      'function_call_output',
      'user',
      'assistant',
      'input_text',
      'input_image',
    ]
    const { value } = fc.letrec(tie => ({
      value: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.constantFrom<unknown>(null, 7, true, 'text', ...words),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...parts), tie('value'), { maxKeys: 4 }),
      ),
    }))
    const body = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5 })
    fc.assert(
      fc.property(body, fields => {
        try {
          request(JSON.parse(JSON.stringify(fields)))
        } catch (error) {
          assert.ok(error instanceof Untranslatable, String(error))
          assert.ok(error.path !== '')
        }
      }),
      { numRuns: 500 },
    )
  })
})

function allowed(tool: JsonObject): JsonObject {
  return { type: 'allowed_tools', mode: 'auto', tools: [tool] }
}
