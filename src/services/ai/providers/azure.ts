import { type Provider, pathsUnder } from './provider.ts'

/** Without models: an operator names the deployments, and prices differ by region and contract. */
export const azure: Provider = {
  name: 'azure',
  wire: 'openai',
  baseUrl: null,
  keyNames: ['AZURE_OPENAI_API_KEY'],
  urlNames: ['AZURE_OPENAI_ENDPOINT'],
  needs: 'The URL is needed too. Its models are called `azure/<deployment>`',
  speaks: ['chat', 'embeddings', 'responses'],
  headers: (apiKey): Record<string, string> => (apiKey === null ? {} : { 'api-key': apiKey }),
  path: pathsUnder('/openai/v1'),
  usageInStreams: 'asked',
  limits: ['max_completion_tokens', 'max_tokens'],
  models: [],
}
