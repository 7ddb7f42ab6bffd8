// All providers, and those that the environment configures.
import { anthropic } from './anthropic.ts'
import { bedrock, bedrockUrl, REGION_NAMES } from './bedrock.ts'
import { azure, compatible, llamacpp, OLLAMA_PORT, ollama, openrouter, vllm } from './compatible.ts'
import { google } from './google.ts'
import { groq } from './groq.ts'
import { mistral } from './mistral.ts'
import { openai } from './openai.ts'
import type { Provider } from './provider.ts'
import { together } from './together.ts'

export const PROVIDERS: Readonly<Record<string, Provider>> = Object.freeze(
  Object.assign(Object.create(null) as Record<string, Provider>, {
    ...{ openai, anthropic, google, mistral, groq, together, openrouter, azure, bedrock, ollama, vllm, llamacpp },
    compatible,
  }),
)

/** The variables of the environment that configure providers. */
export const ENVIRONMENT: readonly { name: string; doc: string; more: string }[] = [
  ...Object.values(PROVIDERS).flatMap(({ name: by, keyNames, urlNames, needs }) => {
    const either = urlNames.length > 0 ? 'the key or the URL' : 'the key'
    const more = needs ?? `Its models can be called when ${either} is set`
    const keys = alternatives(keyNames, `The key of the provider ${by}`, more)
    return [...keys, ...alternatives(urlNames, `The URL of the provider ${by}`, keys.length > 0 ? '' : more)]
  }),
  ...alternatives(REGION_NAMES, 'The region of the provider bedrock', ''),
]

function alternatives([first, ...others]: readonly string[], doc: string, more: string) {
  if (first === undefined) return []
  return [{ name: first, doc, more }, ...others.map(name => ({ name, doc, more: `Read if \`${first}\` is not set` }))]
}

export type ConfiguredProvider = { provider: Provider; baseUrl: string; apiKey: string | null }

type Environment = Record<string, string | undefined>
type Setting = { name: string; value: string }

/** The message names the variable, and never the value: a URL may contain a password. */
export class BadEnvironment extends Error {}

/** A provider is configured if its key or its URL is set. Throws `BadEnvironment`. */
export function providersIn(environment: Environment): ConfiguredProvider[] {
  return Object.values(PROVIDERS).flatMap(provider => {
    const key = settingIn(environment, provider.keyNames)
    const url = settingIn(environment, provider.urlNames)
    if (!key && !url) return []
    const apiKey = key ? keyFrom(key) : null
    return [{ provider, baseUrl: url ? baseUrlFrom(provider, url) : defaultUrlOf(provider, environment), apiKey }]
  })
}

function settingIn(environment: Environment, names: readonly string[]): Setting | null {
  for (const name of names) {
    const value = environment[name]?.trim()
    if (value) return { name, value }
  }
  return null
}

function keyFrom({ name, value }: Setting): string {
  // Anything else cannot be sent in a header.
  if (!/^[\x21-\x7e]+$/.test(value)) throw new BadEnvironment(`${name} must consist of printable ASCII characters.`)
  return value
}

function defaultUrlOf(provider: Provider, environment: Environment): string {
  if (provider.baseUrl !== null) return provider.baseUrl
  const [keyName] = provider.keyNames
  if (provider !== bedrock) throw new BadEnvironment(`${provider.urlNames[0]} must be set, because ${keyName} is set.`)
  const region = settingIn(environment, REGION_NAMES)
  if (!region) throw new BadEnvironment(`${REGION_NAMES[0]} must be set, because ${keyName} is set.`)
  if (!/^[a-z0-9-]{1,32}$/.test(region.value))
    throw new BadEnvironment(`${region.name} must be a region, such as us-east-1.`)
  return bedrockUrl(region.value)
}

function baseUrlFrom(provider: Provider, { name, value }: Setting): string {
  return checkedBaseUrl(provider, provider === ollama ? urlOfHost(value) : value, name)
}

const CALLS = [
  ...['/chat/completions', '/completions', '/embeddings', '/responses', '/messages', '/messages/count_tokens'],
  '/models',
]

/** Also for a URL that an operator gives; `name` is that of the field or variable. The URL may have the part with which
 *  the provider's paths begin, such as `/v1`, or not. */
export function checkedBaseUrl(provider: Provider, text: string, name: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new BadEnvironment(
      `${name} must be an http or https URL, such as ${provider.baseUrl ?? 'https://example.com'}.`,
    )
  if (url.username || url.password) throw new BadEnvironment(`${name} must not contain a user or a password.`)
  if (url.search || url.hash) throw new BadEnvironment(`${name} must not contain a query or a fragment.`)
  let end = url.pathname.length
  while (url.pathname[end - 1] === '/') end--
  const path = url.pathname.slice(0, end)
  const call = CALLS.find(one => decoded(path).endsWith(one))
  if (call) throw new BadEnvironment(`${name} must not end in \`${call}\`: that is added for each call.`)
  if (provider === compatible && path === '') return `${url.origin}/v1`
  const prefix = provider.path('models').slice(0, -'/models'.length)
  return url.origin + (prefix && path.endsWith(prefix) ? path.slice(0, -prefix.length) : path)
}

/** As servers read it: some take paths in any case, and `%2F` for a slash. */
function decoded(path: string): string {
  let plain = path
  try {
    plain = decodeURIComponent(path)
  } catch {
    // A percent sign that begins no character is one.
  }
  return plain.toLowerCase().trimEnd()
}

/** `OLLAMA_HOST` is also what Ollama listens on: a scheme and a port may be missing, and 0.0.0.0 means every address. */
function urlOfHost(value: string): string {
  const hasScheme = /^[a-z]+:\/\//i.test(value)
  const url = URL.parse(hasScheme ? value : `http://${value.startsWith(':') ? `127.0.0.1${value}` : value}`)
  if (!url) return value
  if (!hasScheme && url.port === '' && !/:80(\/|$)/.test(value)) url.port = String(OLLAMA_PORT)
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1'
  return url.href
}
