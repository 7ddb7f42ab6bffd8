// The body that the provider gets.
import { Fault } from '../../../kit/fault.ts'
import { type JsonObject, Untranslatable } from '../translations/translation.ts'
import type { Route } from './route.ts'

/** The bytes of the client, unless something has to be changed: unknown fields and their order stay as they are. */
export function bodyFor(route: Route, json: JsonObject, bytes: Buffer): Buffer | string {
  const { offer, translation } = route
  const changed: JsonObject = {}
  if (json.model !== offer.upstream) changed.model = offer.upstream
  const body = translation ? translated(route, json) : json
  if (asksForUsage(route, body)) {
    changed.stream_options = { ...(body.stream_options as JsonObject | null | undefined), include_usage: true }
  }
  if (!translation && Object.keys(changed).length === 0 && hasOneModel(bytes)) return bytes
  return JSON.stringify({ ...body, ...changed })
}

/** A body with the field twice, perhaps in escapes, could name one model to us and another to the provider. */
function hasOneModel(bytes: Buffer): boolean {
  const first = bytes.indexOf('"model"')
  return first !== -1 && bytes.indexOf('"model"', first + 1) === -1 && !bytes.includes('\\u00')
}

/** Usage is always asked for: the call is paid by it. */
const asksForUsage = ({ wire, offer }: Route, body: JsonObject): boolean =>
  wire === 'chat' &&
  body.stream === true &&
  offer.at.provider.usageInStreams === 'asked' &&
  (body.stream_options as JsonObject | null | undefined)?.include_usage !== true

function translated({ offer, translation }: Route, json: JsonObject): JsonObject {
  try {
    return translation?.request(json) ?? json
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error
    throw new Fault('invalid_input', {
      message: `\`${error.path}\` ${error.message} for the model ${offer.id}, whose provider has another wire.`,
      fields: [{ path: error.path, says: error.message }],
    })
  }
}
