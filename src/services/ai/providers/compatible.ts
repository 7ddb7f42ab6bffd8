// Providers with the OpenAI format whose models are not known here.
import { openaiProvider, pathsUnder } from './provider.ts'

/** Any URL. An operator gives it, with its version, as to OpenAI's own SDKs. */
export const compatible = openaiProvider({ name: 'compatible' })

/** An operator names the deployments, and prices differ by region and contract. */
export const azure = openaiProvider({
  name: 'azure',
  keyNames: ['AZURE_OPENAI_API_KEY'],
  urlNames: ['AZURE_OPENAI_ENDPOINT'],
  needs: 'The URL is needed too. Its models are called `azure/<deployment>`',
  speaks: ['chat', 'embeddings', 'responses'],
  headers: (apiKey): Record<string, string> => (apiKey === null ? {} : { 'api-key': apiKey }),
  path: pathsUnder('/openai/v1'),
  limits: ['max_completion_tokens', 'max_tokens'],
})

/** The cost of a model depends on where the call is routed. */
export const openrouter = openaiProvider({
  name: 'openrouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  keyNames: ['OPENROUTER_API_KEY'],
  urlNames: ['OPENROUTER_BASE_URL'],
  usageInStreams: 'always',
})

export const OLLAMA_PORT = 11_434

export const ollama = openaiProvider({
  name: 'ollama',
  isLocal: true,
  baseUrl: `http://127.0.0.1:${OLLAMA_PORT}`,
  urlNames: ['OLLAMA_HOST'],
  needs: 'For one that is not on this machine',
  path: pathsUnder('/v1'),
})

export const llamacpp = openaiProvider({
  name: 'llamacpp',
  isLocal: true,
  baseUrl: 'http://127.0.0.1:8080',
  urlNames: ['LLAMACPP_BASE_URL'],
  needs: 'For one that is not on this machine',
  path: pathsUnder('/v1'),
})

/** Older versions ignore the newer name of the limit. */
export const vllm = openaiProvider({
  name: 'vllm',
  keyNames: ['VLLM_API_KEY'],
  urlNames: ['VLLM_BASE_URL'],
  needs: 'The URL is needed too',
  speaks: ['chat', 'embeddings', 'responses'],
  path: pathsUnder('/v1'),
})
