import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { JsonObject, ServerEvent } from '../translation.ts'
import { responsesOverChat } from './responses-over-chat.ts'

const ABOUT = { id: 'req-1', created: 1_700_000_000, model: 'client-model' }
const HEAD = { id: 'chatcmpl-A1', object: 'chat.completion.chunk', created: 1_700_000_001, model: 'upstream-model' }
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const RESPONSE_USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
}

const chunk = (delta: JsonObject, choice: JsonObject = {}): JsonObject => {
  return { ...HEAD, choices: [{ index: 0, delta, finish_reason: null, ...choice }] }
}
const finish = (finish_reason: string) => [chunk({}, { finish_reason }), { ...HEAD, choices: [], usage: USAGE }]
const toolDelta = (index: number, fields: JsonObject, id?: string) => {
  return chunk({ tool_calls: [{ index, ...(id ? { id, type: 'function' } : {}), function: fields }] })
}

/** The events of a stream, parsed. Checks their names and numbers. */
function translated(chunks: (JsonObject | string)[], request: JsonObject = {}): JsonObject[] {
  const stream = responsesOverChat.stream(request, ABOUT)
  const events: ServerEvent[] = []
  for (const body of chunks) {
    events.push(...stream.next({ event: null, data: typeof body === 'string' ? body : JSON.stringify(body) }))
  }
  events.push(...stream.end())
  return events.map(({ event, data }, at) => {
    const { sequence_number, ...rest } = JSON.parse(data)
    assert.deepEqual([event, at], [rest.type, sequence_number])
    return rest
  })
}

/** The events between the start and the end of a stream. */
const between = (chunks: JsonObject[]) => translated([{ ...chunk({}) }, ...chunks, ...finish('stop')]).slice(2, -1)
const last = (chunks: (JsonObject | string)[]) => translated(chunks).at(-1) as { type: string; response: JsonObject }
const part = (text: string, logprobs: JsonObject[] = []) => ({ type: 'output_text', text, annotations: [], logprobs })
const message = (status: string, content: JsonObject[], n = 0) => {
  return { id: `msg_A1_${n}`, type: 'message', status, role: 'assistant', content }
}
const call = (n: number, status: string, call_id: string, args: string) => {
  return { id: `fc_A1_${n}`, type: 'function_call', status, call_id, name: 'get_weather', arguments: args }
}

