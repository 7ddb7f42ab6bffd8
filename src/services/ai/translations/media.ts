// Images and PDF files: `data:` URLs of the chat wire against base64 sources of the messages wire.
import type { JsonObject } from './translation.ts'
import { asked, fieldPath, INEXPRESSIBLE, isAbsent, refuseOthers, untranslatable } from './wire-fields.ts'

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])
const PDF = 'application/pdf'
/** Cache control changes the price of an answer and not the answer. */
const FILE_PART = new Set(['type', 'file', 'prompt_cache_breakpoint'])
const IMAGE_PART = new Set(['type', 'image_url', 'prompt_cache_breakpoint'])
const IMAGE_BLOCK = new Set(['type', 'source', 'cache_control'])
const DOCUMENT_BLOCK = new Set(['type', 'source', 'title', 'citations', 'cache_control'])
/** Anthropic always reads images in full detail, so that `low` cannot be had. */
const DETAILS = new Set<unknown>(['auto', 'high'])

export function imageBlock(part: JsonObject, path: string): JsonObject {
  refuseOthers(part, path, IMAGE_PART)
  const image = asked.object(part.image_url, `${path}.image_url`)
  refuseOthers(image, `${path}.image_url`, new Set(['url', 'detail']))
  if (!isAbsent(image.detail) && !DETAILS.has(image.detail)) {
    throw untranslatable(`${path}.image_url.detail`, INEXPRESSIBLE)
  }
  const at = `${path}.image_url.url`
  const url = asked.text(image.url, at)
  if (startsWithScheme(url, 'https:')) return { type: 'image', source: { type: 'url', url } }
  const { mediaType, data } = dataUrl(url, at)
  if (!IMAGE_TYPES.has(mediaType)) throw untranslatable(at, 'must be a JPEG, PNG, GIF or WebP image')
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } }
}

export function documentBlock(part: JsonObject, path: string): JsonObject {
  refuseOthers(part, path, FILE_PART)
  const file = asked.object(part.file, `${path}.file`)
  refuseOthers(file, `${path}.file`, new Set(['file_data', 'filename']))
  const at = `${path}.file.file_data`
  const { mediaType, data } = dataUrl(asked.text(file.file_data, at), at)
  if (mediaType !== PDF) throw untranslatable(at, 'must be a PDF file')
  const title = asked.textOrNone(file.filename, `${path}.file.filename`)
  const block = { type: 'document', source: { type: 'base64', media_type: PDF, data } }
  return title ? { ...block, title } : block
}

export function imagePart(block: JsonObject, path: string): JsonObject {
  refuseOthers(block, path, IMAGE_BLOCK)
  const source = asked.object(block.source, `${path}.source`)
  if (source.type === 'url') {
    return { type: 'image_url', image_url: { url: asked.name(source.url, `${path}.source.url`) } }
  }
  if (source.type !== 'base64') throw untranslatable(`${path}.source.type`, INEXPRESSIBLE)
  const mediaType = asked.name(source.media_type, `${path}.source.media_type`)
  if (!IMAGE_TYPES.has(mediaType)) {
    throw untranslatable(`${path}.source.media_type`, 'must be a JPEG, PNG, GIF or WebP image')
  }
  const data = asked.text(source.data, `${path}.source.data`)
  return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${data}` } }
}

/** A PDF file as a file part, a plain text as a text part. */
export function documentPart(block: JsonObject, path: string): JsonObject {
  refuseOthers(block, path, DOCUMENT_BLOCK)
  const citations = isAbsent(block.citations) ? {} : asked.object(block.citations, `${path}.citations`)
  if (citations.enabled === true) throw untranslatable(fieldPath(path, 'citations'), INEXPRESSIBLE)
  const title = asked.textOrNone(block.title, `${path}.title`)
  const source = asked.object(block.source, `${path}.source`)
  const data = () => asked.text(source.data, `${path}.source.data`)
  if (source.type === 'text') return { type: 'text', text: title ? `${title}\n${data()}` : data() }
  if (source.type !== 'base64') throw untranslatable(`${path}.source.type`, INEXPRESSIBLE)
  if (source.media_type !== PDF) throw untranslatable(`${path}.source.media_type`, `must be ${PDF}`)
  // The chat wire requires a name with the data of a file.
  return { type: 'file', file: { filename: title || 'document.pdf', file_data: `data:${PDF};base64,${data()}` } }
}

function startsWithScheme(url: string, scheme: string): boolean {
  return url.slice(0, scheme.length).toLowerCase() === scheme
}

function dataUrl(url: string, path: string): { mediaType: string; data: string } {
  const comma = url.indexOf(',')
  if (!startsWithScheme(url, 'data:') || comma === -1) {
    throw untranslatable(path, 'must be a data URL, or for an image an https URL')
  }
  const [mediaType, ...parameters] = url.slice('data:'.length, comma).toLowerCase().split(';')
  if (parameters.at(-1) !== 'base64') throw untranslatable(path, 'must be in base64')
  return { mediaType: mediaType as string, data: url.slice(comma + 1) }
}
