// Counts tokens: to reserve before a call, and for upstreams that report nothing. The encoding is o200k, that of OpenAI's
// models; others have other encodings, so the count is an estimate for them.
import { mediaIn, type Weights } from './media.ts'
import type { JsonObject } from './translations/translation.ts'

/** Up to here a text is counted whole. Of a longer one, windows are counted and the rest is estimated from them, so that
 *  the cost of a count has a bound: a tenth of a second for the worst text that we know, random characters. */
const WHOLE_MAX = 16_384
const WINDOWS = 16
const WINDOW = WHOLE_MAX / WINDOWS
/** The encoder takes quadratic time for a run without spaces, so it gets pieces of this length. A cut in a run adds at
 *  most a token or two. */
const PIECE_MAX = 64
/** The size of the encoder's cache. Its default of 100,000 pieces would hold too many texts of strangers. */
const REMEMBERED = 10_000

type Encoder = (text: string) => number

/** The assumed bytes per token if the encoding cannot be loaded. */
const BYTES_PER_TOKEN = 4

const told = new Set<(error: unknown) => void>()

/** Reports an encoding that cannot be loaded, until the returned function is called. A process has one encoding. */
export function reportTokenizer(to: (error: unknown) => void): () => void {
  told.add(to)
  return () => void told.delete(to)
}

/** Tests have it loaded in another way. */
export const tokenizer: { load: () => Promise<Encoder>; loaded: Promise<Encoder> | null } = { load, loaded: null }

/** Loaded on first use: it takes a quarter of a second and 75 MB of memory. */
async function load(): Promise<Encoder> {
  const { countTokens, setMergeCacheSize } = await import('gpt-tokenizer/encoding/o200k_base')
  setMergeCacheSize(REMEMBERED)
  // A text that looks like a special token is text.
  const asText = { disallowedSpecial: new Set<string>() }
  return text => countTokens(text, asText)
}

/** Exact up to the cuts in texts of at most 16,384 characters. A longer text is estimated from 16 windows that are spread
 *  over it: not from its beginning alone, which its sender could make cheap. */
export async function countText(text: string): Promise<number> {
  if (text === '') return 0
  tokenizer.loaded ??= tokenizer.load()
  const encoder = await tokenizer.loaded.catch(error => {
    tokenizer.loaded = null // The next count tries again.
    const failure = new Error('tokens are estimated from bytes: their encoding could not be loaded', { cause: error })
    for (const report of told) report(failure)
    return null
  })
  if (encoder === null) return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
  if (text.length <= WHOLE_MAX) return countPieces(encoder, text, 0, text.length)
  let sum = 0
  for (let window = 0; window < WINDOWS; window++) {
    const from = Math.floor(((text.length - WINDOW) * window) / (WINDOWS - 1))
    sum += countPieces(encoder, text, from, from + WINDOW)
  }
  return Math.ceil((sum * text.length) / WHOLE_MAX)
}

function countPieces(encoder: Encoder, text: string, from: number, to: number): number {
  let sum = 0
  for (let at = from; at < to; ) {
    const end = endOfPiece(text, at, to)
    sum += encoder(text.slice(at, end))
    at = end
  }
  return sum
}

/** Before the last space, which belongs to the word after it; else anywhere, but not inside of a character. */
function endOfPiece(text: string, from: number, to: number): number {
  const most = from + PIECE_MAX
  if (most >= to) return to
  for (let at = most; at > from + PIECE_MAX / 2; at--) {
    if (text[at] === ' ' && text[at - 1] !== ' ') return at
  }
  const isLowSurrogate = (text.charCodeAt(most) & 0xfc00) === 0xdc00
  return isLowSurrogate ? most - 1 : most
}

/** What a message costs beside its text: its role and its limits. */
const PER_MESSAGE = 4
/** The beginning of the answer. */
const PER_CALL = 3
/** Of an image of ordinary size; of ten tokens a second of compressed sound; of a page of a document of 70 KB. */
const LIKELY: Weights = { image: 1_600, sound: 500, file: 40 }

/** Fields with text for the model, on every wire of chat. */
const TEXT_FIELDS = ['messages', 'system', 'input', 'instructions', 'prompt'] as const
/** Their field names are for the model as well. */
const SCHEMA_FIELDS = ['tools', 'functions', 'response_format', 'text'] as const

