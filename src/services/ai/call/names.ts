// No object of a body may have a name twice: which of the two counts is up to the reader, so that what is checked here
// might not be what the provider reads.

import { invalidField } from '../../../kit/check.ts'
import type { ParsedBody } from '../../../kit/operation.ts'

const [QUOTE, BACKSLASH, COLON, COMMA] = [34, 92, 58, 44]
const [OBJECT, OBJECT_END, LIST, LIST_END] = [123, 125, 91, 93]
/** Most texts are shorter. The search by the runtime is faster for the others, but costs more to call. */
const NEAR_BYTES = 48
/** In larger bodies the duplicate name is not searched for; it only makes the error clearer. */
const NAMES_MAX = 20_000
const DEPTH_MAX = 64
const NAME_SHOWN_MAX = 100

/** `json` is what was read from `bytes`. It has each duplicate name once, so that counting is enough: no name
 *  has to be decoded or stored. */
export function requireNamesOnce({ bytes, json }: ParsedBody): void {
  if (colonsIn(bytes) === namesIn(json)) return
  throw invalidField(twiceIn(bytes) || 'body', 'must not occur twice in one object')
}

/** Outside of texts, where each follows a name. */
function colonsIn(bytes: Buffer): number {
  let count = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfText(bytes, at)
    else if (byte === COLON) count++
  }
  return count
}

/** Where the closing quote is of a text that begins with the quote at `from`. */
export function endOfText(bytes: Buffer, from: number): number {
  let at = from + 1
  for (;;) {
    const near = Math.min(at + NEAR_BYTES, bytes.length)
    while (at < near) {
      const byte = bytes[at]
      if (byte === QUOTE) return at
      at += byte === BACKSLASH ? 2 : 1
    }
    const quote = bytes.indexOf(QUOTE, at)
    if (quote === -1) return bytes.length
    let first = quote
    while (first > at && bytes[first - 1] === BACKSLASH) first--
    if ((quote - first) % 2 === 0) return quote
    at = quote + 1
  }
}

/** In all objects of the value. Without recursion, so that no nesting overflows the stack. */
function namesIn(json: unknown): number {
  if (typeof json !== 'object' || json === null) return 0
  const open: object[] = [json]
  let count = 0
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) {
      for (const inner of value) if (typeof inner === 'object' && inner !== null) open.push(inner)
      continue
    }
    for (const name in value) {
      count++
      const inner = (value as Record<string, unknown>)[name]
      if (typeof inner === 'object' && inner !== null) open.push(inner)
    }
  }
  return count
}

/** `names` is null in a list. `step` is the name or the number of the value that is being read. */
type Open = { names: Set<string> | null; step: string | number }

/** The path of the first name that occurs twice; null if it is too far in. */
function twiceIn(bytes: Buffer): string | null {
  const open: Open[] = []
  let remembered = 0
  let isName = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    const inner = open.at(-1)
    if (byte === QUOTE) {
      const end = endOfText(bytes, at)
      if (isName && inner?.names) {
        const name = JSON.parse(bytes.toString('utf8', at, end + 1)) as string
        inner.step = name
        if (inner.names.has(name)) return pathOf(open)
        if (++remembered > NAMES_MAX) return null
        inner.names.add(name)
        isName = false
      }
      at = end
    } else if (byte === OBJECT || byte === LIST) {
      if (open.length === DEPTH_MAX) return null
      isName = byte === OBJECT
      open.push({ names: isName ? new Set() : null, step: 0 })
    } else if (byte === OBJECT_END || byte === LIST_END) {
      open.pop()
      isName = false
    } else if (byte === COMMA && inner) {
      isName = inner.names !== null
      if (typeof inner.step === 'number') inner.step++
    }
  }
  return null
}

const pathOf = (open: readonly Open[]): string =>
  open.map(({ step }) => String(step).slice(0, NAME_SHOWN_MAX)).join('.')
