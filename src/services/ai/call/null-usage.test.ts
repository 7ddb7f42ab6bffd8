import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cutNullUsage, isNullUsage, USAGE } from './null-usage.ts'

const of = <T>(work: (bytes: Buffer, first: number) => T, text: string) => {
  const bytes = Buffer.from(text)
  return work(bytes, bytes.indexOf(USAGE))
}
const cut = (text: string) => of(cutNullUsage, text)?.toString() ?? null

const NESTED = 'data: {"choices":[],"x":{"id":1,"usage":null}}\n\n'
const REPORTED = 'data: {"choices":[],"usage":{"prompt_tokens":1}}\n\n'

describe('usage that is null', () => {
  for (const [what, text, expected] of [
    ['at the end', 'data: {"choices":[{}],"usage":null}\n\n', 'data: {"choices":[{}]}\n\n'],
    ['before another field', 'data: {"id":1,"usage":null,"x":"y"}\n\n', 'data: {"id":1,"x":"y"}\n\n'],
    ['after brackets in a text', 'data: {"a":"}]\\"{","usage":null}\r\n\r\n', 'data: {"a":"}]\\"{"}\r\n\r\n'],
    ['after a backslash at the end of a text', 'data: {"a":"\\\\","usage":null}\n\n', 'data: {"a":"\\\\"}\n\n'],
    ['in two events', 'data: {"a":1,"usage":null}\n\n: x\n\ndata: {"a":2,"usage":null}\n\n', null],
    ['whose name is in a text too', 'data: {"a":"\\"usage\\":null","usage":null}\n\n', null],
  ] as const) {
    it(`is cut ${what}`, () => assert.equal(cut(text), expected ?? text.replaceAll(/,"usage":null}/g, '}')))
  }

  for (const [what, text] of [
    ['is inside of another field', NESTED],
    ['is not null', REPORTED],
    ['is not null in one of two events', `data: {"a":1,"usage":null}\n\n${REPORTED}`],
    ['comes first', 'data: {"usage":null,"a":1}\n\n'],
    ['has a space', 'data: {"a":1,"usage": null}\n\n'],
  ] as const) {
    it(`is left to the parser if it ${what}`, () => assert.equal(cut(text), null))
  }

  it('is distinguished from reported usage', () => {
    assert.ok(of(isNullUsage, 'data: {"a":1,"usage":null}\n\ndata: {"a":2,"usage":null}\n\n'))
    assert.ok(of(isNullUsage, NESTED))
    assert.ok(!of(isNullUsage, `data: {"a":1,"usage":null}\n\n${REPORTED}`))
  })
})
