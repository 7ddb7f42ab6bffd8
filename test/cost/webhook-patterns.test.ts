// An organisation's patterns take little memory, whatever they are.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { compile } from '../../src/services/webhooks/dispatch/subscriptions.ts'

const ENDPOINTS = 1_000
const PATTERNS = 64
const TOKENS = 16
/** A few times what the texts take, which are 16 MB at most. */
const BYTES_MAX = 48 * 1024 * 1024

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
function heapBytes(): number {
  collect()
  return process.memoryUsage().heapUsed
}

/** `tokenOf` makes a token of the number of its endpoint, its pattern and itself. */
const patternsOf = (tokenOf: (endpoint: number, pattern: number, at: number) => string) =>
  Array.from({ length: ENDPOINTS }, (_, endpoint) => ({
    id: `wh_${endpoint}`,
    events: Array.from({ length: PATTERNS }, (_, pattern) =>
      Array.from({ length: TOKENS }, (_, at) => tokenOf(endpoint, pattern, at)).join('.'),
    ),
  }))

describe('64,000 patterns of sixteen tokens take little memory', () => {
  const kinds: [string, (endpoint: number, pattern: number, at: number) => string][] = [
    ['if they differ from the first token on', (endpoint, pattern, at) => `t${endpoint * PATTERNS + pattern}-${at}`],
    [
      'if twenty of them differ in the last token only',
      (endpoint, pattern, at) => {
        const group = Math.floor((endpoint * PATTERNS + pattern) / 20)
        return at < TOKENS - 1 ? `t${group}-${at}` : `l${pattern}`
      },
    ],
    [
      'if they are all combinations of a token and a star',
      (endpoint, pattern, at) => (((endpoint * PATTERNS + pattern) >> at) & 1 ? 'a' : '*'),
    ],
  ]
  for (const [name, tokenOf] of kinds) {
    it(name, async () => {
      const patterns = patternsOf(tokenOf)
      const before = heapBytes()
      const subscriptions = await compile(patterns)
      const used = heapBytes() - before
      assert.ok(used < BYTES_MAX, `${used} bytes`)
      assert.ok(subscriptions.wanting(patterns[5]?.events[7] as string).includes('wh_5'))
    })
  }
})
