import { chatModel, embeddingModel, openaiProvider } from './provider.ts'

const REASONING = { isReasoning: true } as const
const GPT_5_6 = { contextTokens: 1_050_000, outputTokensMax: 128_000, ...REASONING }
const GPT_5 = { contextTokens: 400_000, outputTokensMax: 128_000, ...REASONING }
const GPT_4_1 = { contextTokens: 1_047_576, outputTokensMax: 32_768 }
const GPT_4O = { contextTokens: 128_000, outputTokensMax: 16_384 }
const O = { contextTokens: 200_000, outputTokensMax: 100_000, ...REASONING }

export const openai = openaiProvider({
  name: 'openai',
  baseUrl: 'https://api.openai.com/v1',
  keyNames: ['OPENAI_API_KEY'],
  urlNames: ['OPENAI_BASE_URL'],
  speaks: ['chat', 'embeddings', 'responses'],
  limits: ['max_completion_tokens', 'max_tokens'],
  models: [
    // Prompts of more than 272,000 tokens cost more with the families 5.6 and 6.
    chatModel(
      'gpt-6-astra',
      '2026-09-13',
      { input: 1_000, output: 5_000, cachedInput: 100, cacheWrite: 1_250 },
      REASONING,
    ),
    chatModel('gpt-6-sol', '2026-09-22', { input: 200, output: 1_000, cachedInput: 20, cacheWrite: 250 }, REASONING),
    chatModel('gpt-6-luna', '2026-09-22', { input: 10, output: 50, cachedInput: 1, cacheWrite: 12.5 }, REASONING),
    chatModel('gpt-5.6-sol', '2026-09-13', { input: 400, output: 2_000, cachedInput: 40, cacheWrite: 500 }, GPT_5_6),
    chatModel('gpt-5.6-terra', '2026-07-30', { input: 200, output: 1_200, cachedInput: 20, cacheWrite: 250 }, GPT_5_6),
    chatModel('gpt-5.6-luna', '2026-07-30', { input: 20, output: 120, cachedInput: 2, cacheWrite: 25 }, GPT_5_6),
    chatModel('gpt-5.2', '2025-12-11', { input: 175, output: 1_400, cachedInput: 17.5 }, GPT_5),
    chatModel('gpt-5.1', '2025-11-13', { input: 125, output: 1_000, cachedInput: 12.5 }, GPT_5),
    chatModel('gpt-5', '2025-08-07', { input: 125, output: 1_000, cachedInput: 12.5 }, GPT_5),
    chatModel('gpt-5-mini', '2025-08-07', { input: 25, output: 200, cachedInput: 2.5 }, GPT_5),
    chatModel('gpt-5-nano', '2025-08-07', { input: 5, output: 40, cachedInput: 0.5 }, GPT_5),
    chatModel('gpt-4.1', '2025-04-14', { input: 200, output: 800, cachedInput: 50 }, GPT_4_1),
    chatModel('gpt-4.1-mini', '2025-04-14', { input: 40, output: 160, cachedInput: 10 }, GPT_4_1),
    chatModel('gpt-4.1-nano', '2025-04-14', { input: 10, output: 40, cachedInput: 2.5 }, GPT_4_1),
    chatModel('gpt-4o', '2025-04-14', { input: 250, output: 1_000, cachedInput: 125 }, GPT_4O),
    chatModel('gpt-4o-mini', '2025-04-14', { input: 15, output: 60, cachedInput: 7.5 }, GPT_4O),
    chatModel('o3', '2025-06-10', { input: 200, output: 800, cachedInput: 50 }, O),
    chatModel('o4-mini', '2025-04-16', { input: 110, output: 440, cachedInput: 27.5 }, O),
    chatModel('o3-mini', '2025-01-31', { input: 110, output: 440, cachedInput: 55 }, O),
    embeddingModel('text-embedding-3-small', '2025-04-14', 2, 8_192),
    embeddingModel('text-embedding-3-large', '2025-04-14', 13, 8_192),
    embeddingModel('text-embedding-ada-002', '2025-04-14', 10, 8_192),
  ],
})
