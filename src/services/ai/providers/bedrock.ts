// Amazon Bedrock through its OpenAI-compatible endpoint, which accepts an API key of Bedrock as a bearer token.
import { chatModel, openaiProvider, pathsUnder } from './provider.ts'

const CONTEXT = { contextTokens: 131_072, isReasoning: true } as const

/** Without a URL, which follows from the region. */
export const bedrock = openaiProvider({
  name: 'bedrock',
  keyNames: ['AWS_BEARER_TOKEN_BEDROCK'],
  urlNames: ['AWS_BEDROCK_BASE_URL'],
  needs: 'A region or the URL is needed too',
  speaks: ['chat'],
  path: pathsUnder('/openai/v1'),
  limits: ['max_completion_tokens'],
  models: [
    chatModel('openai.gpt-oss-120b-1:0', '2025-08-05', { input: 15, output: 60 }, CONTEXT),
    chatModel('openai.gpt-oss-20b-1:0', '2025-08-05', { input: 7, output: 30 }, CONTEXT),
  ],
})

export const REGION_NAMES = ['AWS_REGION', 'AWS_DEFAULT_REGION'] as const

export const bedrockUrl = (region: string): string => `https://bedrock-runtime.${region}.amazonaws.com`
