import { bearer, type Provider, pathsUnder } from './provider.ts'

/** Any URL that answers as OpenAI does. An operator gives it, with its version, as to OpenAI's own SDKs. */
export const compatible: Provider = {
  name: 'compatible',
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
}
