// Gemini through its OpenAI-compatible endpoint.
import { chatModel, embeddingModel, openaiProvider } from './provider.ts'

const GEMINI = { contextTokens: 1_048_576, outputTokensMax: 65_536, isReasoning: true } as const

export const google = openaiProvider({
  name: 'google',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
  keyNames: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  models: [
    // Prompts of more than 200,000 tokens cost more with the pro models, and audio with the flash models.
    chatModel('gemini-3-pro-preview', '2025-11-18', { input: 200, output: 1_200, cachedInput: 20 }, GEMINI),
    chatModel('gemini-3-flash-preview', '2026-07-04', { input: 50, output: 300, cachedInput: 5 }, GEMINI),
    chatModel('gemini-2.5-pro', '2025-11-18', { input: 125, output: 1_000, cachedInput: 12.5 }, GEMINI),
    chatModel('gemini-2.5-flash', '2025-11-18', { input: 30, output: 250, cachedInput: 3 }, GEMINI),
    chatModel('gemini-2.5-flash-lite', '2025-11-18', { input: 10, output: 40, cachedInput: 1 }, GEMINI),
    embeddingModel('gemini-embedding-001', '2025-07-14', 15, 2_048),
  ],
})
