// The output of a stream so far: the usage that it reports, or else its text, which is counted at the end.
import type { ProviderWire } from '../providers/provider.ts'
import { NO_USAGE, type Usage } from '../wires/usage.ts'
import { laterUsage, usageOfChat, usageOfEmbeddings, usageOfMessages, usageOfResponses } from '../wires/usage-in.ts'
import { openSample } from './sample.ts'

export const USAGE_IN: Record<ProviderWire, (json: unknown) => Usage | null> = {
  chat: usageOfChat,
  embeddings: usageOfEmbeddings,
  responses: usageOfResponses,
  messages: usageOfMessages,
}

/** Events seldom have more bytes per token. */
const BYTES_PER_TOKEN = 512
/** The allowance for events without text. */
const BYTES_MORE = 8 * 1024

export type Produced = {
  /** The bytes of whole events. */
  add(bytes: Buffer): void
  /** The JSON of an event with usage, so that it is not parsed again. */
  report(json: unknown): void
  /** Records that the stream reported an error. */
  fail(): void
  hasFailed(): boolean
  isEmpty(): boolean
  usage(): Usage | null
  /** Whether the usage may be all: some streams report a part of it first, and end before the rest. */
  isPlausible(usage: Usage): boolean
  /** The tokens of the text so far. */
  countOutput(): Promise<number>
  /** An estimate of the usage so far, for that input. */
  soFar(input: number): Usage
}

export function openProduced(wire: ProviderWire): Produced {
  let usage: Usage | null = null
  let hasFailed = false
  const sample = openSample()
  return {
    add: sample.add,
    report: json => {
      usage = laterUsage(usage, usageIn(wire, json))
    },
    fail: () => {
      hasFailed = true
    },
    hasFailed: () => hasFailed,
    isEmpty: () => sample.bytes() === 0,
    usage: () => usage,
    isPlausible: ({ input, output }) => input > 0 && sample.bytes() <= output * BYTES_PER_TOKEN + BYTES_MORE,
    countOutput: sample.count,
    soFar: input => ({
      ...(usage ?? { ...NO_USAGE, input }),
      output: Math.max(usage?.output ?? 0, sample.soFar()),
    }),
  }
}

/** In streams, the usage of messages and responses is inside the message or response of an event. */
function usageIn(wire: ProviderWire, json: unknown): Usage | null {
  const { message, response } = (json ?? {}) as { message?: unknown; response?: unknown }
  return USAGE_IN[wire](json) ?? USAGE_IN[wire](message) ?? USAGE_IN[wire](response)
}
