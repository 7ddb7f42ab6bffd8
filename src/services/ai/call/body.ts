// The body that the provider gets.
import { Fault } from '../../../kit/fault.ts'
import { type JsonObject, Untranslatable } from '../translations/translation.ts'
import type { Route } from './route.ts'

/** The bytes of the client, unless something has to be changed: unknown fields and their order stay as they are. A fault
 *  if the provider has no words for it. */
export function bodyFor(route: Route, json: JsonObject, bytes: Buffer): Buffer | string | Fault {
  const { offer, translation } = route
  const changed: JsonObject = {}
  if (json.model !== offer.upstream) changed.model = offer.upstream
  const body = translation ? translated(route, json) : json
  if (body instanceof Fault) return body
  if (asksForUsage(route, body)) {
    changed.stream_options = { ...(body.stream_options as JsonObject | null | undefined), include_usage: true }
  }
  if (!translation && Object.keys(changed).length === 0) return bytes
  return JSON.stringify({ ...body, ...changed })
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