/** The events of a text item with one part, in order. */
function textEvents(deltas: string[], n = 0): JsonObject[] {
  const place = { item_id: `msg_A1_${n}`, output_index: n }
  const text = deltas.join('')
  return [
    { type: 'response.output_item.added', output_index: n, item: message('in_progress', [], n) },
    { type: 'response.content_part.added', ...place, content_index: 0, part: part('') },
    ...deltas.map(delta => ({ type: 'response.output_text.delta', ...place, content_index: 0, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...place, content_index: 0, text, logprobs: [] },
    { type: 'response.content_part.done', ...place, content_index: 0, part: part(text) },
    { type: 'response.output_item.done', output_index: n, item: message('completed', [part(text)], n) },
  ]
}

function callEvents(n: number, id: string, deltas: string[]): JsonObject[] {
  const place = { item_id: `fc_A1_${n}`, output_index: n }
  const args = deltas.join('')
  return [
    { type: 'response.output_item.added', output_index: n, item: call(n, 'in_progress', id, '') },
    ...deltas.map(delta => ({ type: 'response.function_call_arguments.delta', ...place, delta })),
    { type: 'response.function_call_arguments.done', ...place, name: 'get_weather', arguments: args },
    { type: 'response.output_item.done', output_index: n, item: call(n, 'completed', id, args) },
  ]
}

describe('a stream of chat completions as one of responses', () => {
  it('with text has all events in order', () => {
    const request = { instructions: 'Be brief.', temperature: 0.5, tools: [], metadata: { a: 'b' }, text: {} }
    const chunks = [chunk({ role: 'assistant', content: '' }), chunk({ content: 'Hel' }), chunk({ content: 'lo' })]
    const events = translated([...chunks, ...finish('stop'), '[DONE]'], request)
    const response = {
      id: 'resp_A1',
      object: 'response',
      created_at: 1_700_000_001,
      status: 'in_progress',
      error: null,
      incomplete_details: null,
      model: 'client-model',
      output: [],
      usage: null,
      instructions: 'Be brief.',
      max_output_tokens: null,
      metadata: { a: 'b' },
      parallel_tool_calls: true,
      prompt_cache_key: null,
      safety_identifier: null,
      service_tier: null,
      temperature: 0.5,
      tool_choice: 'auto',
      tools: [],
      top_logprobs: 0,
      top_p: null,
      user: null,
      text: { format: { type: 'text' } },
      reasoning: { effort: null, summary: null },
      access_programs: null,
      background: false,
      previous_response_id: null,
      store: false,
      truncation: 'disabled',
    }
    const output = [message('completed', [part('Hello')])]
    assert.deepEqual(events, [
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
      ...textEvents(['Hel', 'lo']),
      { type: 'response.completed', response: { ...response, status: 'completed', output, usage: RESPONSE_USAGE } },
    ])
  })

  it('with parallel calls has one item after the other', () => {
    const chunks = [
      chunk({ content: 'Wait.' }),
      toolDelta(0, { name: 'get_weather', arguments: '' }, 'call_a'),
      toolDelta(0, { arguments: '{"city":' }),
      toolDelta(0, { arguments: '"Rome"}' }),
      toolDelta(1, { name: 'get_weather', arguments: '' }, 'call_b'),
      toolDelta(1, { arguments: '{}' }),
    ]
    assert.deepEqual(between(chunks), [
      ...textEvents(['Wait.']),
      ...callEvents(1, 'call_a', ['{"city":', '"Rome"}']),
      ...callEvents(2, 'call_b', ['{}']),
    ])
  })

  it('joins calls whose deltas alternate, and calls that share an index', () => {
    const shared = ['call_a', 'call_b'].map(id => toolDelta(0, { name: 'get_weather', arguments: '{"a":1}' }, id))
    const alternating = [
      toolDelta(3, { name: 'get_weather', arguments: '{"a"' }, 'call_a'),
      toolDelta(900_000_000, { name: 'get_weather', arguments: '{"a"' }, 'call_b'),
      toolDelta(3, { arguments: ':1}' }),
      toolDelta(900_000_000, { arguments: ':1}' }),
    ]
    for (const chunks of [shared, alternating]) {
      const { response } = last([...chunks, ...finish('tool_calls')])
      assert.deepEqual(response.output, [
        call(0, 'completed', 'call_a', '{"a":1}'),
        call(1, 'completed', 'call_b', '{"a":1}'),
      ])
    }
  })

  it('gives a call without an id one, and empty arguments an object', () => {
    const events = between([toolDelta(0, { name: 'get_weather' })])
    assert.deepEqual(events, callEvents(0, 'call_A1_0', ['{}']))
  })

  it('with reasoning has an item of reasoning before the text', () => {
    const place = { item_id: 'rs_A1_0', output_index: 0 }
    const text = (value: string) => ({ type: 'reasoning_text', text: value })
    const item = (status: string, content: JsonObject[]) => {
      return { id: 'rs_A1_0', type: 'reasoning', status, summary: [], content }
    }
    const chunks = [chunk({ reasoning_content: 'H' }), chunk({ reasoning: 'm' }), chunk({ content: 'Hi' })]
    assert.deepEqual(between(chunks), [
      { type: 'response.output_item.added', output_index: 0, item: item('in_progress', []) },
      { type: 'response.content_part.added', ...place, content_index: 0, part: text('') },
      { type: 'response.reasoning_text.delta', ...place, content_index: 0, delta: 'H' },
      { type: 'response.reasoning_text.delta', ...place, content_index: 0, delta: 'm' },
      { type: 'response.reasoning_text.done', ...place, content_index: 0, text: 'Hm' },
      { type: 'response.content_part.done', ...place, content_index: 0, part: text('Hm') },
      { type: 'response.output_item.done', output_index: 0, item: item('completed', [text('Hm')]) },
      ...textEvents(['Hi'], 1),
    ])
  })

  it('with a refusal after text has two parts', () => {
    const place = { item_id: 'msg_A1_0', output_index: 0 }
    const refusal = (text: string) => ({ type: 'refusal', refusal: text })
    const chunks = [chunk({ content: 'Hi' }), chunk({ refusal: 'No' }), chunk({ refusal: '.' })]
    assert.deepEqual(between(chunks), [
      ...textEvents(['Hi']).slice(0, -1),
      { type: 'response.content_part.added', ...place, content_index: 1, part: refusal('') },
      { type: 'response.refusal.delta', ...place, content_index: 1, delta: 'No' },
      { type: 'response.refusal.delta', ...place, content_index: 1, delta: '.' },
      { type: 'response.refusal.done', ...place, content_index: 1, refusal: 'No.' },
      { type: 'response.content_part.done', ...place, content_index: 1, part: refusal('No.') },
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: message('completed', [part('Hi'), refusal('No.')]),
      },
    ])
  })

  it('has the log probabilities of each delta, and all of them at the end', () => {
    const token = (text: string) => ({ token: text, logprob: -1, bytes: [1], top_logprobs: [] })
    const chunks = ['', 'é'].map(content => chunk({ content }, { logprobs: { content: [token(content)] } }))
    const events = between(chunks)
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta')
    assert.deepEqual(
      deltas.map(({ delta, logprobs }) => [delta, logprobs]),
      [
        ['', [token('')]],
        ['é', [token('é')]],
      ],
    )
    assert.deepEqual(events.at(-1)?.item, message('completed', [part('é', [token(''), token('é')])]))
  })

  it('is incomplete when the provider stopped early', () => {
    const events = translated([chunk({ content: 'He' }), ...finish('length')])
    const { type, response } = events.at(-1) as { type: string; response: JsonObject }
    assert.deepEqual(
      [type, response.status, response.incomplete_details, response.output],
      ['response.incomplete', 'incomplete', { reason: 'max_output_tokens' }, [message('incomplete', [part('He')])]],
    )
    assert.equal(last([chunk({ content: 'a' }), ...finish('content_filter')]).type, 'response.incomplete')
  })

  it('fails with the error of the provider', () => {
    const error = { message: 'Slow down.', type: 'rate_limit_error', code: null, param: null }
    const events = translated([chunk({ content: 'He' }), { error }, chunk({ content: 'y' }), ...finish('stop')])
    const [failed, thrown] = events.slice(-2) as [{ type: string; response: JsonObject }, JsonObject]
    assert.deepEqual(
      [failed.type, failed.response.status, failed.response.error, failed.response.output],
      [
        'response.failed',
        'failed',
        { code: 'rate_limit_exceeded', message: 'Slow down.' },
        [message('incomplete', [part('He')])],
      ],
    )
    assert.deepEqual(thrown, { type: 'error', code: 'rate_limit_error', message: 'Slow down.', param: null })
  })

  it('fails with an error before the first chunk', () => {
    const stream = responsesOverChat.stream({}, ABOUT)
    const events = stream.next({ event: 'error', data: '{"message":"Overloaded"}' })
    assert.deepEqual(
      [...events, ...stream.end()].map(({ event }) => event),
      ['response.created', 'response.in_progress', 'response.failed', 'error'],
    )
  })

  it('fails when it is empty, or ends without a finish reason and without [DONE]', () => {
    for (const chunks of [[], ['[DONE]'], [chunk({ content: 'He' })]]) {
      const { type, response } = last(chunks)
      assert.equal(type, 'response.failed')
      assert.deepEqual(response.error, {
        code: 'server_error',
        message: 'The provider ended its answer before it was complete.',
      })
    }
  })

  it('fails when a call has no name', () => {
    assert.equal(last([toolDelta(0, { arguments: '{}' }, 'a'), ...finish('tool_calls')]).type, 'response.failed')
  })

  const hostile: [name: string, data: string][] = [
    ['text that is not JSON', '{'],
    ['a list', '[]'],
    ['choices of another type', '{"choices":7}'],
    ['a choice of another type', '{"choices":[7]}'],
    ['a delta of another type', '{"choices":[{"delta":7}]}'],
    ['content of another type', '{"choices":[{"delta":{"content":{}}}]}'],
    ['calls of another type', '{"choices":[{"delta":{"tool_calls":{"length":1}}}]}'],
    ['a negative index', '{"choices":[{"delta":{"tool_calls":[{"index":-1}]}}]}'],
    ['an index of another type', '{"choices":[{"delta":{"tool_calls":[{"index":"__proto__"}]}}]}'],
    ['a function of another type', '{"choices":[{"delta":{"tool_calls":[{"function":[]}]}}]}'],
  ]
  for (const [name, data] of hostile) {
    it(`is an error with a message for ${name}, and fails then`, () => {
      const stream = responsesOverChat.stream({}, ABOUT)
      stream.next({ event: null, data: JSON.stringify(chunk({ content: 'a' }, { finish_reason: 'stop' })) })
      assert.throws(
        () => stream.next({ event: null, data }),
        (error: unknown) => error instanceof Error && error.name === 'Error' && error.message.length > 0,
      )
      assert.equal(stream.end().at(-1)?.event, 'response.failed')
    })
  }

  it('never sets a prototype', () => {
    const data =
      '{"__proto__":{"a":1},"choices":[{"index":0,"delta":{"__proto__":{"content":"a"}},"finish_reason":"stop"}]}'
    assert.deepEqual(last([data]).response.output, [])
    assert.equal(({} as JsonObject).a, undefined)
  })
})

describe('however deltas are split', () => {
  const text = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
  const said = fc.record({ reasoning: fc.option(text), content: fc.option(text), refusal: fc.option(text) })
  const args = fc.array(fc.dictionary(fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), { maxKeys: 3 }), {
    maxLength: 3,
  })
  const cuts = fc.array(fc.nat(7), { minLength: 1, maxLength: 40 })

  it('the response is the same as that of the whole answer', () => {
    fc.assert(
      fc.property(said, args, cuts, cuts, (message, calls, sizes, order) => {
        const chunks: JsonObject[] = []
        for (const name of ['reasoning', 'content', 'refusal'] as const) {
          for (const piece of split(message[name] ?? '', sizes)) chunks.push(chunk({ [name]: piece }))
        }
        const texts = calls.map(value => JSON.stringify(value))
        chunks.push(...texts.map((_, at) => toolDelta(at, { name: 'get_weather', arguments: '' }, `call_${at}`)))
        chunks.push(
          ...shuffled(
            texts.map((value, at) => split(value, sizes).map(piece => toolDelta(at, { arguments: piece }))),
            order,
          ),
        )
        const tool_calls = texts.map((value, at) => {
          return { id: `call_${at}`, type: 'function', function: { name: 'get_weather', arguments: value } }
        })
        const whole = [{ index: 0, message: { ...message, tool_calls }, finish_reason: 'stop' }]
        const expected = responsesOverChat.answer({ ...HEAD, choices: whole, usage: USAGE }, ABOUT)
        assert.deepEqual(last([...chunks, ...finish('stop')]).response, expected)
      }),
      { numRuns: 200 },
    )
  })
})

function split(text: string, sizes: number[]): string[] {
  const pieces: string[] = []
  for (let at = 0, n = 0; at < text.length; n++) {
    const size = (sizes[n % sizes.length] ?? 0) + 1
    pieces.push(text.slice(at, at + size))
    at += size
  }
  return pieces
}

/** Takes from the queues in turns. The order within each stays. */
function shuffled<T>(queues: T[][], order: number[]): T[] {
  const left = queues.filter(queue => queue.length > 0).map(queue => [...queue])
  const taken: T[] = []
  for (let n = 0; left.length > 0; n++) {
    const at = (order[n % order.length] ?? 0) % left.length
    taken.push(left[at]?.shift() as T)
    if (left[at]?.length === 0) left.splice(at, 1)
  }
  return taken
}
