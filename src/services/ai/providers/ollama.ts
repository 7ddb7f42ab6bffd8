import { bearer, type Provider, pathsUnder } from './provider.ts'

export const OLLAMA_PORT = 11_434

export const ollama: Provider = {
  name: 'ollama',
  wire: 'openai',
  baseUrl: `http://127.0.0.1:${OLLAMA_PORT}`,
  keyNames: [],
  urlNames: ['OLLAMA_HOST'],
  needs: 'For one that is not on this machine',
  speaks: ['chat', 'embeddings'],
  headers: bearer,
  path: pathsUnder('/v1'),
  usageInStreams: 'asked',
  limits: ['max_tokens'],
  models: [],
}
