import { chatModel, embeddingModel, openaiProvider } from './provider.ts'

const CONTEXT = { contextTokens: 128_000 }

/** Names ending in `-latest` are left out: their price changes with the model that they stand for. */
export const mistral = openaiProvider({
  name: 'mistral',
  baseUrl: 'https://api.mistral.ai/v1',
  keyNames: ['MISTRAL_API_KEY'],
  usageInStreams: 'always',
  models: [
    chatModel('mistral-large-2512', '2025-12-02', { input: 50, output: 150 }),
    chatModel('mistral-large-2411', '2025-05-07', { input: 200, output: 600 }, CONTEXT),
    chatModel('mistral-medium-2508', '2025-08-12', { input: 40, output: 200 }, CONTEXT),
    chatModel('mistral-medium-2505', '2025-05-07', { input: 40, output: 200 }, CONTEXT),
    chatModel('mistral-small-2506', '2025-06-20', { input: 10, output: 30 }, CONTEXT),
    chatModel('codestral-2508', '2025-08-01', { input: 30, output: 90 }),
    embeddingModel('mistral-embed', '2025-05-07', 10, 8_192),
  ],
})
