import { bearer, type Provider, pathsUnder } from './provider.ts'

export const llamacpp: Provider = {
  name: 'llamacpp',
  wire: 'openai',
  baseUrl: 'http://127.0.0.1:8080',
  keyNames: [],
  urlNames: ['LLAMACPP_BASE_URL'],
  needs: 'For one that is not on this machine',
  speaks: ['chat', 'embeddings'],
  headers: bearer,
  path: pathsUnder('/v1'),
  usageInStreams: 'asked',
  limits: ['max_tokens'],
  models: [],
}
