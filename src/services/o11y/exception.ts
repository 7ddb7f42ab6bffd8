// The exception in the properties of an error event, whatever SDK sent it, and its fingerprint.
import { createHash } from 'node:crypto'

export type Frame = {
  function: string | null
  file: string | null
  line: number | null
  column: number | null
  inApp: boolean | null
}

export type Exception = {
  type: string | null
  message: string | null
  stack: string | null
  handled: boolean | null
  /** The innermost call first. */
  frames: Frame[]
}

type Fields = Record<string, unknown>

const FRAMES_MAX = 50
const STACK_LINE_CHARACTERS_MAX = 500

/** The fields of a JavaScript exception. */
const ERROR_NAMES = ['type', 'name', 'message', 'value', 'stack', 'stacktrace', 'handled']
const ERROR_IN = ['exception', 'error', '$exception']

/** The paths that `exceptionOf` reads, besides frames; objects come before their contents. */
export const EXCEPTION_PATHS: readonly string[] = [
  ...['$exception_list', '$exception_list/0', '$exception_list/0/type', '$exception_list/0/value'],
  ...['$exception_list/0/mechanism', '$exception_list/0/mechanism/handled'],
  ...['$exception_list/0/stacktrace', '$exception_list/0/stacktrace/frames'],
  ...ERROR_IN.flatMap(name => [name, ...ERROR_NAMES.map(field => `${name}/${field}`)]),
  ...ERROR_NAMES,
  ...['$exception_type', '$exception_message', '$exception_stack_trace_raw', '$exception_handled'],
]

export const isError = (event: string): boolean => event === '$exception' || event === '$error'

export function exceptionOf(properties: Fields): Exception {
  const listed = Array.isArray(properties.$exception_list) ? properties.$exception_list[0] : undefined
  if (isFields(listed)) return fromSentry(listed)
  for (const name of ERROR_IN) {
    const value = properties[name]
    if (isFields(value)) return fromError(value)
    if (typeof value === 'string') return { ...fromError(properties), message: value }
  }
  return fromError({
    type: properties.$exception_type,
    message: properties.$exception_message,
    stack: properties.$exception_stack_trace_raw,
    handled: properties.$exception_handled,
    ...defined(properties, ['type', 'name', 'message', 'stack', 'handled']),
  })
}

/** `{type, value, mechanism, stacktrace}`, as PostHog and Sentry send it. Their frames end with the innermost call. */
function fromSentry({ type, value, mechanism, stacktrace }: Fields): Exception {
  const sent = isFields(stacktrace) && Array.isArray(stacktrace.frames) ? stacktrace.frames : []
  const frames = sent.slice(-FRAMES_MAX).reverse().filter(isFields).map(frameFrom)
  const handled = isFields(mechanism) ? booleanOf(mechanism.handled) : null
  return { type: textOf(type), message: textOf(value), stack: stackOf(type, value, frames), handled, frames }
}

/** `{name, message, stack}`, as JavaScript has it, with the names that others use. */
function fromError(error: Fields): Exception {
  const stack = textOf(error.stack) ?? textOf(error.stacktrace)
  return {
    type: textOf(error.type) ?? textOf(error.name),
    message: textOf(error.message) ?? textOf(error.value),
    stack,
    handled: booleanOf(error.handled),
    frames: stack === null ? [] : framesIn(stack),
  }
}

const frameFrom = (frame: Fields): Frame => ({
  function: textOf(frame.function),
  file: textOf(frame.filename) ?? textOf(frame.abs_path),
  line: numberOf(frame.lineno),
  column: numberOf(frame.colno),
  inApp: booleanOf(frame.in_app),
})

const AT_CALL = /^\s*at (?:async )?([^\s(][^(]*) \(([^()]+):(\d{1,7}):(\d{1,7})\)$/
const AT_FILE = /^\s*at (?:async )?([^\s()]+):(\d{1,7}):(\d{1,7})$/
const GECKO = /^([^@\s]*)@(\S+):(\d{1,7}):(\d{1,7})$/

/** The frames in the text of a stack, as V8 and Firefox write them. */
function framesIn(stack: string): Frame[] {
  const lines = stack.split('\n', FRAMES_MAX + 1).filter(line => line.length <= STACK_LINE_CHARACTERS_MAX)
  return lines.flatMap(line => {
    const call = AT_CALL.exec(line) ?? GECKO.exec(line)
    const [, name = '', file, row, column] = call ?? ['', '', ...(AT_FILE.exec(line)?.slice(1) ?? [])]
    if (file === undefined) return []
    return [{ function: name || null, file, line: Number(row), column: Number(column), inApp: null }]
  })
}

const stackOf = (type: unknown, value: unknown, frames: readonly Frame[]): string | null =>
  frames.length === 0
    ? null
    : [
        `${textOf(type) ?? 'Error'}: ${textOf(value) ?? ''}`,
        ...frames.map(
          ({ function: name, file, line, column }) => `    at ${name ?? '?'} (${file ?? '?'}:${line}:${column})`,
        ),
      ].join('\n')

const FINGERPRINT_FRAMES = 5

/** Equal for errors of one type at one place in the code or, without a place, with the same message. */
export function fingerprintOf(properties: Fields, { type, message, frames }: Exception): string {
  const given = textOf(properties.$exception_fingerprint)
  const own = frames.filter(({ inApp }) => inApp !== false)
  const places = own.slice(0, FINGERPRINT_FRAMES).map(one => `${one.function} ${withoutQuery(one.file ?? '')}`)
  const what = given !== null ? [given] : places.length > 0 ? [type, ...places] : [type, wordsOf(message ?? '')]
  return createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 32)
}

/** Builds differ in a query, and sometimes in a hash in the name. */
const withoutQuery = (file: string) => file.split('?', 1)[0]?.replace(/[0-9a-f]{8,64}/g, '#')
/** Numbers and ids differ between occurrences of the same error. */
const wordsOf = (message: string) => message.slice(0, 1_000).replace(/[0-9a-f-]{8,64}|\d+/gi, '#')

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)
const booleanOf = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)
const defined = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap(name => (fields[name] === undefined ? [] : [[name, fields[name]]])))