/** The input tokens of a request of the wires chat, responses and messages. Takes linear time and never fails, whatever
 *  the body contains. */
export async function estimateChatInput(body: JsonObject): Promise<number> {
  const { tokens, skipped } = mediaIn(body, LIKELY)
  const found: Found = { texts: [], tokens: tokens + PER_CALL + messagesIn(body) * PER_MESSAGE, skipped }
  for (const field of TEXT_FIELDS) collect(body[field], NOT_READ, false, found)
  for (const field of SCHEMA_FIELDS) collect(body[field], NONE, true, found)
  return found.tokens + (await countText(found.texts.join('\n')))
}

/** The input tokens of a request of the embeddings wire: texts, or tokens. */
export async function estimateEmbeddingsInput(body: JsonObject): Promise<number> {
  const found = { texts: [] as string[], tokens: 0 }
  const inputs = Array.isArray(body.input) ? body.input : [body.input]
  for (const input of inputs) {
    if (typeof input === 'string') found.texts.push(input)
    else if (typeof input === 'number') found.tokens++
    else if (Array.isArray(input)) found.tokens += input.length
  }
  return found.tokens + (await countText(found.texts.join('\n')))
}

/** The most that the families of models count for an image. */
const IMAGES: readonly [family: RegExp, tokens: number][] = [
  // 2,833 and 5,667 for each of up to eight tiles: 33 times as many as gpt-4o, so that an image costs the same with both.
  [/4o-mini/i, 48_169],
  // As many patches as with `detail: "original"`.
  [/gpt-(5\.[4-9]|[6-9])/i, 10_000],
  // 258 for each tile of 768 pixels, of an image of 6,144 pixels.
  [/gemini/i, 16_512],
  [/qwen/i, 16_384],
]
/** Of Claude with the highest resolution; of others known to us less. */
const IMAGE_MOST = 5_000
/** Sound of the lowest quality, with 32 tokens a second. Text in a file has four bytes for a token. */
const SOUND_MOST = 40
const FILE_MOST = (4 * 4) / 3

/** The most tokens of a request of any wire: all of its text counts, because a template of the provider may read any field.
 *  `models` are the names of those that may get it. `most` has the most for its images, sound and files. */
export async function fullInput(
  body: JsonObject,
  models: readonly string[],
): Promise<{ likely: number; most: number }> {
  const known = models.map(model => IMAGES.find(([family]) => family.test(model))?.[1] ?? IMAGE_MOST)
  const { tokens: most, skipped } = mediaIn(body, { image: Math.max(...known), sound: SOUND_MOST, file: FILE_MOST })
  const found: Found = { texts: [], tokens: PER_CALL + messagesIn(body) * PER_MESSAGE, skipped }
  collect(body, NONE, true, found)
  const text = found.tokens + (await countText(found.texts.join('\n')))
  return { likely: text + mediaIn(body, LIKELY).tokens, most: text + most }
}

function messagesIn({ messages, input }: JsonObject): number {
  return [messages, input].reduce((sum: number, list) => sum + (Array.isArray(list) ? list.length : 0), 0)
}

type Found = { texts: string[]; tokens: number; skipped: ReadonlyMap<object, string> }

/** Fields that are not text for the model. */
const NOT_READ = new Set(['role', 'type', 'id', 'tool_call_id', 'tool_use_id', 'call_id', 'cache_control', 'status'])
const NONE: ReadonlySet<string> = new Set()
/** In most tokenizers, a number has one for up to three digits. */
const DIGITS_PER_TOKEN = 3

/** With the names of fields, numbers are read as well. Without recursion: a body may be nested deeply. */
function collect(root: unknown, without: ReadonlySet<string>, withNames: boolean, found: Found): void {
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') found.texts.push(value)
    else if (typeof value === 'number' && withNames) found.tokens += Math.ceil(String(value).length / DIGITS_PER_TOKEN)
    else if (Array.isArray(value)) for (const one of value) open.push(one)
    else if (typeof value === 'object' && value !== null) {
      const data = found.skipped.get(value)
      for (const [name, inner] of Object.entries(value)) {
        if (withNames) found.texts.push(name)
        if (name !== data && !without.has(name)) open.push(inner)
      }
    }
  }
}
