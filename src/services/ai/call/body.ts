// The body that the provider gets.
import { Fault } from '../../../kit/fault.ts'
import { type JsonObject, Untranslatable } from '../translations/translation.ts'
import type { Route } from './route.ts'

/** What the host limits the output to, by the name that the format of the client has for it. */
export type Limit = { name: string; tokens: number }

/** The bytes of the client, unless something has to be changed: unknown fields and their order stay as they are. A fault
 *  if the provider has no words for it. */
export function bodyFor(
  route: Route,
  json: JsonObject,
  bytes: Buffer,
  limit: Limit | null = null,
): Buffer | string | Fault {
  const { offer, translation } = route
  const changed: JsonObject = {}
  if (json.model !== offer.upstream) changed.model = offer.upstream
  const limited = limit === null ? {} : { [translation ? limit.name : limitName(route)]: limit.tokens }
  const body = translation ? translated(route, { ...json, ...limited }) : json
  if (!translation) Object.assign(changed, limited)
  if (body instanceof Fault) return body
  if (asksForUsage(route, body)) {
    changed.stream_options = { ...(body.stream_options as JsonObject | null | undefined), include_usage: true }
  }
  if (!translation && Object.keys(changed).length === 0) return bytes
  return JSON.stringify({ ...body, ...changed })
}

/** Where output is limited. OpenAI's reasoning models refuse the older name, and others do not know the newer one. */
function limitName({ wire, offer }: Route): string {
  if (wire === 'responses') return 'max_output_tokens'
  const isNew = wire === 'chat' && ['openai', 'azure'].includes(offer.at.provider.name)
  return isNew ? 'max_completion_tokens' : 'max_tokens'
}

/** Usage is always asked for: the call is paid by it. */
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
    return new Fault('invalid_input', {
      message: `\`${error.path}\` ${error.message} for the model ${offer.id}, whose provider has another wire.`,
      fields: [{ path: error.path, says: error.message }],
    })
  }
}
