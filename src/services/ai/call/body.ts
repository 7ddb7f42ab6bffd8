// The body that the provider gets.
import { Fault } from '../../../kit/fault.ts'
import { type JsonObject, Untranslatable } from '../translations/translation.ts'
import { edited } from './edit.ts'
import { exactJson } from './exact-json.ts'
import type { Route } from './route.ts'
import { vendorToolRefusal } from './vendor-tools.ts'

/** The output limit that the host sets, under its name in the client's format. */
export type Limit = { name: string; tokens: number }

/** The client's bytes with only the necessary changes: unknown fields, their order and their numbers stay as they are. A
 *  fault if the provider's format cannot express the request. */
export function bodyFor(
  route: Route,
  json: JsonObject,
  bytes: Buffer,
  limit: Limit | null = null,
): Buffer | string | Fault {
  const { translation } = route
  const refusal = vendorToolRefusal(json, route)
  if (refusal) return refusal
  if (translation) {
    const limited = limit === null ? {} : { [limit.name]: limit.tokens }
    const body = translated(route, { ...exactJson(json, bytes), ...limited })
    if (body instanceof Fault) return body
    return JSON.stringify({ ...body, ...Object.fromEntries(changesTo(route, body, null)) })
  }
  const changes = changesTo(route, json, limit)
  return changes.size === 0 ? bytes : edited(bytes, changes)
}

/** The new values of fields; undefined removes a field. */
function changesTo(route: Route, body: JsonObject, limit: Limit | null): Map<string, unknown> {
  const { offer } = route
  const changes = new Map<string, unknown>()
  if (body.model !== offer.upstream) changes.set('model', offer.upstream)
  if (limit !== null) changes.set(limitName(route), limit.tokens)
  for (const name of unknownLimits(route, body)) changes.set(limitName(route), body[name]).set(name, undefined)
  if (asksForUsage(route, body)) {
    const options = body.stream_options as JsonObject | null | undefined
    changes.set('stream_options', { ...options, include_usage: true })
  }
  return changes
}

/** Where output is limited. */
function limitName({ wire, offer }: Route): string {
  if (wire === 'responses') return 'max_output_tokens'
  return wire === 'chat' ? (offer.at.provider.limits[0] as string) : 'max_tokens'
}

const CHAT_LIMITS = ['max_completion_tokens', 'max_tokens'] as const

/** Limits under a name that the provider does not know. If there are two, they are equal. */
const unknownLimits = ({ wire, offer }: Route, body: JsonObject): readonly string[] =>
  wire === 'chat'
    ? CHAT_LIMITS.filter(name => (body[name] ?? null) !== null && !offer.at.provider.limits.includes(name))
    : []

/** Usage is always requested, because it determines the cost. */
const asksForUsage = ({ wire, offer }: Route, body: JsonObject): boolean =>
  wire === 'chat' &&
  body.stream === true &&
  offer.at.provider.usageInStreams === 'asked' &&
  (body.stream_options as JsonObject | null | undefined)?.include_usage !== true

function translated({ offer, translation }: Route, json: JsonObject): JsonObject | Fault {
  try {
    return translation?.request(json) ?? json
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error
    const path = error.path.replaceAll(/\[(\d{1,6})\]/g, '.$1')
    return new Fault('invalid_input', {
      message: `\`${path}\` ${error.message} for the model ${offer.id}, whose provider uses another format.`,
      fields: [{ path, says: error.message }],
    })
  }
}
