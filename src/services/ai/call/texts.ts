// The texts of a model in its answers, of all wires.
import { eventsIn } from './server-events.ts'

/** The names of fields that have text of a model. */
const TEXTS = new Set([
  ...['content', 'reasoning_content', 'reasoning', 'refusal', 'arguments', 'name', 'text', 'thinking', 'partial_json'],
  'transcript',
])
const DEPTH_MAX = 8

/** In the bytes of whole events. */
export function textIn(bytes: Buffer): string {
  const texts: string[] = []
  for (const { data } of eventsIn(bytes)) {
    const json = jsonIn(data)
    const { type, delta } = (json ?? {}) as { type?: unknown; delta?: unknown }
    const kind = typeof type === 'string' ? type : ''
    // Responses repeat everything in their last events, and what was asked in their first ones.
    if (typeof delta === 'string') texts.push(kind.endsWith('audio.delta') ? '' : delta)
    else if (!kind.startsWith('response.')) collect(json, texts, 0)
  }
  return texts.join('')
}

/** In an answer in one piece. */
export function wordsIn(json: unknown): string {
  const texts: string[] = []
  collect(json, texts, 0)
  return texts.join('')
}

function collect(value: unknown, into: string[], depth: number): void {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner !== 'string') collect(inner, into, depth + 1)
    else if (TEXTS.has(name)) into.push(inner)
  }
}

export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
