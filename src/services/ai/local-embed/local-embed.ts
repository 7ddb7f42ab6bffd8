// The model `local-embed-en`: embeddings of English texts, computed in a worker thread. A call is cut into batches, and the
// batches of all organisations wait for their turn, so that a large call of one does not hold up the others.
import { openThread, type Thread, type ThreadOptions } from '../../../kit/thread/open.ts'
import type { EmbedFunctions, Tokens } from './thread.ts'
import { DIMENSIONS } from './vectors.ts'

/** As many as OpenAI accepts. */
export const TEXTS_MAX = 2_048
/** The model reads no more than this of a text; what follows would not change the vector. */
export const TOKENS_MAX = 128
/** Longer texts are rejected without being read: nearly every text of 128 tokens is shorter. */
export const CHARACTERS_MAX = 4_096
/** Of all texts together: about a minute of computing, and 2,048 short sentences. */
export const CALL_TOKENS_MAX = 32_768

/** A batch holds the thread for less than a second: a token takes a millisecond or more. */
const BATCH_TEXTS = 32
const BATCH_TOKENS = 512
const BATCH_CHARACTERS = 65_536

const THREAD: ThreadOptions = {
  name: 'local-embed',
  file: new URL('thread.ts', import.meta.url),
  /** Many times what it needs: the model is in buffers. */
  heapMb: 512,
  /** Many times what a batch needs, with the loading of the model. */
  callMs: 60_000,
  idleMs: 5 * 60_000,
  waitingMax: 200,
  waitMs: 30_000,
  busy: 'Too many texts wait for the local model. Try again.',
}

export type Embedded = { vectors: Float32Array[]; tokens: number }

export type LocalEmbed = {
  /** Throws `EmbedRefused` for what the model cannot embed, the signal's reason, and what a call of the thread does. */
  embed(org: string, texts: readonly string[], signal?: AbortSignal): Promise<Embedded>
} & Pick<Thread<EmbedFunctions>, 'isStarted' | 'gauges' | 'close'>

/** `path` names the field of the request. */
export class EmbedRefused extends Error {
  readonly path: string
  constructor(path: string, says: string) {
    super(says)
    this.path = path
  }
}

export function openLocalEmbed(options: Partial<ThreadOptions> = {}): LocalEmbed {
  const thread = openThread<EmbedFunctions>({ ...THREAD, ...options })

  /** The tokens of each text. */
  async function tokenize(org: string, texts: readonly string[], signal?: AbortSignal): Promise<Int32Array[]> {
    const all: Int32Array[] = []
    for (const batch of batchesOf([...texts], text => text.length, {
      textsMax: TEXTS_MAX,
      sizeMax: BATCH_CHARACTERS,
    })) {
      signal?.throwIfAborted()
      const tokens = await thread.call('tokenize', batch, { user: org, signal })
      all.push(...splitTokens(tokens))
      requireReadable(all)
    }
    return all
  }

  async function embed(org: string, texts: readonly string[], signal?: AbortSignal): Promise<Embedded> {
    requireTexts(texts)
    const all = (await tokenize(org, texts, signal)).map((ids, at) => ({ ids, at }))
    const vectors = new Array<Float32Array>(texts.length)
    // Texts of like length together: the model fills up a batch to the length of its longest text.
    const inOrder = all.toSorted((a, b) => a.ids.length - b.ids.length)
    for (const batch of batchesOf(inOrder, ({ ids }) => ids.length, { textsMax: BATCH_TEXTS, sizeMax: BATCH_TOKENS })) {
      signal?.throwIfAborted()
      const tokens = joinTokens(batch.map(({ ids }) => ids))
      const move = [tokens.ids.buffer, tokens.lengths.buffer]
      const done = await thread.call('embed', tokens, { user: org, signal, move })
      for (const [index, { at }] of batch.entries()) {
        vectors[at] = done.slice(index * DIMENSIONS, (index + 1) * DIMENSIONS)
      }
    }
    signal?.throwIfAborted()
    return { vectors, tokens: all.reduce((sum, { ids }) => sum + ids.length, 0) }
  }

  return { embed, isStarted: thread.isStarted, gauges: thread.gauges, close: thread.close }
}

function requireTexts(texts: readonly string[]): void {
  if (texts.length === 0) throw new EmbedRefused('input', 'must have at least one text')
  if (texts.length > TEXTS_MAX) throw new EmbedRefused('input', `must have at most ${TEXTS_MAX} texts`)
  for (const [at, text] of texts.entries()) {
    if (text === '') throw new EmbedRefused(`input.${at}`, 'must not be empty')
    if (text.length > CHARACTERS_MAX)
      throw new EmbedRefused(`input.${at}`, `must have at most ${TOKENS_MAX} tokens and ${CHARACTERS_MAX} characters`)
  }
}

function requireReadable(tokens: readonly Int32Array[]): void {
  const at = tokens.findIndex(({ length }) => length > TOKENS_MAX)
  const length = tokens[at]?.length
  if (length !== undefined)
    throw new EmbedRefused(`input.${at}`, `must have at most ${TOKENS_MAX} tokens; it has ${length}`)
  if (tokens.reduce((sum, { length }) => sum + length, 0) > CALL_TOKENS_MAX)
    throw new EmbedRefused('input', `must have at most ${CALL_TOKENS_MAX} tokens in all texts together`)
}

function splitTokens({ ids, lengths }: Tokens): Int32Array[] {
  let from = 0
  return Array.from(lengths, length => {
    from += length
    return ids.subarray(from - length, from)
  })
}

function joinTokens(texts: readonly Int32Array[]): Tokens {
  const lengths = Uint32Array.from(texts, ({ length }) => length)
  const ids = new Int32Array(lengths.reduce((sum, length) => sum + length, 0))
  let from = 0
  for (const text of texts) {
    ids.set(text, from)
    from += text.length
  }
  return { ids, lengths }
}

/** Every batch has at least one member, and no more than the bounds allow. */
function batchesOf<T>(
  all: readonly T[],
  sizeOf: (one: T) => number,
  { textsMax, sizeMax }: { textsMax: number; sizeMax: number },
): T[][] {
  const batches: T[][] = []
  let size = 0
  for (const one of all) {
    const last = batches.at(-1)
    size += sizeOf(one)
    if (last && last.length < textsMax && size <= sizeMax) last.push(one)
    else {
      batches.push([one])
      size = sizeOf(one)
    }
  }
  return batches
}
