// Errors with long properties: the answer stays short, and still shows what went wrong.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Agent, request } from 'undici'
import type { ErrorRow } from '../../src/engines/engines.ts'
import { CA, startHost } from '../host.ts'
import { catchUp } from '../warehouse.ts'

const host = await startHost()
const MIB = 1024 * 1024
/** All properties together, and with what is shown of them besides. */
const [PROPERTIES_MAX, ANSWER_MAX] = [2 * MIB, 7 * MIB]
const LONG = 60_000

type Captured = Record<string, unknown> & {
  timestamp: string
  exception: { type?: string; message?: string; stack?: string; frames: object[] }
  properties: Record<string, unknown>
  propertiesOmitted?: number
}

let organisations = 0
/** The key of an organisation with these errors, the last one the newest. */
async function withErrors(all: readonly object[]): Promise<string> {
  const { key } = await host.organisation(`wide-${++organisations}`)
  for (const properties of all) {
    const { status, text } = await host.call('POST /v1/event', { as: key, body: { event: '$exception', properties } })
    assert.equal(status, 200, text)
    host.clock.advance(1)
  }
  await catchUp(host)
  return key
}

const list = async (as: string, limit = 200) => {
  const { status, body, text } = await host.call(`GET /v1/errors?limit=${limit}`, { as })
  assert.equal(status, 200)
  return { data: body.data as Captured[], text }
}

const times = <T>(count: number, of: (n: number) => T) => Array.from({ length: count }, (_, n) => of(n))
const lengthOf = (value: unknown) => JSON.stringify(value).length
const thrown = (n: number) => ({ type: 'TypeError', value: `message ${n}` })
const manyFields = Object.fromEntries(times(1_900, n => [`field_${n}`, `value ${n}`.padEnd(15, '.')]))

describe('a list of wide errors', () => {
  it('has all errors, and properties up to 2 MiB: those of the largest are left out', async () => {
    const wide = times(60, n => ({ $exception_list: [thrown(n)], url: 'https://shop.example/cart', ...manyFields }))
    const ordinary = times(20, n => ({ $exception_list: [thrown(n)], plan: 'pro' }))
    const sent = [...ordinary, ...wide, ...ordinary].reverse()
    const { data } = await list(await withErrors(sent.toReversed()))
    assert.equal(data.length, sent.length)
    for (const [n, { properties, propertiesOmitted, exception }] of data.entries()) {
      const expected = sent[n] as (typeof wide)[number]
      assert.equal(exception.message, expected.$exception_list[0]?.value)
      if (propertiesOmitted === undefined) assert.deepEqual(properties, expected)
      else assert.deepEqual([properties, propertiesOmitted > 40_000], [{}, true])
    }
    const omitted = data.filter(one => one.propertiesOmitted !== undefined)
    assert.ok(omitted.every(({ url, path }) => url === 'https://shop.example/cart' && path === '/cart'))
    const kept = data.reduce((sum, { properties }) => sum + lengthOf(properties), 0)
    assert.ok(kept <= PROPERTIES_MAX && kept > 0.8 * PROPERTIES_MAX, `${kept} characters of properties`)
    assert.ok(omitted.length > 5 && omitted.length < 30, `${omitted.length} are left out`)
  })

  it('has all of them if fewer are requested', async () => {
    const key = await withErrors(times(45, () => ({ ...manyFields, error: 'no' })))
    assert.ok((await list(key)).data.some(one => one.propertiesOmitted !== undefined))
    assert.ok((await list(key, 30)).data.every(one => one.propertiesOmitted === undefined))
  })

  it('is read and answered without parsing all properties', async () => {
    const key = await withErrors(times(200, n => ({ ...manyFields, ...(n % 2 && { $exception_list: [thrown(n)] }) })))
    const parsed = await charactersParsed(() => lengthOfAnswer(key))
    // The test host itself parses the answer, to compare it with its declaration.
    assert.ok(parsed < PROPERTIES_MAX + MIB, `${parsed} characters were parsed`)
    const { data } = await list(key)
    assert.equal(data.length, 200)
    assert.equal(data.filter(({ exception }) => exception.type === 'TypeError').length, 100)
  })

  const frame = (text: string) => ({ function: text, filename: text, lineno: 1, colno: 1, in_app: true })
  const stack = '    at callee (https://shop.example/app.js:12:34)\n'
  for (const [what, properties] of Object.entries({
    message: { exception: { message: 'm'.repeat(LONG) } },
    stack: { exception: { message: 'm', stack: stack.repeat(LONG / stack.length) } },
    frames: { $exception_list: [{ ...thrown(1), stacktrace: { frames: times(50, () => frame('f'.repeat(550))) } }] },
    'Chinese text': { exception: { type: '中'.repeat(2_000), message: '中'.repeat(5_000), stack: '中'.repeat(9_000) } },
    'control characters': { exception: { message: '\u0001'.repeat(4_000), stack: '\u0001'.repeat(5_000) } },
    'large numbers': { exception: { message: 'm' }, numbers: times(250, () => 1e300) },
    addresses: {
      url: `https://shop.example/${'中'.repeat(2_000)}`,
      release: 'r'.repeat(20_000),
      env: 'e'.repeat(30_000),
    },
  })) {
    it(`is short and is read in short, also if all is in the exception: ${what}`, async () => {
      const key = await withErrors(times(200, () => properties))
      const { result: answer, rows } = await withRows(() => list(key))
      assert.equal(answer.data.length, 200)
      assert.ok(Buffer.byteLength(answer.text) < ANSWER_MAX, `the answer has ${Buffer.byteLength(answer.text)} bytes`)
      assert.ok(lengthOf(rows) < ANSWER_MAX, `the rows have ${lengthOf(rows)} characters`)
      const omitted = answer.data.filter(one => one.propertiesOmitted !== undefined)
      assert.ok(omitted.length > 0)
      for (const { exception, release } of omitted) {
        const shown = exception.message ?? exception.stack ?? exception.type ?? release
        assert.ok(shown, 'says nothing')
        if (what === 'frames') assert.ok(exception.frames.length > 1)
      }
    })
  }
})

