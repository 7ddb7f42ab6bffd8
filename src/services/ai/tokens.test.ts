import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countText, estimateChatInput, estimateEmbeddingsInput } from './tokens.ts'

/** Runs work and gives the processor time that it took: other tests run beside this one. */
async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  await countText('a') // Loads the encoding.
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

describe('counting a text', () => {
  // As the public tokenizer of OpenAI counts them.
  for (const [text, tokens] of [
    ['', 0],
    ['hello world', 2],
    ['tiktoken is great!', 6],
    ['お誕生日おめでとう', 8],
    ['<|endoftext|>', 7],
  ] as [string, number][]) {
    it(JSON.stringify(text), async () => assert.equal(await countText(text), tokens))
  }

  it('is exact up to the cuts for ordinary text', async () => {
    const sentence = 'The host reads the request, checks it, and answers it with a fault if it cannot be carried out. '
    const [one, many] = await Promise.all([countText(sentence.trimEnd()), countText(sentence.repeat(100))])
    assert.ok(Math.abs(many - 100 * one) <= 0.03 * many, `${one} ${many}`)
  })

  it('estimates a long text from all of it, not from its beginning', async () => {
    const cheap = ' '.repeat(500_000)
    const dear = 'Every one of these words costs a token. '.repeat(12_500)
    const [whole, half] = await Promise.all([countText(cheap + dear), countText(dear)])
    assert.ok(whole > 0.8 * half, `${whole} of ${half}`)
  })

  const words = 'word '.repeat(200_000)
  for (const [what, text] of [
    ['one letter', 'a'.repeat(1_000_000)],
    ['spaces', ' '.repeat(1_000_000)],
    ['line ends', '\n'.repeat(1_000_000)],
    ['Chinese', '漢字仮名'.repeat(250_000)],
    ['emoji', '😀'.repeat(500_000)],
    ['half characters', '\ud83d'.repeat(1_000_000)],
    ['words', words],
  ] as [string, string][]) {
    it(`of a million characters is fast: ${what}`, async () => {
      const ms = await cpuMsOf(() => countText(text))
      assert.ok(ms < 1_500, `${ms} ms`)
    })
  }
})

describe('the estimated input of a chat request', () => {
  const text = 'Tell me about the history of the city of Athens, and about its most important buildings.'

  it('has the texts of all wires', async () => {
    const tokens = await countText(text)
    for (const body of [
      { messages: [{ role: 'user', content: text }] },
      { messages: [{ role: 'user', content: [{ type: 'text', text }] }] },
      { system: text, messages: [] },
      { system: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }] },
      { input: text },
      { input: [{ role: 'user', content: [{ type: 'input_text', text }] }] },
      { instructions: text },
      { messages: [{ role: 'assistant', tool_calls: [{ id: 'call_1', function: { name: 'f', arguments: text } }] }] },
      { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: text }] }] },
    ]) {
      const estimate = await estimateChatInput(body)
      assert.ok(estimate >= tokens && estimate <= tokens + 14, `${JSON.stringify(body)}: ${estimate}, ${tokens}`)
    }
  })

  it('has tools with the names of their fields', async () => {
    const parameters = { type: 'object', properties: { destinationAirportCode: { type: 'string', description: text } } }
    const tools = [{ type: 'function', function: { name: 'bookFlight', parameters } }]
    assert.ok((await estimateChatInput({ tools })) > (await countText(`${text} destinationAirportCode bookFlight`)))
  })

  it('does not read images, sound and files as text', async () => {
    const data = 'QUJD'.repeat(100_000)
    for (const [part, most] of [
      [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }, 2_000],
      [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }, 2_000],
      [{ type: 'input_image', image_url: data }, 2_000],
      [{ type: 'input_audio', input_audio: { data, format: 'wav' } }, 1_000],
      [{ type: 'file', file: { filename: 'a.pdf', file_data: data } }, 11_000],
      [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } }, 11_000],
    ] as [object, number][]) {
      const estimate = await estimateChatInput({ messages: [{ role: 'user', content: [part] }] })
      assert.ok(estimate >= 800 && estimate <= most, `${JSON.stringify(part).slice(0, 60)}: ${estimate}`)
    }
  })

  it('is made whatever the body is', async () => {
    let deep: unknown = text
    for (let depth = 0; depth < 100_000; depth++) deep = depth % 2 ? [deep] : { content: deep }
    assert.ok((await estimateChatInput({ messages: [deep] })) > 10)
    for (const messages of [null, 7, 'a', {}, [null], [[]]]) await estimateChatInput({ messages })
  })

  it('of many small texts is fast', async () => {
    const messages = Array.from({ length: 100_000 }, (_, at) => ({ role: 'user', content: `message ${at}` }))
    const ms = await cpuMsOf(() => estimateChatInput({ messages }))
    assert.ok(ms < 1_500, `${ms} ms`)
  })
})

it('the estimated input of an embeddings request is its texts or its tokens', async () => {
  assert.equal(await estimateEmbeddingsInput({ input: 'hello world' }), 2)
  assert.equal(await estimateEmbeddingsInput({ input: [1, 2, 3] }), 3)
  assert.equal(await estimateEmbeddingsInput({ input: [[1, 2], [3]] }), 3)
  assert.ok((await estimateEmbeddingsInput({ input: ['hello world', 'hello world'] })) >= 4)
})
