// Organisations share the account that this host has at a provider. Stored content there may belong to any of them, so a
// call may only refer to content that was issued to its own organisation here. Only ids of responses and of their items
// are issued.
import type { Sql } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { invalidField, invalidInput } from '../../../kit/check.ts'
import type { FieldFault } from '../../../kit/fault.ts'
import { type IssuedRow, selectIssued } from '../store.ts'
import { NOT_STORED } from '../translations/responses-over-chat/fields.ts'
import type { JsonObject } from '../translations/translation.ts'
import { plain } from './fields.ts'

/** Fields of a message part, an item, a tool or an option. */
export const REFERENCES = [
  ...['file_id', 'file_ids', 'vector_store_id', 'vector_store_ids', 'collection_ids', 'library_ids', 'container_id'],
  ...['skill_id', 'comparison_response_id', 'previous_message_id'],
]
/** Fields of the whole body: conversations, prompts, containers, caches and indexes in the account. */
const NEVER_ISSUED = [
  ...['container', 'thread', 'thread_id', 'assistant_id', 'conversation_id', 'cached_content', 'data_sources'],
  'tool_resources',
]
export const STORED_FIELDS = ['previous_response_id', 'conversation', 'prompt', 'extra_body', ...NEVER_ISSUED]
export const NOT_ISSUED =
  'refers to content stored at the provider, in an account that organisations share: send the content itself'
const NOT_OWN =
  'is not the id of a response that this organisation received here: send the whole conversation as `input`'
const NOT_OWN_ITEM =
  'has no content, and is not an item that this organisation received here in the last 30 days and that the provider stored: send its content, which for reasoning is `encrypted_content`, or omit the item'
const OF_UNKNOWN_LENGTH = 'is of unknown length, which cannot be prepaid: send the content itself'
/** Longer than the ids of any provider. */
const ID_LENGTH_MAX = 200
const REFERENCES_MAX = 2_000

/** Raises 400. `previous_response_id` is left to `storedTokens` if the wire has it. */
export function requireNoReferences(fields: JsonObject, hasResponses: boolean): void {
  const fault = storedIn(fields, hasResponses)
  if (fault) throw invalidInput([fault])
}

function storedIn(fields: JsonObject, hasResponses: boolean): FieldFault | null {
  const { previous_response_id: previous = null, conversation = null, prompt = null, extra_body: extra = null } = fields
  if (previous !== null && !hasResponses) return { path: 'previous_response_id', says: NOT_STORED }
  if (conversation !== null) return { path: 'conversation', says: NOT_STORED }
  if (prompt !== null && typeof prompt === 'object') return { path: 'prompt', says: NOT_ISSUED }
  const stored = NEVER_ISSUED.find(name => (fields[name] ?? false) !== false)
  if (stored !== undefined) return { path: stored, says: NOT_ISSUED }
  if (extra === null || isThinking(extra)) return null
  return { path: 'extra_body', says: 'is not supported: send its fields in the body itself' }
}

const OF_ONE_CALL = new Set(['thinking_config', 'safety_settings'])

/** Google accepts the options of its own wire in `extra_body.google`: the thinking budget, but also cached content of the
 *  account. */
function isThinking(extra: unknown): boolean {
  const { google = null, ...others } = Object(extra) as JsonObject
  return Object.keys(others).length === 0 && Object.keys(Object(google)).every(name => OF_ONE_CALL.has(name))
}

const BY_PLAIN = new Set(REFERENCES.map(plain))

/** Whether a field of an object refers to what is stored, in any spelling. */
export function isReference(name: string, value: unknown): boolean {
  // A container may be named in a tool, and an earlier answer that was spoken in a message.
  if (name === 'container') return typeof value === 'string' || hasId(value)
  if (name === 'audio') return hasId(value)
  return BY_PLAIN.has(plain(name))
}

const hasId = (value: unknown): boolean => ((value as { id?: unknown }).id ?? null) !== null

/** The fields with the content of an item, by its type. Of other items, and of those without one of these fields, only the id
 *  is known, and the provider may load the rest. */
