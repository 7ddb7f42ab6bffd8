import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type JsonObject, Untranslatable } from '../translation.ts'
import { ANSWERS, REQUESTS } from './fixtures/calls.ts'
import { STREAMS } from './fixtures/streams.ts'
import { messagesOverChat } from './messages-over-chat.ts'

const about = { id: 'own', created: 1_700_000_000, model: 'gpt' }
const ask = (fields: JsonObject): JsonObject =>
  messagesOverChat.request({ model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }], ...fields })

function refusedPath(fields: JsonObject): string {
  try {
    ask(fields)
  } catch (error) {
    assert.ok(error instanceof Untranslatable, String(error))
    // A sentence begins with the path, which is not repeated.
    assert.ok(!error.message.startsWith(`${error.path} `), error.message)
    return error.path
  }
  return 'accepted'
}

/** All events for the client, parsed. */
function play(chunks: (JsonObject | '[DONE]')[]): JsonObject[] {
  const stream = messagesOverChat.stream({}, about)
  const sent = chunks.flatMap(data =>
    stream.next({ event: null, data: data === '[DONE]' ? data : JSON.stringify(data) }),
  )
  return [...sent, ...stream.end(), ...stream.end()].map(({ event, data }) => {
    const parsed = JSON.parse(data)
    assert.equal(event, parsed.type)
    return parsed
  })
}

