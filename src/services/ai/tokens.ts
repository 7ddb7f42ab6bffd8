// Counts tokens: to reserve before a call, and for upstreams that report nothing. The encoding is o200k, that of OpenAI's
// models; others have other encodings, so the count is an estimate for them.
import type { JsonObject } from './translations/translation.ts'

/** Up to here a text is counted whole. Of a longer one, windows are counted and the rest is estimated from them, so that
 *  the cost of a count has a bound: a tenth of a second for the worst text that we know, random characters. */
const WHOLE_MAX = 16_384
const WINDOWS = 16
const WINDOW = WHOLE_MAX / WINDOWS
/** The encoder takes quadratic time for a run without spaces, so it gets pieces of this length. A cut in a run adds at
 *  most a token or two. */
const PIECE_MAX = 64
/** Pieces that the encoder remembers. Its own choice is 100,000, of texts that strangers send. */
const REMEMBERED = 10_000

type Encoder = (text: string) => number

/** Where the encoding cannot be loaded, a token is taken for so many bytes. */
const BYTES_PER_TOKEN = 4

const told = new Set<(error: unknown) => void>()

/** Tells of an encoding that cannot be loaded, until the function is called that it returns. A process has one encoding. */
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
/** About the most that providers count for an image of ordinary size. */
const PER_IMAGE = 1_600
/** Characters of base64 per token: ten tokens a second of compressed audio, and a page of a document of 70 KB. */
const AUDIO_CHARACTERS = 500
const FILE_CHARACTERS = 40

/** Fields with text for the model, on every wire of chat. */
const TEXT_FIELDS = ['messages', 'system', 'input', 'instructions', 'prompt'] as const
/** Their field names are for the model as well. */
const SCHEMA_FIELDS = ['tools', 'functions', 'response_format', 'text'] as const

/** The input tokens of a request of the wires chat, responses and messages. Takes linear time and never fails, whatever
 *  the body contains. */
export async function estimateChatInput(body: JsonObject): Promise<number> {
  const found: Found = { texts: [], tokens: PER_CALL }
  for (const field of TEXT_FIELDS) collect(body[field], false, found)
  for (const field of SCHEMA_FIELDS) collect(body[field], true, found)
  for (const field of ['messages', 'input'] as const) {
    const list = body[field]
    if (Array.isArray(list)) found.tokens += list.length * PER_MESSAGE
  }
  return found.tokens + (await countText(found.texts.join('\n')))
}

/** The input tokens of a request of the embeddings wire: texts, or tokens. */
export async function estimateEmbeddingsInput(body: JsonObject): Promise<number> {
  const found: Found = { texts: [], tokens: 0 }
  const inputs = Array.isArray(body.input) ? body.input : [body.input]
  for (const input of inputs) {
    if (typeof input === 'string') found.texts.push(input)
    else if (typeof input === 'number') found.tokens++
    else if (Array.isArray(input)) found.tokens += input.length
  }
  return found.tokens + (await countText(found.texts.join('\n')))
}

type Found = { texts: string[]; tokens: number }

/** Without recursion: a body may be nested deeply. */
function collect(root: unknown, withNames: boolean, found: Found): void {
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') found.texts.push(value)
    else if (Array.isArray(value)) for (const one of value) open.push(one)
    else if (typeof value === 'object' && value !== null) {
      const media = tokensOfMedia(value as JsonObject)
      if (media !== null) {
        found.tokens += media
        continue
      }
      for (const [name, inner] of Object.entries(value)) {
        if (withNames) found.texts.push(name)
        if (!NOT_READ.has(name) || withNames) open.push(inner)
      }
    }
  }
}

/** Fields that are not text for the model. */
const NOT_READ = new Set(['role', 'type', 'id', 'tool_call_id', 'tool_use_id', 'call_id', 'cache_control', 'status'])

/** Null if the part is none of the known media: its texts are counted then. */
function tokensOfMedia(part: JsonObject): number | null {
  const { type } = part
  if (type === 'image_url' || type === 'image' || type === 'input_image') return PER_IMAGE
  if (type === 'input_audio') return Math.ceil(charactersIn(part.input_audio, 'data') / AUDIO_CHARACTERS)
  if (type === 'file') return Math.ceil(charactersIn(part.file, 'file_data') / FILE_CHARACTERS)
  if (type === 'input_file') return Math.ceil(charactersIn(part, 'file_data') / FILE_CHARACTERS)
  if (type === 'base64') return Math.ceil(charactersIn(part, 'data') / FILE_CHARACTERS)
  return null
}

function charactersIn(value: unknown, name: string): number {
  const text = typeof value === 'object' && value !== null ? (value as JsonObject)[name] : null
  return typeof text === 'string' ? text.length : 0
}
