import { chatModel, openaiProvider, pathsUnder } from './provider.ts'

const CONTEXT = { contextTokens: 131_072 }

export const groq = openaiProvider({
  name: 'groq',
  baseUrl: 'https://api.groq.com',
  keyNames: ['GROQ_API_KEY'],
  urlNames: ['GROQ_BASE_URL'],
  speaks: ['chat', 'responses'],
  path: pathsUnder('/openai/v1'),
  limits: ['max_completion_tokens', 'max_tokens'],
  models: [
    chatModel('llama-3.3-70b-versatile', '2025-08-05', { input: 59, output: 79 }, CONTEXT),
    chatModel('llama-3.1-8b-instant', '2025-08-05', { input: 5, output: 8 }, CONTEXT),
    chatModel('openai/gpt-oss-120b', '2025-08-05', { input: 15, output: 60 }, { ...CONTEXT, isReasoning: true }),
    chatModel('qwen/qwen3-32b', '2025-08-05', { input: 29, output: 59 }, { ...CONTEXT, isReasoning: true }),
    chatModel('meta-llama/llama-4-scout-17b-16e-instruct', '2025-08-05', { input: 11, output: 34 }, CONTEXT),
    chatModel('meta-llama/llama-4-maverick-17b-128e-instruct', '2025-08-05', { input: 20, output: 60 }, CONTEXT),
  ],
})
