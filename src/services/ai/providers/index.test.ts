import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BadEnvironment, checkedBaseUrl, PROVIDERS, providersIn } from './index.ts'
import type { Provider } from './provider.ts'

const named = (name: string): Provider => PROVIDERS[name] as Provider

/** Where a call of chat would go, with which headers. */
function callOf(environment: Record<string, string>, wire: 'chat' | 'messages' | 'models' = 'chat') {
  const [configured, ...others] = providersIn(environment)
  assert.ok(configured)
  assert.deepEqual(others, [])
  const { provider, baseUrl, apiKey } = configured
  return [provider.name, baseUrl + provider.path(wire), provider.headers(apiKey)]
}

describe('the environment', () => {
  const cases: [name: string, environment: Record<string, string>, url: string, headers: Record<string, string>][] = [
    ['openai', { OPENAI_API_KEY: 'k' }, 'https://api.openai.com/v1', { authorization: 'Bearer k' }],
    [
      'openai',
      { OPENAI_API_KEY: ' k\n', OPENAI_BASE_URL: 'https://proxy.example/openai/v1/' },
      'https://proxy.example/openai/v1',
      { authorization: 'Bearer k' },
    ],
    [
      'google',
      { GOOGLE_API_KEY: 'k' },
      'https://generativelanguage.googleapis.com/v1beta/openai',
      { authorization: 'Bearer k' },
    ],
    ['mistral', { MISTRAL_API_KEY: 'k' }, 'https://api.mistral.ai/v1', { authorization: 'Bearer k' }],
    ['groq', { GROQ_API_KEY: 'k' }, 'https://api.groq.com/openai/v1', { authorization: 'Bearer k' }],
    ['together', { TOGETHER_API_KEY: 'k' }, 'https://api.together.xyz/v1', { authorization: 'Bearer k' }],
    ['openrouter', { OPENROUTER_API_KEY: 'k' }, 'https://openrouter.ai/api/v1', { authorization: 'Bearer k' }],
    [
      'azure',
      { AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_ENDPOINT: 'https://one.openai.azure.com/' },
      'https://one.openai.azure.com/openai/v1',
      { 'api-key': 'k' },
    ],
    [
      'bedrock',
      { AWS_BEARER_TOKEN_BEDROCK: 'k', AWS_REGION: 'eu-west-1' },
      'https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1',
      { authorization: 'Bearer k' },
    ],
    ['vllm', { VLLM_BASE_URL: 'http://gpu:8000/v1' }, 'http://gpu:8000/v1', {}],
    ['vllm', { VLLM_BASE_URL: 'http://gpu:8000' }, 'http://gpu:8000/v1', {}],
    ['llamacpp', { LLAMACPP_BASE_URL: 'http://127.0.0.1:8080' }, 'http://127.0.0.1:8080/v1', {}],
    ['ollama', { OLLAMA_HOST: '0.0.0.0' }, 'http://127.0.0.1:11434/v1', {}],
    ['ollama', { OLLAMA_HOST: ':12000' }, 'http://127.0.0.1:12000/v1', {}],
    ['ollama', { OLLAMA_HOST: 'gpu.local:11500' }, 'http://gpu.local:11500/v1', {}],
    ['ollama', { OLLAMA_HOST: 'https://ollama.example/v1' }, 'https://ollama.example/v1', {}],
  ]
  for (const [name, environment, url, headers] of cases) {
    it(`configures ${name} with ${Object.entries(environment).join(' ')}`, () =>
      assert.deepEqual(callOf(environment), [name, `${url}/chat/completions`, headers]))
  }

  it('configures anthropic', () => {
    const headers = { 'anthropic-version': '2023-06-01', 'x-api-key': 'k' }
    const url = 'https://api.anthropic.com/v1/messages'
    assert.deepEqual(callOf({ ANTHROPIC_API_KEY: 'k' }, 'messages'), ['anthropic', url, headers])
  })

  it('configures nothing when it is empty, and everything it names', () => {
    assert.deepEqual(providersIn({ OPENAI_API_KEY: '', OLLAMA_HOST: undefined, AWS_REGION: 'eu-west-1' }), [])
    const both = providersIn({ OPENAI_API_KEY: 'a', ANTHROPIC_API_KEY: 'b' })
    assert.deepEqual(
      both.map(({ provider, apiKey }) => [provider.name, apiKey]),
      [
        ['openai', 'a'],
        ['anthropic', 'b'],
      ],
    )
  })

  for (const [environment, message] of [
    [{ VLLM_BASE_URL: 'not a url' }, /^VLLM_BASE_URL must be an http or https URL/],
    [{ LLAMACPP_BASE_URL: 'file:///etc/passwd' }, /^LLAMACPP_BASE_URL must be an http or https URL/],
    [{ OPENAI_BASE_URL: 'api.openai.com/v1' }, /^OPENAI_BASE_URL must be an http or https URL/],
    [{ OLLAMA_HOST: 'a b' }, /^OLLAMA_HOST must be an http or https URL/],
    [{ VLLM_BASE_URL: 'http://me:secret@gpu:8000' }, /^VLLM_BASE_URL must not contain a user or a password/],
    [{ VLLM_BASE_URL: 'http://gpu:8000/?key=secret' }, /^VLLM_BASE_URL must not contain a query/],
    [{ AZURE_OPENAI_API_KEY: 'k' }, /^AZURE_OPENAI_ENDPOINT must be set, because AZURE_OPENAI_API_KEY is set/],
    [{ AWS_BEARER_TOKEN_BEDROCK: 'k' }, /^AWS_REGION must be set/],
    [{ AWS_BEARER_TOKEN_BEDROCK: 'k', AWS_REGION: 'evil.example/' }, /^AWS_REGION must be a region/],
    [{ OPENAI_API_KEY: 'a\nb' }, /^OPENAI_API_KEY must consist of printable/],
  ] as [Record<string, string>, RegExp][]) {
    it(`is refused by name: ${JSON.stringify(environment)}`, () =>
      assert.throws(
        () => providersIn(environment),
        (error: Error) =>
          error instanceof BadEnvironment && message.test(error.message) && !/secret/.test(error.message),
      ))
  }
})

