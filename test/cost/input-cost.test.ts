// Whatever a body contains, checking it costs little more than parsing it.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from 'typebox'
import { readInput } from '../../src/host/input.ts'
import { requireSafe } from '../../src/host/safe-input.ts'
import { compileCheck, invalidInput } from '../../src/kit/check.ts'
import { Fault } from '../../src/kit/fault.ts'
import type { Operation } from '../../src/kit/operation.ts'
import { services } from '../../src/services/index.ts'
import { type Case, runCases } from '../cases.ts'

const TIMES_PARSING = 10
/** Short runs are repeated more often, because garbage collection or compilation would dominate them. */
const TRIES_MIN = 3
const TRIES_US = 100_000
const MB = 1024 * 1024

const operations = new Map(services.flatMap(({ operations }) => Object.entries(operations)))
const declared = (id: string) => operations.get(id) as Operation

/** A host's checks of a parsed body; returns the fault. */
function faultOf(operation: Operation, body: unknown): Fault | null {
  try {
    const path = Object.fromEntries(operation.pathFields.map(name => [name, 'domain']))
    const input = readInput(operation, { path, query: {}, body })
    requireSafe(operation, input)
    return operation.check.passes(input) ? null : invalidInput(operation.check.faults(input))
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
}

function leastCpuUs(run: () => void): number {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0, spent = 0; tries < TRIES_MIN || spent < TRIES_US; tries++) {
    const before = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, user + system)
    spent += Math.max(user + system, 1_000)
  }
  return least
}

const filled = (start: string, part: string, bytes: number, end: string) =>
  start + part.repeat(Math.floor((bytes - start.length - end.length) / part.length)) + end
const unknownFields = (count: number) => Array.from({ length: count }, (_, n) => `"unknown${n}":1`).join()
const entries = (count: number, one: string, last = one) => `{"entries":[${`${one},`.repeat(count - 1)}${last}]}`
const ENTRY = '{"key":"shop.example.com","verdict":"deny","note":"seen in three places"}'

const BODIES: readonly [name: string, operation: string, body: string][] = [
  ['8 MB of numbers', 'setReference', filled('{"entries":[', '1,', 8 * MB, '1]}')],
  ['2 MB of empty objects', 'setReference', filled('{"entries":[', '{},', 2 * MB, '1]}')],
  ['as many numbers as values are allowed', 'setReference', entries(199_990, '1')],
  ['as many ill-typed entries as are allowed', 'setReference', entries(1_000, '{"key":[1,2,3],"verdict":{}}')],
  ['an invalid entry after many valid ones', 'setReference', entries(1_000, ENTRY, '1')],
  ['too many valid entries', 'setReference', entries(30_000, ENTRY)],
  ['unknown fields in an entry', 'setReference', `{"entries":[{${unknownFields(100_000)}}]}`],
  ['unknown fields in an object', 'createOrg', `{"slug":"a","name":"A","owner":{${unknownFields(100_000)}}}`],
  ['unknown fields', 'createOrg', `{${unknownFields(100_000)}}`],
  ['1 MB of lists in lists', 'createKey', filled('{"name":"A","limit":[', '[[[1]]],', MB, '1]}')],
  ['1 MB of numbers for an object', 'createKey', filled('{"name":"A","budget":[', '1,', MB, '1]}')],
  ['1 MB of nesting', 'createKey', `{"name":"A","limit":${'['.repeat(MB / 2)}${']'.repeat(MB / 2)}}`],
  ['1 MB of numbers for text', 'createKey', filled('{"name":[', '1,', MB, '1]}')],
  ['1 MB of blank text', 'createKey', filled('{"name":"', ' ', MB, '\\n"}')],
  ['1 MB of texts', 'resolveReference', filled('{"keys":[', '"a",', MB, '1]}')],
  ['1 MB of objects', 'resolveReference', filled('{"keys":[', '{"a":{"b":1}},', MB, '1]}')],
]

describe('checking a body', () => {
  it(`costs at most ${TIMES_PARSING} times as much as parsing it`, async () => {
    const cases = BODIES.map(([name, id, text]): Case => {
      const check = () => {
        const operation = declared(id)
        assert.ok(faultOf(operation, JSON.parse('{"a":1}'))) // Compiles what the first invalid body needs.
        const parsing = leastCpuUs(() => JSON.parse(text))
        const body = JSON.parse(text)
        const checking = leastCpuUs(() => assert.equal(faultOf(operation, body)?.code, 'invalid_input'))
        const times = checking / parsing
        assert.ok(times <= TIMES_PARSING, `parsing takes ${parsing} us, checking ${checking} us`)
      }
      return [`${name}, ${id}`, check]
    })
    await runCases(cases)
  })

  it('names the bound on values, and accepts values within it', () => {
    const setReference = declared('setReference')
    const { message } = faultOf(setReference, { entries: new Array(200_000).fill(1) }) as Fault
    assert.equal(message, '`body` must not have more than 200000 values; send several smaller requests.')
    const nested = new Array(100).fill(new Array(100).fill(new Array(100).fill(1)))
    assert.match((faultOf(setReference, { entries: nested }) as Fault).message, /200000 values/)
    assert.equal(faultOf(setReference, { entries: new Array(1_000).fill(JSON.parse(ENTRY)) }), null)
  })

  it('reports a text that is too long, and not its pattern', () => {
    const { fields } = faultOf(declared('createKey'), { name: ' '.repeat(MB) }) as Fault
    assert.deepEqual(fields, [{ path: 'name', says: 'must have at most 120 characters' }])
  })

  it('reports a list that is too long, and not its items', () => {
    const { fields } = faultOf(declared('setReference'), { entries: new Array(1_001).fill(1) }) as Fault
    assert.deepEqual(fields, [{ path: 'entries', says: 'must have at most 1000 items' }])
  })
})

describe('the faults of a nested value', () => {
  const entry = Type.Object(
    { name: Type.String({ maxLength: 3 }), size: Type.Optional(Type.Integer()) },
    { additionalProperties: false },
  )
  const check = compileCheck(
    Type.Object({ list: Type.Array(entry, { maxItems: 50 }) }, { additionalProperties: false }),
  )

  it('have their paths, the misspelt field first', () => {
    const good = { name: 'a' }
    assert.deepEqual(
      check.faults({ list: [good, { name: 'abcd', other: 1 }, good, { nmae: 'a' }, { ...good, size: 'x' }] }),
      [
        { path: 'list.3.nmae', says: 'is not a field here; did you mean `name`?' },
        { path: 'list.1.other', says: 'is not a field here' },
        { path: 'list.1.name', says: 'must have at most 3 characters' },
        { path: 'list.3.name', says: 'is required' },
        { path: 'list.4.size', says: 'must be an integer' },
      ],
    )
  })

  it('end with the twentieth', () => {
    assert.equal(check.faults({ list: new Array(50).fill(1) }).length, 20)
    assert.deepEqual(check.faults({ list: [1] }), [{ path: 'list.0', says: 'must be an object with `name`, `size`' }])
    assert.deepEqual(check.faults({ list: {} }), [{ path: 'list', says: 'must be an array' }])
    assert.deepEqual(check.faults([]), [{ path: 'body', says: 'must be an object' }])
  })
})
