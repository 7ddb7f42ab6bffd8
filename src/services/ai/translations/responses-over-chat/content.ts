// The content of input items: Responses parts become chat parts.

import { type JsonObject, Untranslatable } from '../translation.ts'
import { asked, isAbsent } from '../wire-fields.ts'
import { below, copyPresent, NOT_EXPRESSIBLE, refuseUnknown, refuseUnlessOff } from './fields.ts'

export type ChatContent = string | JsonObject[]
type Part = (part: JsonObject, path: string) => JsonObject

const CACHED: [string, typeof asked.object][] = [['prompt_cache_breakpoint', asked.object]]

function textPart(part: JsonObject, path: string): JsonObject {
  refuseUnknown(part, path, new Set(['type', 'text', 'prompt_cache_breakpoint']))
  return { type: 'text', text: asked.text(part.text, below(path, 'text')), ...copyPresent(part, path, CACHED) }
}

function imagePart(part: JsonObject, path: string): JsonObject {
  refuseUnknown(part, path, new Set(['type', 'image_url', 'detail', 'file_id', 'prompt_cache_breakpoint']))
  refuseUnlessOff(part, path, ['file_id'], 'cannot be read by this model: send the image as `image_url`')
  const url = asked.text(part.image_url, below(path, 'image_url'))
  const detail = copyPresent(part, path, [['detail', asked.text]])
  return { type: 'image_url', image_url: { url, ...detail }, ...copyPresent(part, path, CACHED) }
}

const FILE_FIELDS = new Set([
  'type',
  'file_data',
  'file_id',
  'file_url',
  'filename',
  'detail',
  'prompt_cache_breakpoint',
])

function filePart(part: JsonObject, path: string): JsonObject {
  refuseUnknown(part, path, FILE_FIELDS)
  refuseUnlessOff(part, path, ['file_url'], 'cannot be read by this model: send the file as `file_data`')
  if (!isAbsent(part.detail) && part.detail !== 'auto') throw new Untranslatable(below(path, 'detail'), NOT_EXPRESSIBLE)
  const file = copyPresent(part, path, [
    ['file_data', asked.text],
    ['file_id', asked.text],
    ['filename', asked.text],
  ])
  if (file.file_data === undefined && file.file_id === undefined) {
    throw new Untranslatable(below(path, 'file_data'), 'is required')
  }
  return { type: 'file', file, ...copyPresent(part, path, CACHED) }
}

function audioPart(part: JsonObject, path: string): JsonObject {
  refuseUnknown(part, path, new Set(['type', 'input_audio']))
  const at = below(path, 'input_audio')
  const audio = asked.object(part.input_audio, at)
  refuseUnknown(audio, at, new Set(['data', 'format']))
  const [data, format] = [asked.text(audio.data, below(at, 'data')), asked.text(audio.format, below(at, 'format'))]
  return { type: 'input_audio', input_audio: { data, format } }
}

/** Annotations and log probabilities describe the text for the client; they are not part of what a model reads. */
function outputTextPart(part: JsonObject, path: string): JsonObject {
  refuseUnknown(part, path, new Set(['type', 'text', 'annotations', 'logprobs']))
  return { type: 'text', text: asked.text(part.text, below(path, 'text')) }
}

function refusalPart(part: JsonObject, path: string): JsonObject {
  refuseUnknown(part, path, new Set(['type', 'refusal']))
  return { type: 'refusal', refusal: asked.text(part.refusal, below(path, 'refusal')) }
}

const TEXT: [string, Part] = ['input_text', textPart]
/** What chat completions accepts from each role. */
const PARTS: Record<'user' | 'system' | 'assistant' | 'tool', ReadonlyMap<string, Part>> = {
  user: new Map([TEXT, ['input_image', imagePart], ['input_file', filePart], ['input_audio', audioPart]]),
  system: new Map([TEXT]),
  assistant: new Map([TEXT, ['output_text', outputTextPart], ['refusal', refusalPart]]),
  tool: new Map([TEXT]),
}

/** A list with one plain text becomes that text, because some providers accept nothing else from other roles than `user`. */
export function chatContent(value: unknown, role: keyof typeof PARTS, path: string): ChatContent {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) throw new Untranslatable(path, 'must be a string or an array')
  const parts = asked.list(value, path).map((part, at) => chatPart(part, role, below(path, at)))
  if (parts.length === 0) return ''
  const [only] = parts
  return parts.length === 1 && only && isPlainText(only) ? (only.text as string) : parts
}

function chatPart(value: unknown, role: keyof typeof PARTS, path: string): JsonObject {
  const part = asked.object(value, path)
  const type = asked.text(part.type, below(path, 'type'))
  const translate = PARTS[role].get(type)
  if (translate) return translate(part, path)
  const known = [...PARTS[role].keys()].join(', ')
  throw new Untranslatable(below(path, 'type'), `must be one of ${known}: others ${NOT_EXPRESSIBLE} for this item`)
}

const isPlainText = (part: JsonObject) => part.type === 'text' && part.prompt_cache_breakpoint === undefined

export const contentParts = (content: ChatContent): JsonObject[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content
