// Organisations share the account that this host has at a provider. What is stored there may belong to any of them, so a
// call may refer to nothing that was not issued to its own organisation here. Only ids of responses are issued.
import type { Sql } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { invalidInput } from '../../../kit/check.ts'
import type { FieldFault } from '../../../kit/fault.ts'
import { hasResponse } from '../store.ts'
import { NOT_STORED } from '../translations/responses-fields.ts'
import type { JsonObject } from '../translations/translation.ts'
import { fieldIn, plain } from './fields.ts'

/** In a part of a message, in an item, in a tool. */
export const REFERENCES = ['file_id', 'file_ids', 'vector_store_ids', 'container_id', 'skill_id']
/** Of the whole body: conversations, prompts, containers, caches and indexes in the account. */
const NEVER_ISSUED = ['container', 'thread', 'cached_content', 'data_sources', 'tool_resources']
export const STORED_FIELDS = ['previous_response_id', 'conversation', 'prompt', 'extra_body', ...NEVER_ISSUED]
const SAYS = 'refers to what is stored at the provider, where other organisations have theirs: send the content itself'
const NOT_OWN = 'is not the id of a response that this organisation got here: send the whole conversation as `input`'
/** Longer than the ids of any provider. */
export const ID_LENGTH_MAX = 200

/** Raises 400. `previous_response_id` is left to `requireOwnResponse` if the wire has it. */
export function requireNoReferences(fields: JsonObject, hasResponses: boolean): void {
  const fault = storedIn(fields, hasResponses) ?? itemIn(fields.input)
  if (fault) throw invalidInput([fault])
  const path = fieldIn(fields, isReference)
  if (path !== null) throw invalidInput([{ path, says: SAYS }])
}

function storedIn(fields: JsonObject, hasResponses: boolean): FieldFault | null {
  const { previous_response_id: previous = null, conversation = null, prompt = null, extra_body: extra = null } = fields
  if (previous !== null && !hasResponses) return { path: 'previous_response_id', says: NOT_STORED }
  if (conversation !== null) return { path: 'conversation', says: NOT_STORED }
  if (prompt !== null && typeof prompt === 'object') return { path: 'prompt', says: SAYS }
  const stored = NEVER_ISSUED.find(name => (fields[name] ?? false) !== false)
  if (stored !== undefined) return { path: stored, says: SAYS }
  if (extra === null || isThinking(extra)) return null
  return { path: 'extra_body', says: 'is not taken: send its fields in the body itself' }
}

const OF_ONE_CALL = new Set(['thinking_config', 'safety_settings'])

/** Google takes the options of its own wire in `extra_body.google`: how much to think, but also what is cached in the
 *  account. */
function isThinking(extra: unknown): boolean {
  const { google = null, ...others } = Object(extra) as JsonObject
  return Object.keys(others).length === 0 && Object.keys(Object(google)).every(name => OF_ONE_CALL.has(name))
}

/** An item that stands for another one, which is stored. */
function itemIn(input: unknown): FieldFault | null {
  if (!Array.isArray(input)) return null
  const at = input.findIndex(isItemReference)
  return at === -1 ? null : { path: `input.${at}`, says: NOT_STORED }
}

function isItemReference(item: unknown): boolean {
  if (typeof item !== 'object' || item === null) return false
  const { id = null, type = null, role = null, result = null } = item as JsonObject
  if (type === null) return id !== null && role === null
  const kind = plain(String(type))
  return kind === 'itemreference' || (kind === 'imagegenerationcall' && result === null)
}

/** Names that are in nearly every part of a message, for which nothing has to be looked up. */
const USUAL = new Set([
  'type',
  'text',
  'role',
  'content',
  'name',
  'image_url',
  'url',
  'source',
  'data',
  'cache_control',
])
const BY_PLAIN = new Set(REFERENCES.map(plain))

function isReference(name: string, value: unknown): boolean {
  if (USUAL.has(name)) return false
  // A container may be named in a tool, and an earlier answer that was spoken in a message.
  if (name === 'container') return typeof value === 'string' || hasId(value)
  if (name === 'audio') return hasId(value)
  return BY_PLAIN.has(plain(name))
}

const hasId = (value: unknown): boolean => ((value as { id?: unknown }).id ?? null) !== null

/** Raises 400, the same for the response of another organisation as for one that there never was. */
export async function requireOwnResponse(db: Sql, org: OrgId, fields: JsonObject): Promise<void> {
  const { previous_response_id: id = null } = fields
  if (id === null) return
  if (typeof id === 'string' && id.length <= ID_LENGTH_MAX && (await hasResponse(db, org, id))) return
  throw invalidInput([{ path: 'previous_response_id', says: NOT_OWN }])
}