describe('an Anthropic request for a chat model', () => {
  for (const { name, chat, messages } of REQUESTS) {
    it(name, () => assert.deepEqual(messagesOverChat.request(messages), chat))
  }

  it('translates choices of tools and thinking budgets', () => {
    assert.equal(ask({ tool_choice: { type: 'any' } }).tool_choice, 'required')
    assert.equal(ask({ tool_choice: { type: 'none' } }).tool_choice, 'none')
    const named = { type: 'function', function: { name: 'f' } }
    assert.deepEqual(ask({ tool_choice: { type: 'tool', name: 'f' } }).tool_choice, named)
    const effort = (budget_tokens: number) => ask({ thinking: { type: 'enabled', budget_tokens } }).reasoning_effort
    assert.deepEqual([1024, 8191, 8192, 16_383, 16_384].map(effort), ['low', 'low', 'medium', 'medium', 'high'])
    assert.equal('reasoning_effort' in ask({ thinking: { type: 'disabled' } }), false)
  })

  it('hashes a user id that is too long for OpenAI', () => {
    const user_id = `user_${'a'.repeat(64)}_account__session_1`
    assert.match(ask({ metadata: { user_id } }).user as string, /^[0-9a-f]{64}$/)
    assert.equal(ask({ metadata: { user_id: 'u'.repeat(64) } }).user, 'u'.repeat(64))
    assert.equal('user' in ask({ metadata: {} }), false)
  })

  it('refuses by name what the chat wire cannot express', () => {
    const one = (block: unknown, role = 'user') => ({ messages: [{ role, content: [block] }] })
    const result = (content: unknown) => one({ type: 'tool_result', tool_use_id: 'a', content })
    const tool = (fields: JsonObject) => ({ tools: [{ name: 'f', input_schema: {}, ...fields }] })
    const document = (source: JsonObject, fields: JsonObject = {}) => one({ type: 'document', source, ...fields })
    const rows: [fields: JsonObject, path: string][] = [
      [{ top_k: 5 }, 'top_k'],
      [{ mcp_servers: [{ type: 'url', url: 'https://a', name: 'a' }] }, 'mcp_servers'],
      [{ container: 'c_1' }, 'container'],
      [{ inference_geo: 'us' }, 'inference_geo'],
      [{ speed: 'fast' }, 'speed'],
      [{ context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }, 'context_management'],
      [JSON.parse('{"__proto__":{"a":1}}'), '__proto__'],
      [{ other: 1 }, 'other'],
      [{ max_tokens: undefined }, 'max_tokens'],
      [{ max_tokens: 0 }, 'max_tokens'],
      [{ temperature: 'warm' }, 'temperature'],
      [{ stop_sequences: ['1', '2', '3', '4', '5'] }, 'stop_sequences'],
      [{ stop_sequences: [1] }, 'stop_sequences[0]'],
      [{ metadata: { other: 'a' } }, 'metadata.other'],
      [{ thinking: { type: 'between_tools' } }, 'thinking.type'],
      [{ thinking: { type: 'enabled' } }, 'thinking.budget_tokens'],
      [{ output_config: { effort: 'extreme' } }, 'output_config.effort'],
      [{ output_config: { task_budget: 1 } }, 'output_config.task_budget'],
      [{ output_config: { format: { type: 'regex' } } }, 'output_config.format.type'],
      [{ service_tier: 'priority' }, 'service_tier'],
      [{ tool_choice: { type: 'other' } }, 'tool_choice.type'],
      [{ tool_choice: 'auto' }, 'tool_choice'],
      [tool({ type: 'web_search_20250305' }), 'tools[0].type'],
      [tool({ type: 'computer_20250124' }), 'tools[0].type'],
      [tool({ type: 'bash_20250124' }), 'tools[0].type'],
      [tool({ type: 'text_editor_20250728' }), 'tools[0].type'],
      [tool({ defer_loading: true }), 'tools[0].defer_loading'],
      [tool({ allowed_callers: ['code_execution_20250825'] }), 'tools[0].allowed_callers'],
      [tool({ input_examples: [{}] }), 'tools[0].input_examples'],
      [tool({ input_schema: 1 }), 'tools[0].input_schema'],
      [tool({ name: null }), 'tools[0].name'],
      [{ system: 5 }, 'system'],
      [{ system: [{ type: 'image' }] }, 'system[0].type'],
      [{ messages: {} }, 'messages'],
      [{ messages: [{ role: 'tool', content: '' }] }, 'messages[0].role'],
      [{ messages: [{ role: 'user' }] }, 'messages[0].content'],
      [one(null), 'messages[0].content[0]'],
      [one({ type: 'server_tool_use' }, 'assistant'), 'messages[0].content[0].type'],
      [one({ type: 'tool_use', id: 'a', name: 'f', input: 'x' }, 'assistant'), 'messages[0].content[0].input'],
      [one({ type: 'search_result' }), 'messages[0].content[0].type'],
      [one({ type: 'text', text: 1 }), 'messages[0].content[0].text'],
      [one({ type: 'image', source: { type: 'file', file_id: 'a' } }), 'messages[0].content[0].source.type'],
      [document({ type: 'url', url: 'https://a' }), 'messages[0].content[0].source.type'],
      [document({ type: 'text', data: '' }, { citations: { enabled: true } }), 'messages[0].content[0].citations'],
      [document({ type: 'text', data: '' }, { context: 'a' }), 'messages[0].content[0].context'],
      [result([{ type: 'tool_reference' }]), 'messages[0].content[0].content[0].type'],
      [result(5), 'messages[0].content[0].content'],
      [one({ type: 'tool_result', content: '' }), 'messages[0].content[0].tool_use_id'],
    ]
    for (const [fields, path] of rows) assert.equal(refusedPath(fields), path, JSON.stringify(fields).slice(0, 200))
    const names = () => ask({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] })
    assert.throws(names, /web_search_20250305/)
  })

  it('refuses deep nesting', () => {
    const input = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)
    const messages = [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input }] }]
    assert.equal(refusedPath({ messages }), 'messages')
  })

  it('takes as many blocks as a body holds', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }
    const content = Array.from({ length: 200_000 }, () => image)
    const result = { type: 'tool_result', tool_use_id: 'a', content }
    const { messages } = ask({ messages: [{ role: 'user', content: [result, ...content] }] })
    assert.equal((messages as { content: unknown[] }[])[1]?.content.length, 400_001)
  })

  it('throws only Untranslatable, whatever the request', () => {
    const names = fc.constantFrom('model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'metadata')
    const inner = fc.constantFrom('role', 'content', 'type', 'text', 'source', 'input', 'name', 'tool_use_id')
    const leaf = fc.constantFrom<unknown>('user', 'assistant', 'text', 'tool_use', 'tool_result', 'image', 1, null)
    const { value } = fc.letrec(tie => ({
      value: fc.oneof(
        { maxDepth: 6 },
        leaf,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(inner, tie('value')),
      ),
    }))
    const property = fc.property(fc.dictionary(names, value), fields => {
      try {
        ask(fields)
      } catch (error) {
        assert.ok(error instanceof Untranslatable, String(error))
      }
    })
    fc.assert(property, { numRuns: 300 })
  })
})

