// Reads parts of an error's properties that are too long to be parsed: the values at some paths, with long texts truncated.
import type { ErrorPath, ErrorRow } from '../../engines/engines.ts'
import { EXCEPTION_PATHS, RELEASE_NAMES, URL_NAMES } from '../o11y/public.ts'

export type Fields = Record<string, unknown>

/** The properties contain these values in full. Longer texts would make the answer several times as large. */
export const NAMED_CHARACTERS_MAX = 2_000
export const MESSAGE_CHARACTERS_MAX = 8_000
export const STACK_CHARACTERS_MAX = 16_000
/** Frames are read from the first 50 lines of a stack, each up to 500 characters. */
const STACK_CHARACTERS_READ = 26_000

/** For an error whose properties are omitted: 200 such errors together must not be long either. */
const NAMED_CHARACTERS_MAX_IF_OMITTED = 200
const MESSAGE_CHARACTERS_MAX_IF_OMITTED = 500
const STACK_CHARACTERS_MAX_IF_OMITTED = 1_000

export const LIBRARY_NAMES = ['$lib', 'mp_lib', 'library']
export const LIBRARY_VERSION_NAMES = ['$lib_version', 'library_version']
export const ENVIRONMENT_NAMES = ['$environment', 'environment', 'env']

const NAMED_PATHS = [
  ...[...URL_NAMES, ...LIBRARY_NAMES, ...LIBRARY_VERSION_NAMES, ...RELEASE_NAMES, ...ENVIRONMENT_NAMES],
  ...['$context', '$context/page', '$context/page/url', '$context/app', '$context/app/version'],
  ...['$context/library', '$context/library/name', '$context/library/version'],
]

const exceptionPath = (path: string): ErrorPath => {
  if (/stack(trace|_trace_raw)?$/.test(path))
    return { path, charactersMax: STACK_CHARACTERS_READ, charactersMaxIfOmitted: STACK_CHARACTERS_MAX_IF_OMITTED }
  const isShort = /(type|name)$/.test(path)
  return {
    path,
    charactersMax: isShort ? NAMED_CHARACTERS_MAX : MESSAGE_CHARACTERS_MAX,
    charactersMaxIfOmitted: isShort ? NAMED_CHARACTERS_MAX_IF_OMITTED : MESSAGE_CHARACTERS_MAX_IF_OMITTED,
  }
}

const namedPath = (path: string): ErrorPath => ({
  path,
  charactersMax: NAMED_CHARACTERS_MAX,
  charactersMaxIfOmitted: NAMED_CHARACTERS_MAX_IF_OMITTED,
})

export const PATHS: readonly ErrorPath[] = [...EXCEPTION_PATHS.map(exceptionPath), ...NAMED_PATHS.map(namedPath)]

/** The properties of an error, or the part of them that was read. */
export function knownProperties(row: ErrorRow): Fields {
  if (row.excerpt === null) return JSON.parse(row.properties ?? '{}')
  const known: Fields = {}
  for (const path of PATHS) {
    if (Object.hasOwn(row.excerpt, path.path)) put(known, path.path, withoutRest(row.excerpt[path.path], path, row))
  }
  put(known, '$exception_list/0/stacktrace/frames', row.frames ?? [])
  return known
}

/** Objects come before their contents; a value whose object is missing was inside something else and is skipped. */
function put(root: Fields, path: string, value: unknown): void {
  const names = path.split('/')
  const last = names.pop() as string
  let parent: unknown = root
  for (const name of names) parent = isContainer(parent) ? parent[name] : undefined
  if (isContainer(parent)) parent[last] = value
}

const isContainer = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/** Texts that were cut end with dots, so that the last line of a stack is not read as a call at another place. ASCII,
 *  because one other character doubles the memory for the text of the whole answer. */
function withoutRest(value: unknown, { charactersMax, charactersMaxIfOmitted }: ErrorPath, row: ErrorRow): unknown {
  const max = row.properties === null ? charactersMaxIfOmitted : charactersMax
  return typeof value === 'string' && value.length > max ? `${value.slice(0, max).toWellFormed()}...` : value
}
