// What a provider is: data about an upstream of model calls. Calls themselves are made elsewhere.

/** Cents per million tokens; `image`: cents per image. Fractions are allowed: cached input may cost 1.25 cents. Without
 *  `cachedInput` or `cacheWrite` those tokens cost what input costs; `reasoning` only where it differs from output. Without
 *  `cacheWriteHour` nothing is cached for an hour. */
export type Price = {
  input: number
  output: number
  cachedInput?: number
  cacheWrite?: number
  cacheWriteHour?: number
  reasoning?: number
  image?: number
}

/** `from` is a day on which the price is known to have been true. Where a provider charges more for long prompts, the
 *  price is that of short ones. */
export type KnownModel = {
  id: string
  kind: 'chat' | 'embedding'
  price: Price
  from: string
  contextTokens?: number
  outputTokensMax?: number
  isReasoning?: true
}

export type ProviderWire = 'chat' | 'embeddings' | 'responses' | 'messages'

/** The newer name counts reasoning, and OpenAI's reasoning models know no other. */
export type ChatLimit = 'max_completion_tokens' | 'max_tokens'

export type Provider = {
  name: string
  wire: 'openai' | 'anthropic'
  /** Without a slash at the end. Null: one must be given. */
  baseUrl: string | null
  /** Environment variables; the first one that is set counts. */
  keyNames: readonly string[]
  urlNames: readonly string[]
  /** What must be set, for the page of settings; default the key or the URL. */
  needs?: string
  speaks: readonly ProviderWire[]
  headers: (apiKey: string | null) => Record<string, string>
  /** Comes after the base URL. */
  path: (wire: ProviderWire | 'models') => string
  /** Whether streams report usage: only if the request asks for it (`stream_options.include_usage`), always, or never. */
  usageInStreams: 'asked' | 'always' | 'never'
  /** Its names for the output limit of a chat; this host sets the first. A provider that ignores the name would write without a
   *  limit. */
  limits: readonly ChatLimit[]
  models: readonly KnownModel[]
  /** Whether it runs models on the operator's machine, and has no tools of its own. */
  isLocal?: true
}

const PATHS = {
  chat: '/chat/completions',
  embeddings: '/embeddings',
  responses: '/responses',
  messages: '/messages',
  models: '/models',
} as const

export const pathsUnder =
  (prefix: string): Provider['path'] =>
  wire =>
    prefix + PATHS[wire]

const bearer: Provider['headers'] = (apiKey): Record<string, string> =>
  apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }

/** A provider with the wire of OpenAI, and with what most of these have unless it is given. */
export const openaiProvider = (own: Partial<Provider> & Pick<Provider, 'name'>): Provider => ({
  wire: 'openai',
  baseUrl: null,
  keyNames: [],
  urlNames: [],
  speaks: ['chat', 'embeddings'],
  headers: bearer,
  path: pathsUnder(''),
  usageInStreams: 'asked',
  limits: ['max_tokens'],
  models: [],
  ...own,
})

export const chatModel = (
  id: string,
  from: string,
  price: Price,
  more: Pick<KnownModel, 'contextTokens' | 'outputTokensMax' | 'isReasoning'> = {},
): KnownModel => ({ id, kind: 'chat', price, from, ...more })

export const embeddingModel = (id: string, from: string, input: number, contextTokens: number): KnownModel => ({
  id,
  kind: 'embedding',
  price: { input, output: 0 },
  from,
  contextTokens,
})