describe('a chat answer for an Anthropic client', () => {
  for (const { name, messages, chat } of ANSWERS) {
    it(name, () => assert.deepEqual(messagesOverChat.answer(chat, about), messages))
  }

  it('has its own id and zero usage when the upstream has none', () => {
    const answer = messagesOverChat.answer({ choices: [{ message: { content: 'a' }, finish_reason: 'eos' }] }, about)
    assert.equal(answer.id, 'own')
    assert.equal(answer.stop_reason, 'end_turn')
    assert.equal((answer.usage as JsonObject).input_tokens, 0)
  })

  it('is a plain error when malformed', () => {
    const of = (message: unknown, finish_reason: unknown = 'stop') => ({ choices: [{ message, finish_reason }] })
    const call = (fields: unknown) => of({ tool_calls: [{ id: 'a', function: fields }] })
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
    const answers: JsonObject[] = [
      {},
      { choices: [] },
      { choices: {} },
      of(undefined),
      of({ content: [{ type: 'image' }] }),
      of({ content: 'a' }, 7),
      of({ content: 'a', audio: { id: 'a' } }),
      of({ function_call: { name: 'f' } }),
      of({ tool_calls: 'a' }),
      of({ tool_calls: [null] }),
      call(null),
      call({ arguments: '{}' }),
      call({ name: 'f', arguments: '{' }),
      call({ name: 'f', arguments: '7' }),
      call({ name: 'f', arguments: [] }),
      call({ name: 'f', arguments: deep }),
    ]
    for (const answer of answers) assert.throws(() => messagesOverChat.answer(answer, about), plainError)
  })
})

