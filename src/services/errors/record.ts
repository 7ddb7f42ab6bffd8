// An error as the API returns it: the exception is taken from the properties, and the different names of SDKs are unified.
import type { ErrorRow } from '../../engines/engines.ts'
import { withoutNulls } from '../../kit/fields.ts'
import { exceptionOf, type Frame, RELEASE_NAMES, URL_NAMES } from '../o11y/public.ts'
import {
  ENVIRONMENT_NAMES,
  type Fields,
  knownProperties,
  LIBRARY_NAMES,
  LIBRARY_VERSION_NAMES,
  MESSAGE_CHARACTERS_MAX,
  NAMED_CHARACTERS_MAX,
  STACK_CHARACTERS_MAX,
} from './excerpt.ts'

/** As JSON text. The properties are JSON text already. */
export function recordText(row: ErrorRow): string {
  const { properties, propertiesBytes } = row
  const record = JSON.stringify({
    ...recordOf(row),
    ...(properties === null && { propertiesOmitted: propertiesBytes }),
  })
  return `${record.slice(0, -1)},"properties":${properties ?? '{}'}}`
}

function recordOf(row: ErrorRow) {
  const { id, event, timestamp, project, distinctId, sessionId, fingerprint } = row
  const properties = knownProperties(row)
  const context = fieldsIn(properties.$context)
  const library = fieldsIn(context.library)
  const page = fieldsIn(context.page)
  const url = textIn(properties, URL_NAMES) ?? textIn(page, ['url'])
  const { frames, type, message, stack, handled } = exceptionOf(properties)
  const exception = {
    type: cut(type, NAMED_CHARACTERS_MAX),
    message: cut(message, MESSAGE_CHARACTERS_MAX),
    stack: cut(stack, STACK_CHARACTERS_MAX),
    handled,
  }
  return {
    id,
    event,
    timestamp,
    ...withoutNulls({
      distinctId,
      sessionId,
      product: project,
      url,
      path: url === null ? null : cut(pathOf(url), NAMED_CHARACTERS_MAX),
      library: textIn(properties, LIBRARY_NAMES) ?? textIn(library, ['name']),
      libraryVersion: textIn(properties, LIBRARY_VERSION_NAMES) ?? textIn(library, ['version']),
      release: textIn(properties, RELEASE_NAMES) ?? textIn(fieldsIn(context.app), ['version']),
      environment: textIn(properties, ENVIRONMENT_NAMES),
    }),
    fingerprint,
    exception: { ...withoutNulls(exception), frames: frames.map(one => withoutNulls(withoutLong(one))) },
  }
}

const cut = (text: string | null, max: number) => text && (text.length > max ? text.slice(0, max).toWellFormed() : text)
const withoutLong = (frame: Frame): Frame => ({
  ...frame,
  function: cut(frame.function, NAMED_CHARACTERS_MAX),
  file: cut(frame.file, NAMED_CHARACTERS_MAX),
})

const pathOf = (url: string) => (URL.canParse(url) ? new URL(url).pathname : null)
const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

function textIn(fields: Fields, names: readonly string[]): string | null {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'string' && value !== '') return cut(value, NAMED_CHARACTERS_MAX)
  }
  return null
}
