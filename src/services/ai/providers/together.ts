import { chatModel, openaiProvider } from './provider.ts'

const CONTEXT = { contextTokens: 131_072 }

export const together = openaiProvider({
  name: 'together',
  baseUrl: 'https://api.together.xyz/v1',
  keyNames: ['TOGETHER_API_KEY'],
  urlNames: ['TOGETHER_BASE_URL'],
  models: [
    chatModel('meta-llama/Llama-3.3-70B-Instruct-Turbo', '2025-08-05', { input: 88, output: 88 }, CONTEXT),
    chatModel('meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo', '2025-08-05', { input: 18, output: 18 }, CONTEXT),
    chatModel('openai/gpt-oss-120b', '2025-08-05', { input: 15, output: 60 }, { ...CONTEXT, isReasoning: true }),
    chatModel('openai/gpt-oss-20b', '2025-08-05', { input: 5, output: 20 }, { ...CONTEXT, isReasoning: true }),
  ],
})