describe('the URL that an operator gives', () => {
  it('keeps its path', () =>
    assert.equal(checkedBaseUrl(named('compatible'), 'https://a.example/x/v1//', 'baseUrl'), 'https://a.example/x/v1'))
  it('is refused by the name of its field', () =>
    assert.throws(
      () => checkedBaseUrl(named('compatible'), 'ftp://a', 'baseUrl'),
      /^Error: baseUrl must be|baseUrl must be/,
    ))
})

describe('the table of providers', () => {
  it('has every provider by its name', () => {
    const names =
      'openai anthropic google mistral groq together openrouter azure bedrock ollama vllm llamacpp compatible'.split(
        ' ',
      )
    assert.deepEqual(Object.keys(PROVIDERS), names)
    for (const name of names) assert.equal(named(name).name, name)
    assert.equal(PROVIDERS.constructor, undefined)
  })

  it('has each model once, with prices that can be and the day they were true', () => {
    for (const { name, models } of Object.values(PROVIDERS)) {
      assert.equal(new Set(models.map(({ id }) => id)).size, models.length, name)
      for (const { id, price, from, kind } of models) {
        assert.match(from, /^202[4-6]-\d\d-\d\d$/, id)
        assert.ok(Date.parse(from) > 0, id)
        for (const cents of Object.values(price)) assert.ok(cents >= 0 && cents <= 10_000, id)
        assert.ok(price.input > 0 && (kind === 'embedding' ? price.output === 0 : price.output >= price.input), id)
        if (price.cachedInput !== undefined) assert.ok(price.cachedInput < price.input, id)
        if (price.cacheWrite !== undefined) assert.ok(price.cacheWrite >= price.input, id)
        if (price.cacheWriteHour !== undefined) assert.ok(price.cacheWriteHour > (price.cacheWrite ?? 0), id)
      }
    }
  })

  it('has headers without a key where there is none', () => {
    for (const { name, headers } of Object.values(PROVIDERS))
      assert.ok(!JSON.stringify(headers(null)).includes('null'), name)
  })
})
