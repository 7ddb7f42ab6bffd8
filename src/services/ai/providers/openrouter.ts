import { bearer, type Provider, pathsUnder } from './provider.ts'

/** Without models: what one costs depends on where it is routed to. */
export const openrouter: Provider = {
  name: 'openrouter',
  wire: 'openai',
  baseUrl: 'https://openrouter.ai/api/v1',
  keyNames: ['OPENROUTER_API_KEY'],
  urlNames: ['OPENROUTER_BASE_URL'],
  speaks: ['chat', 'embeddings'],
  headers: bearer,
  path: pathsUnder(''),
  usageInStreams: 'always',
  limits: ['max_tokens'],
  models: [],
}
