// What a stream has produced so far: the usage that it reports, or else its text, to be counted at the end.
import type { ProviderWire } from '../providers/provider.ts'
import { countText } from '../tokens.ts'
import type { Usage } from '../wires/usage.ts'
import { laterUsage, usageOfChat, usageOfEmbeddings, usageOfMessages, usageOfResponses } from '../wires/usage-in.ts'
import { eventsIn } from './server-events.ts'

export const USAGE_IN: Record<ProviderWire, (json: unknown) => Usage | null> = {
  chat: usageOfChat,
  embeddings: usageOfEmbeddings,
  responses: usageOfResponses,
  messages: usageOfMessages,
}

/** Of a longer stream without usage, the rest is estimated from this much: little, because a thousand streams keep it,
 *  and because a crowd of clients that leave at once must not hold up the others while theirs is counted. */
const KEPT_BYTES_MAX = 32 * 1024
const KEPT_BYTES_MIN = 4 * 1024

export type Produced = {
  /** The bytes of whole events. */
  add(bytes: Buffer): void
  /** The JSON of an event with usage, which is then not read again. */
  report(json: unknown): void
  usage(): Usage | null
  /** The tokens of the text so far. */
  countOutput(): Promise<number>
}

export function openProduced(wire: ProviderWire): Produced {
  let usage: Usage | null = null
  let kept: Buffer = Buffer.alloc(0)
  let [keptSize, size] = [0, 0]
  return {
    add: bytes => {
      size += bytes.length
      const part = bytes.subarray(0, KEPT_BYTES_MAX - keptSize)
      if (part.length === 0) return
      // Copied, because a small piece of its own would take several times its size, and live as long as the stream.
      if (keptSize + part.length > kept.length) kept = grown(kept, keptSize + part.length)
      keptSize += part.copy(kept, keptSize)
    },
    report: json => {
      usage = laterUsage(usage, usageIn(wire, json))
    },
    usage: () => usage,
    countOutput: async () => {
      const text = textIn(kept.subarray(0, keptSize))
      kept = Buffer.alloc(0)
      const counted = await countText(text)
      return keptSize === 0 ? 0 : Math.ceil((counted * size) / keptSize)
    },
  }
}

function grown(kept: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(KEPT_BYTES_MIN, kept.length * 2, size))
  kept.copy(larger)
  return larger
}

/** In streams, the usage of messages and responses is inside of the message or response that an event tells of. */
function usageIn(wire: ProviderWire, json: unknown): Usage | null {
  const { message, response } = (json ?? {}) as { message?: unknown; response?: unknown }
  return USAGE_IN[wire](json) ?? USAGE_IN[wire](message) ?? USAGE_IN[wire](response)
}

/** The names of fields that have text of a model, in the events of all wires. */
const TEXTS = new Set([
  ...['content', 'reasoning_content', 'reasoning', 'refusal', 'arguments', 'name', 'text', 'thinking', 'partial_json'],
])
const DEPTH_MAX = 8

function textIn(bytes: Buffer): string {
  const texts: string[] = []
  for (const { data } of eventsIn(bytes)) {
    const json = jsonIn(data)
    // Responses repeat everything in their last events.
    const { type, delta } = (json ?? {}) as { type?: unknown; delta?: unknown }
    if (typeof delta === 'string') texts.push(delta)
    else if (typeof type !== 'string' || !type.startsWith('response.')) collect(json, texts, 0)
  }
  return texts.join('')
}

/** The text of an answer in one piece. */
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
