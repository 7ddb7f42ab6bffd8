import { bearer, type Provider, pathsUnder } from './provider.ts'

export const vllm: Provider = {
  name: 'vllm',
  wire: 'openai',
  baseUrl: null,
  keyNames: ['VLLM_API_KEY'],
  urlNames: ['VLLM_BASE_URL'],
  needs: 'The URL is needed too',
  speaks: ['chat', 'embeddings', 'responses'],
  headers: bearer,
  path: pathsUnder('/v1'),
  usageInStreams: 'asked',
  /** Older versions ignore the newer name. */
  limits: ['max_tokens'],
  models: [],
}
