// Removes secrets from the error messages of providers: some repeat the rejected key, or a URL that they called.
import type { JsonObject } from '../translations/translation.ts'

type Clean = (text: string) => string

/** Error messages of providers are not nested deeper. */
const DEPTH_MAX = 100

/** In URLs, by their usual beginnings, after the name of a scheme, and after a word that says so. */
const SECRETS: readonly Clean[] = [
  text => text.replace(/([?&;](?:api_?key|access_?token|key|token|signature|sig)=)[^&\s"'<>]+/gi, '$1[secret]'),
  text => text.replace(/\b(?:sk|rk|pk|xai)-[\w-]{8,}|\b(?:gsk|hf|sk|rk|pk|ghp)_\w{8,}|\bAIza[\w-]{20,}/g, '[secret]'),
  text =>
    text.replace(/\b(bearer|basic) ([\w.~+/%=-]{8,})/gi, (whole, scheme: string, value: string) =>
      isWord(value) ? whole : `${scheme} [secret]`,
    ),
  text =>
    text.replace(
      /((?:key|token|secret|signature|credential|password|authorization)s?\b["'\s:=]{0,8}(?:is |was )?["']?)[\w.~+/%-]{32,}/gi,
      '$1[secret]',
    ),
]
/** Words of a sentence about credentials. */
const isWord = (value: string) => value.length < 20 && !/\d/.test(value)

/** Removes the key of the provider, in any form in which it may be written. */
export function withoutKey(text: string, apiKey: string | null): string {
  return apiKey === null ? text : formsOf(apiKey).reduce((clean, form) => clean.replaceAll(form, '[key]'), text)
}

function formsOf(key: string): string[] {
  const forms = [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key), Buffer.from(key).toString('base64')]
  return [...new Set(forms)].sort((a, b) => b.length - a.length)
}

/** How a key is written in a stream, mostly in one way. */
export function writtenIn(apiKey: string | null): Buffer[] {
  if (apiKey === null || apiKey === '') return []
  return [...new Set([apiKey, JSON.stringify(apiKey).slice(1, -1)])].map(form => Buffer.from(form))
}

/** Also removes what looks like any other secret. */
export const withoutSecrets = (text: string, apiKey: string | null): string =>
  SECRETS.reduce((clean, cleaner) => cleaner(clean), withoutKey(text, apiKey))

/** Whether an answer or an event reports an error. Events of responses always have the field. */
export function tellsError(json: unknown): boolean {
  const { type, object, error, response } = (json ?? {}) as Record<string, unknown>
  const { error: within } = (response ?? {}) as { error?: unknown }
  return type === 'error' || object === 'error' || (error ?? within ?? null) !== null
}

/** Such an answer without secrets; the same one if it has none. Model output that looks like a secret is not the
 *  operator's, so it stays. */
export function cleanError<T>(json: T, apiKey: string | null): T {
  let isChanged = false
  const noting =
    (clean: Clean): Clean =>
    text => {
      const cleaned = clean(text)
      isChanged ||= cleaned !== text
      return cleaned
    }
  const [ofKey, ofAll] = [noting(text => withoutKey(text, apiKey)), noting(text => withoutSecrets(text, apiKey))]
  const { type, object } = (json ?? {}) as JsonObject
  const isWhole = type === 'error' || object === 'error'
  const cleaned = cleanIn(json, isWhole ? ofAll : ofKey, ofAll, 0)
  return isChanged ? (cleaned as T) : json
}

function cleanIn(value: unknown, clean: Clean, ofError: Clean, depth: number): unknown {
  if (typeof value === 'string') return clean(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > DEPTH_MAX) return null
  if (Array.isArray(value)) return value.map(one => cleanIn(one, clean, ofError, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      clean(name),
      cleanIn(inner, name === 'error' ? ofError : clean, ofError, depth + 1),
    ]),
  )
}
