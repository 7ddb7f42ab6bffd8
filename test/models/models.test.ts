// Model calls with common clients through the host, to providers of each wire: unchanged, and translated.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { installPackages } from '../packages.ts'
import { type AiClient, testAiSdk, testAiSdkEmbeddings, testAiSdkFailures, testAiSdkItems } from './ai-sdk.ts'
import { testAnthropic, testAnthropicFailures } from './anthropic.ts'
import { testLangchain, testLangchainEmbeddings } from './langchain.ts'
import { testOpenaiChat } from './openai-chat.ts'
import { testOpenaiEmbeddings, testOpenaiFailures } from './openai-others.ts'
import { testOpenaiResponses } from './openai-responses.ts'
import { CHAT, CLAUDE, EMBEDDING, LOCAL, openWorld, RESPONDING } from './world.ts'

const { directory, skip } = installPackages(new URL('./', import.meta.url))
const AI_CLIENTS: AiClient[] = ['openai.chat', 'openai.responses', 'openai-compatible', 'anthropic']

describe('clients of models', { skip }, async () => {
  if (skip) return
  const world = await openWorld(directory)

  for (const [wire, model] of [
    ['chat completions', CHAT],
    ['messages', CLAUDE],
  ] as const) {
    describe(`chat completions of openai over ${wire}`, () => testOpenaiChat(world, model))
    describe(`responses of openai over ${wire}`, () => testOpenaiResponses(world, model))
    describe(`a failed chat completion of openai over ${wire}`, () => testOpenaiFailures(world, model, 'chat'))
    describe(`a failed response of openai over ${wire}`, () => testOpenaiFailures(world, model, 'responses'))
    describe(`messages of @anthropic-ai/sdk over ${wire}`, () => testAnthropic(world, model))
    describe(`a failed message of @anthropic-ai/sdk over ${wire}`, () => testAnthropicFailures(world, model))
    describe(`chat completions of @langchain/openai over ${wire}`, () => testLangchain(world, model, 'chat'))
    describe(`responses of @langchain/openai over ${wire}`, () => testLangchain(world, model, 'responses'))
    for (const name of AI_CLIENTS) {
      describe(`@ai-sdk/${name} over ${wire}`, () => testAiSdk(world, model, name))
      describe(`a failed call of @ai-sdk/${name} over ${wire}`, () => testAiSdkFailures(world, model, name))
    }
  }
  describe('responses of openai over responses', () => testOpenaiResponses(world, RESPONDING))
  describe('@ai-sdk/openai.responses over responses', () => testAiSdkItems(world, RESPONDING))
  describe('embeddings of openai', () => testOpenaiEmbeddings(world))
  describe('embeddings of @langchain/openai', () => testLangchainEmbeddings(world))
  describe('embeddings of @ai-sdk/openai', () => testAiSdkEmbeddings(world))

  it('openai lists and reads the models that the key may call', async () => {
    const OpenAI = (await world.load('openai/index.mjs')).default
    const { key, keyWith } = await world.account()
    const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: world.baseURL, fetch: world.fetch })
    const listed = async (apiKey: string) => {
      const names: string[] = []
      for await (const { id, object } of clientOf(apiKey).models.list()) names.push(`${object} ${id}`)
      return names
    }
    const all = await listed(key)
    for (const id of [CHAT, CLAUDE, RESPONDING, EMBEDDING, LOCAL]) assert.ok(all.includes(`model ${id}`), String(all))
    assert.deepEqual(await listed(await keyWith({ limit: [`model:${CLAUDE}`] })), [`model ${CLAUDE}`])
    assert.equal((await clientOf(key).models.retrieve(CHAT)).owned_by, 'chatty')
    await assert.rejects(clientOf(key).models.retrieve('none'), OpenAI.NotFoundError)
  })
})
