// Images, sound and files inside a body. They count as media only as parts of messages, items and tool results;
// elsewhere a provider reads them as text.
import type { JsonObject } from './translations/translation.ts'

/** Tokens of an image, and characters of base64 per token of sound and of files. */
export type Weights = { image: number; sound: number; file: number }

/** `tokens` is what the parts count. `skipped` has the fields with their data: an object, and a name in it. */
export type Media = { tokens: number; skipped: ReadonlyMap<object, string> }

export function mediaIn(body: JsonObject, weights: Weights): Media {
  const skipped = new Map<object, string>()
  let tokens = 0
  eachPart(body, part => {
    const found = dataOf(part)
    if (found === null) return
    const data = found.in[found.name]
    const text = typeof data === 'string' ? data : ''
    const kind = found.kind === 'image' && isOtherData(text) ? 'file' : found.kind
    if (kind === 'image') tokens += weights.image
    if (!isData(text)) return
    skipped.set(found.in, found.name)
    if (kind !== 'image') tokens += Math.ceil(text.length / weights[kind])
  })
  return { tokens, skipped }
}

/** Encoded, not text that a model could read as it is. */
function isData(text: string): boolean {
  const [head = ''] = /^data:[^\s,]{0,200},/i.exec(text) ?? []
  return text.length > head.length && !/[^\w+/=\r\n-]/.test(text.slice(head.length))
}

const isOtherData = (text: string) => /^data:/i.test(text) && !/^data:image\//i.test(text)

/** The path of the first file that a provider would fetch, so that its length is unknown here; null if there is none. */
export function fetchedFile(body: JsonObject): string | null {
  let found: string | null = null
  eachPart(body, (part, path) => {
    found ??= fetchedIn(part, path)
  })
  return found
}

const URL_NAMES = ['file_url', 'document_url', 'video_url', 'audio_url']
const isUrl = (value: unknown) => typeof value === 'string' && /^\s*(https?|gs|s3|file|ftp):/i.test(value)

function fetchedIn(part: JsonObject, path: string): string | null {
  const { source, file } = part
  for (const name of URL_NAMES) {
    const value = part[name]
    if (isUrl(value) || (isObject(value) && isUrl(value.url))) return `${path}.${name}`
  }
  if (isObject(file)) {
    const name = ['file_url', 'file_data', 'url'].find(name => isUrl(file[name]))
    if (name !== undefined) return `${path}.file.${name}`
  }
  if (isUrl(part.file_data)) return `${path}.file_data`
  const isImage = part.type === 'image'
  return !isImage && isObject(source) && (source.type === 'url' || isUrl(source.url)) ? `${path}.source` : null
}

type Data = { kind: 'image' | 'sound' | 'file'; in: JsonObject; name: string }

/** Where the data of a part is; null if the part is not of a known kind of media. */
function dataOf(part: JsonObject): Data | null {
  const { type } = part
  if (type === 'image_url' || type === 'input_image' || type === 'computer_screenshot') {
    const within = part.image_url
    return isObject(within)
      ? { kind: 'image', in: within, name: 'url' }
      : { kind: 'image', in: part, name: 'image_url' }
  }
  if (type === 'image_generation_call') return { kind: 'image', in: part, name: 'result' }
  if (type === 'image') return { kind: 'image', in: isObject(part.source) ? part.source : part, name: 'data' }
  if (type === 'input_audio') return within(part.input_audio, 'sound', 'data')
  if (type === 'file') return within(part.file, 'file', 'file_data')
  if (type === 'input_file') return { kind: 'file', in: part, name: 'file_data' }
  const isBase64 = type === 'document' && isObject(part.source) && part.source.type === 'base64'
  return isBase64 ? within(part.source, 'file', 'data') : null
}

const within = (value: unknown, kind: Data['kind'], name: string): Data | null =>
  isObject(value) ? { kind, in: value, name } : null

type See = (part: JsonObject, path: string) => void

function eachPart(body: JsonObject, see: See): void {
  for (const field of ['messages', 'input']) {
    const list = body[field]
    if (!Array.isArray(list)) continue
    for (const [at, item] of list.entries()) {
      if (!isObject(item)) continue
      if (item.type === 'image_generation_call') see(item, `${field}.${at}`)
      eachOf(item.content, `${field}.${at}.content`, see)
      if (isObject(item.output)) see(item.output, `${field}.${at}.output`)
      else eachOf(item.output, `${field}.${at}.output`, see)
    }
  }
}

function eachOf(list: unknown, path: string, see: See): void {
  if (!Array.isArray(list)) return
  for (const [at, part] of list.entries()) {
    if (!isObject(part)) continue
    see(part, `${path}.${at}`)
    const { type, content, source } = part
    if (type === 'tool_result') eachOf(content, `${path}.${at}.content`, see)
    if (type === 'document' && isObject(source)) eachOf(source.content, `${path}.${at}.source.content`, see)
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