const CONTENT: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['message', ['content']],
  ['reasoning', ['encrypted_content']],
  ['compaction', ['encrypted_content']],
  ['compaction_summary', ['encrypted_content']],
  ['compaction_trigger', ['type']],
  ['configuration_update', ['reasoning', 'text']],
  ['additional_tools', ['tools']],
  ['function_call', ['name']],
  ['function_call_output', ['output']],
  ['custom_tool_call', ['name']],
  ['custom_tool_call_output', ['output']],
  ['tool_search_call', ['arguments']],
  ['tool_search_output', ['tools']],
  ['web_search_call', ['action']],
  ['file_search_call', ['results']],
  ['image_generation_call', ['result']],
  ['code_interpreter_call', ['code', 'outputs']],
  ['computer_call', ['action', 'actions']],
  ['computer_call_output', ['output']],
  ['local_shell_call', ['action']],
  ['local_shell_call_output', ['output']],
  ['shell_call', ['action']],
  ['shell_call_output', ['output']],
  ['apply_patch_call', ['operation']],
  ['apply_patch_call_output', ['output', 'status']],
  ['program', ['code']],
  ['program_output', ['result']],
  ['mcp_list_tools', ['tools']],
  ['mcp_approval_request', ['name']],
  ['mcp_approval_response', ['approval_request_id']],
  ['mcp_call', ['name']],
])
export const ITEM_FIELDS = [
  ...new Set(['type', 'id', 'role', 'call_id', 'summary', 'status', ...[...CONTENT.values()].flat()]),
]
/** Fields that may be empty, such as the output of a tool without results. */
const EMPTY = new Set(['output', 'tools'])

/** The id of an item of which nothing else is known. */
function idOf(item: JsonObject): unknown {
  const { id = null, type = null, role = null } = item
  if (id === null || id === '') return null
  const fields = CONTENT.get(type ?? (role === null ? null : 'message')) ?? []
  return fields.some(name => hasContent(item[name] ?? null, name)) ? null : id
}

const hasContent = (value: unknown, name: string): boolean =>
  value !== null && (EMPTY.has(name) || (value !== '' && !(Array.isArray(value) && value.length === 0)))

/** `type` is that of the item; null if it is a response. */
type Reference = { path: string; id: unknown; type: unknown }

/** What the body refers to. The approval request that an approval answers may be in the body itself. */
function referencesIn({ previous_response_id: previous = null, input }: JsonObject): Reference[] {
  const found: Reference[] = previous === null ? [] : [{ path: 'previous_response_id', id: previous, type: null }]
  if (!Array.isArray(input)) return found
  const given = new Set<unknown>()
  for (const [at, item] of (input as JsonObject[]).entries()) {
    const id = idOf(item)
    if (id !== null) found.push({ path: `input.${at}`, id, type: item.type ?? 'item_reference' })
    else given.add(item.id)
    const { approval_request_id: asked = null } = item
    if (asked !== null && !given.has(asked)) {
      found.push({ path: `input.${at}.approval_request_id`, id: asked, type: 'mcp_approval_request' })
    }
  }
  return found
}

export const isId = (id: unknown): id is string =>
  typeof id === 'string' && id.length <= ID_LENGTH_MAX && !id.includes('\0') && id.isWellFormed()

/** How many tokens the provider has of what the body refers to. Raises 400, with the same error for unknown ids and for ids
 *  of another organisation. `isKept`: whether a provider that stores responses may be called. `isPrepaid`: whether the number must be
 *  known. */
export async function storedTokens(
  db: Sql,
  org: OrgId,
  body: JsonObject,
  { isKept, isPrepaid }: { isKept: boolean; isPrepaid: boolean },
): Promise<number> {
  const references = referencesIn(body)
  if (references.length === 0) return 0
  if (!isKept) {
    // Reasoning is omitted for other models.
    const other = references.find(({ type }) => type !== 'reasoning')
    if (other) throw invalidField(other.path, NOT_STORED)
    return 0
  }
  if (references.length > REFERENCES_MAX) {
    throw invalidField('input', `must not refer to more than ${REFERENCES_MAX} items that are stored`)
  }
  const ids = references.map(({ id }) => id).filter(isId)
  const issued = new Map<unknown, IssuedRow>((await selectIssued(db, org, ids)).map(row => [row.id, row]))
  const responses = new Map<string, number>()
  for (const { path, id, type } of references) {
    const row = issued.get(id)
    const isResponse = type === null
    if (!row || (row.response === null) !== isResponse) throw invalidField(path, isResponse ? NOT_OWN : NOT_OWN_ITEM)
    const tokens = tokensOf(row)
    if (tokens === null && isPrepaid) throw invalidField(path, OF_UNKNOWN_LENGTH)
    // Several items of a response count as one response at most.
    responses.set(isResponse ? path : (row.response as string), tokens ?? 0)
  }
  return [...responses.values()].reduce((sum, tokens) => sum + tokens, 0)
}

/** A response includes all turns before it; an item is a part of the output. */
const tokensOf = ({ response, inputTokens, outputTokens }: IssuedRow): number | null =>
  inputTokens === null || outputTokens === null ? null : outputTokens + (response === null ? inputTokens : 0)