describe('a chat stream for an Anthropic client', () => {
  for (const { name, upstream, client } of STREAMS) {
    it(name, () => assert.deepEqual(play(upstream), client))
  }

  it('joins to the same blocks however deltas are cut and mixed', () => {
    const input = fc.json().map(value => JSON.stringify({ value }))
    const cut = fc.array(fc.nat({ max: 60 }), { maxLength: 6 })
    const property = fc.property(fc.array(input, { minLength: 1, maxLength: 4 }), cut, fc.nat(), (inputs, at, seed) => {
      const waiting = inputs.map((text, index) => [
        { index, id: `call_${index}`, function: { name: `f${index}`, arguments: '' } },
        ...pieces(text, at).map(piece => ({ index, function: { arguments: piece } })),
      ])
      const chunks: JsonObject[] = []
      // The order of the calls stays; the deltas are taken from them in turns.
      for (const deltas of waiting) chunks.push(chunkOf({ tool_calls: [deltas.shift()] }))
      for (let turn = seed; waiting.some(deltas => deltas.length > 0); turn++) {
        const next = waiting[turn % waiting.length]?.shift()
        if (next) chunks.push(chunkOf({ tool_calls: [next] }))
      }
      const blocks = joinedBlocks(play([...chunks, chunkOf({}, 'tool_calls'), '[DONE]']))
      assert.deepEqual(
        blocks,
        inputs.map((text, i) => ({ type: 'tool_use', id: `call_${i}`, name: `f${i}`, text })),
      )
    })
    fc.assert(property)
  })

  it('joins to the same text and thinking however they are cut', () => {
    const text = fc.string({ minLength: 1, maxLength: 40 })
    const property = fc.property(text, text, fc.array(fc.nat({ max: 60 }), { maxLength: 6 }), (thinking, said, at) => {
      const chunks = [
        ...pieces(thinking, at).map(piece => chunkOf({ reasoning_content: piece })),
        ...pieces(said, at).map(piece => chunkOf({ content: piece })),
      ]
      assert.deepEqual(joinedBlocks(play([...chunks, chunkOf({}, 'stop'), '[DONE]'])), [
        { type: 'thinking', id: undefined, name: undefined, text: thinking },
        { type: 'text', id: undefined, name: undefined, text: said },
      ])
    })
    fc.assert(property)
  })

  it('bounds what it holds behind an unfinished call', () => {
    const stream = messagesOverChat.stream({}, about)
    const next = (delta: JsonObject) => stream.next({ event: null, data: JSON.stringify(chunkOf(delta)) })
    next({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{' } }] })
    const long = { content: 'x'.repeat(1024 * 1024) }
    for (let i = 0; i < 4; i++) assert.deepEqual(next(long), [])
    assert.throws(() => next(long), plainError)
    const calls = (from: number) => ({
      tool_calls: Array.from({ length: 600 }, (_, i) => ({
        index: from + i,
        id: `${from + i}`,
        function: { name: 'f' },
      })),
    })
    const other = messagesOverChat.stream({}, about)
    other.next({ event: null, data: JSON.stringify(chunkOf(calls(0))) })
    assert.throws(() => other.next({ event: null, data: JSON.stringify(chunkOf(calls(600))) }), plainError)
  })

  it('is a plain error when malformed', () => {
    const call = (fields: JsonObject) => [chunkOf({ tool_calls: [fields] })]
    const streams: JsonObject[][] = [
      [{ choices: 1 }],
      [{ choices: [1] }],
      [{ choices: [{ index: 1, delta: {} }] }],
      [chunkOf({ content: ['a'] })],
      [chunkOf({ content: 7 })],
      [chunkOf({ tool_calls: {} })],
      [chunkOf({ audio: { id: 'a' } })],
      call({ index: 0, function: { arguments: '{}' } }),
      call({ index: -1, id: 'a', function: { name: 'f' } }),
      call({ index: 1e300, id: 'a', function: { name: 'f' } }),
      call({ index: '__proto__', id: 'a', function: { name: 'f' } }),
      call({ index: 0, id: 5, function: { name: 'f' } }),
      call({ index: 0, id: 'a', function: { name: 'f', arguments: [] } }),
      [chunkOf({}, 7 as never)],
    ]
    for (const chunks of streams) assert.throws(() => play(chunks), plainError, JSON.stringify(chunks))
    const next = (data: string) => messagesOverChat.stream({}, about).next({ event: null, data })
    assert.throws(() => next('{'), plainError)
    assert.throws(() => next('[]'), plainError)
  })

  it('refuses arguments after the end of a call', () => {
    const delta = (index: number, text: string) => chunkOf({ tool_calls: [{ index, function: { arguments: text } }] })
    const begin = (index: number) => chunkOf({ tool_calls: [{ index, id: `${index}`, function: { name: 'f' } }] })
    assert.throws(() => play([begin(0), delta(0, '{}'), begin(1), delta(0, '{}')]), plainError)
  })
})

function chunkOf(delta: JsonObject, finish: string | null = null): JsonObject {
  return { id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] }
}

type Joined = { type: string; id: string | undefined; name: string | undefined; text: string }

/** The blocks that a client builds, with the rules of the wire: in order, one open at a time. */
function joinedBlocks(events: JsonObject[]): Joined[] {
  const blocks: Joined[] = []
  let open = false
  for (const event of events) {
    if (!(event.type as string).startsWith('content_block_')) continue
    if (event.type === 'content_block_start') {
      assert.ok(!open && event.index === blocks.length)
      const { type, id, name } = event.content_block as Joined
      blocks.push({ type, id, name, text: '' })
    }
    assert.equal(event.index, blocks.length - 1)
    open = event.type !== 'content_block_stop'
    const delta = (event.delta ?? {}) as Record<string, string>
    const block = blocks.at(-1) as Joined
    block.text += delta.text ?? delta.thinking ?? delta.partial_json ?? ''
  }
  assert.equal(open, false)
  assert.equal(events.at(-1)?.type, 'message_stop')
  return blocks
}

function pieces(text: string, at: number[]): string[] {
  const ends = [...at, text.length].sort((a, b) => a - b)
  return ends.map((end, i) => text.slice(ends[i - 1] ?? 0, end))
}

function plainError(error: unknown): boolean {
  assert.ok(error instanceof Error && error.constructor === Error, String(error))
  return /^The (answer of the upstream|provider's answer) is malformed: /.test(error.message)
}
