// The parser of event streams, by the rules of the HTML standard (section 9.2.6).
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { eventParser } from '../../tools/generate/client/events.ts'

const eventsOf = (...chunks: string[]) => {
  const parser = eventParser()
  return chunks.flatMap(chunk => parser.eventsIn(chunk))
}
const message = (data: string, event = 'message', id = '') => ({ event, data, id })

describe('an event stream', () => {
  const rows: [rule: string, text: string, expected: ReturnType<typeof message>[]][] = [
    ['an event ends with an empty line', 'data: a\n\ndata: b\n\n', [message('a'), message('b')]],
    ['lines end with CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', [message('a'), message('b')]],
    ['lines end with CR', 'data: a\r\rdata: b\r\r', [message('a'), message('b')]],
    ['data may have several lines', 'data: a\ndata:\ndata: b\n\n', [message('a\n\nb')]],
    ['one space after the colon is removed', 'data:  a\ndata:b\n\n', [message(' a\nb')]],
    ['a field may have no value', 'data\n\n', [message('')]],
    ['a value may contain colons', 'data: {"a":1}\n\n', [message('{"a":1}')]],
    ['comments are ignored', ':\n\n: hello\ndata: a\n:x\n\n', [message('a')]],
    ['unknown fields and retry are ignored', 'retry: 5\nother: x\nDATA: y\ndata: a\n\n', [message('a')]],
    ['an event without data is ignored, and its name', 'event: a\n\ndata: b\n\n', [message('b')]],
    ['the name is that of one event', 'event: a\ndata: 1\n\ndata: 2\n\n', [message('1', 'a'), message('2')]],
    ['the id is kept', 'id: 7\ndata: 1\n\ndata: 2\n\n', [message('1', 'message', '7'), message('2', 'message', '7')]],
    ['an id with NUL is ignored', 'id: a\0b\ndata: 1\n\n', [message('1')]],
    ['what is incomplete is no event', 'data: a\n\ndata: b\n', [message('a')]],
  ]
  for (const [rule, text, expected] of rows) {
    it(rule, () => {
      assert.deepEqual(eventsOf(text), expected)
      assert.deepEqual(eventsOf(...text), expected, 'character by character')
    })
  }

  it('does not depend on where it is split', () => {
    const line = fc.constantFrom('data: a', 'data:b', 'event: c', 'id: 1', ': d', '', '')
    const text = fc
      .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 30 })
      .map(all => all.flat().join(''))
    fc.assert(
      fc.property(text, fc.array(fc.nat(120), { maxLength: 8 }), (whole, places) => {
        const cuts = [0, ...places.sort((a, b) => a - b), whole.length]
        const parts = cuts.slice(1).map((end, at) => whole.slice(cuts[at], end))
        assert.deepEqual(eventsOf(...parts), eventsOf(whole))
      }),
    )
  })

  it('knows whether it ended between two events', () => {
    const isBetween = (text: string) => {
      const parser = eventParser()
      parser.eventsIn(text)
      return parser.isBetweenEvents()
    }
    for (const text of ['', 'data: a\n\n', 'data: a\r\r', ':\n\n', 'data: a\n\n: b\n']) assert.ok(isBetween(text), text)
    for (const text of ['data: a\n', 'data: a', 'event: a\n', 'data: a\n\nd']) assert.ok(!isBetween(text), text)
  })

  it('takes linear time for one long line in many parts', () => {
    const part = 'x'.repeat(1000)
    const parser = eventParser()
    parser.eventsIn('data: ')
    for (let n = 0; n < 20_000; n++) parser.eventsIn(part)
    assert.equal(parser.eventsIn('\n\n')[0]?.data.length, 20_000_000)
  })
})