describe('the shown parts of an error with long properties', () => {
  const frames = [
    { filename: 'https://shop.example/lib.js', function: 'run', lineno: 9, colno: 1, in_app: false, vars: { a: 1 } },
    'no frame',
    {},
    { abs_path: '/app/main.js', function: 7, lineno: '12', in_app: true },
  ]
  const stack = 'RangeError: no\n    at async pay (file:///app/pay.js:3:7)\n    at file:///app/main.js:1:1'
  const shapes: Record<string, unknown>[] = [
    {
      $exception_list: [{ type: 'E', value: 'no', mechanism: { handled: true }, stacktrace: { frames } }],
      $lib: 'web',
    },
    { $exception_list: [{ type: 5, stacktrace: { frames: times(70, n => ({ function: `f${n}`, lineno: n })) } }] },
    { $exception_list: [], error: { name: 'E', message: 'no', stack, handled: false } },
    { $exception_list: ['text'], exception: 'as text', type: 'E', stack },
    { $exception_list: { 0: { type: 'hidden' } }, $exception: { type: 'E', value: 'no', stacktrace: stack } },
    { exception: {}, error: { message: 'hidden' } },
    { exception: [{ message: 'hidden' }], error: null, $exception: 'no' },
    { $exception_type: 'E', $exception_message: 'no', $exception_handled: true, $exception_stack_trace_raw: stack },
    { $exception_type: 'hidden', type: null, message: 'no', name: 'N' },
    { message: 'no', $context: { library: { name: 'l', version: '1' }, page: { url: 'https://x.example/a?b' } } },
    { message: 'no', url: 7, current_url: 'https://x.example/c', $context: { app: { version: '2' } }, env: 'test' },
    { message: 'no', $context: ['hidden'], release: '', app_version: '3', mp_lib: 'm', library_version: '4' },
  ]
  const shownOf = (one: Captured): Pick<Captured, 'exception'> => {
    const { id: _, timestamp: __, properties: ___, ...shown } = one
    delete shown.propertiesOmitted
    return shown as Pick<Captured, 'exception'>
  }

  for (const [what, padding, repeated] of [
    ['that are answered', 5_000, 1],
    ['that are left out', LONG, 4],
  ] as const) {
    it(`are those of the same error with short ones: ${what}`, async () => {
      const short = (await list(await withErrors(shapes))).data.map(shownOf)
      const long = times(repeated * shapes.length, n => ({
        ...shapes[n % shapes.length],
        padding: 'x'.repeat(padding),
      }))
      const { data } = await list(await withErrors(long))
      const hasOmitted = data.some(one => one.propertiesOmitted !== undefined)
      assert.equal(hasOmitted, repeated > 1)
      for (const [n, one] of data.entries()) {
        const expected = short[n % shapes.length] as ReturnType<typeof shownOf>
        // For an error with omitted properties, the innermost frames are shown.
        const isCut = one.propertiesOmitted !== undefined && expected.exception.frames.length > 15
        if (isCut) assert.deepEqual(one.exception.frames, expected.exception.frames.slice(0, 15))
        else assert.deepEqual(shownOf(one), expected)
      }
    })
  }

  it('has no call with a column that was cut', async () => {
    const line = '    at callee (https://shop.example/app.js:12:34567)\n'
    const gecko = 'callee@https://shop.example/app.js:12:34567\n'
    const long = times(60, n => ({ exception: { name: 'E', stack: `${'.'.repeat(n)}\n${gecko.repeat(900)}${line}` } }))
    const { data } = await list(await withErrors(long))
    for (const { exception } of data) {
      assert.ok(exception.frames.length > 10)
      for (const { column } of exception.frames as { column: number }[]) assert.equal(column, 34567)
    }
  })
})

/** The rows that the warehouse returned while `work` ran. */
async function withRows<T>(work: () => Promise<T>): Promise<{ result: T; rows: ErrorRow[] }> {
  const { warehouse } = host.engines
  const { newestErrors } = warehouse
  let rows: ErrorRow[] = []
  warehouse.newestErrors = async (...given) => {
    rows = await newestErrors(...given)
    return structuredClone(rows)
  }
  try {
    return { result: await work(), rows }
  } finally {
    warehouse.newestErrors = newestErrors
  }
}

async function charactersParsed(work: () => Promise<unknown>): Promise<number> {
  const { parse } = JSON
  let characters = 0
  JSON.parse = (text, reviver) => {
    characters += text.length
    return parse(text, reviver)
  }
  try {
    await work()
    return characters
  } finally {
    JSON.parse = parse
  }
}

/** Reads it without parsing it. */
async function lengthOfAnswer(key: string): Promise<number> {
  const dispatcher = new Agent({ connect: { ca: CA() } })
  const headers = { authorization: `Bearer ${key}` }
  const { body } = await request(`${host.baseUrl}/v1/errors?limit=200`, { dispatcher, headers })
  const { length } = await body.text()
  await dispatcher.close()
  return length
}
