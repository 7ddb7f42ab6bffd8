import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Fault } from '../../../kit/fault.ts'
import type { ThreadOptions } from '../../../kit/thread/open.ts'
import { EmbedRefused, openLocalEmbed } from './local-embed.ts'

const signal = AbortSignal.timeout(120_000)

function open(options: Partial<ThreadOptions> = {}) {
  const model = openLocalEmbed(options)
  after(model.close)
  return model
}

describe('the model', () => {
  const model = open()
  const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * (b[at] as number), 0)

  it('gives vectors of length 1 that are close for texts of like meaning', async () => {
    assert.equal(model.isStarted(), false, 'it starts with the first call')
    const texts = ['How old are you?', 'What is your age?', 'The train to Hamburg was late again.']
    const { vectors, tokens } = await model.embed('a', texts, signal)
    const [one, same, other] = vectors as [Float32Array, Float32Array, Float32Array]
    for (const vector of vectors) {
      assert.equal(vector.length, 512)
      assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5)
    }
    assert.ok(dot(one, same) > 0.6 && dot(one, other) < 0.4, `${dot(one, same)} ${dot(one, other)}`)
    assert.ok(tokens >= 15 && tokens <= 25, `${tokens}`)
  })

  it('keeps the order of texts of different lengths, in several batches', async () => {
    const long = 'The committee will meet again after the summer holidays. '
    const texts = Array.from({ length: 40 }, (_, at) => `${at} ${long.repeat(at % 3)}`)
    const { vectors } = await model.embed('a', texts, signal)
    const { vectors: alone } = await model.embed('a', [texts[38] as string], signal)
    assert.equal(vectors.length, 40)
    assert.ok(dot(vectors[38] as Float32Array, alone[0] as Float32Array) > 0.9999)
    assert.ok(dot(vectors[37] as Float32Array, alone[0] as Float32Array) < 0.999)
  })

  it('reads texts of up to 128 tokens, and refuses longer ones by name', async () => {
    const tokens = (count: number) => Array(count).fill('the').join(' ')
    assert.equal((await model.embed('a', [tokens(128)], signal)).tokens, 128)
    const refused = await model.embed('a', ['a', tokens(129)], signal).catch(error => error)
    assert.ok(refused instanceof EmbedRefused)
    assert.deepEqual([refused.path, refused.message], ['input.1', 'must have at most 128 tokens; it has 129'])
  })

  for (const [what, texts, path, says] of [
    ['no text', [], 'input', /at least one/],
    ['an empty text', ['a', ''], 'input.1', /must not be empty/],
    ['too many texts', Array(2_049).fill('a'), 'input', /at most 2048 texts/],
    ['a very long text', ['a'.repeat(4_097)], 'input.0', /4096 characters/],
    ['too many tokens', Array(512).fill('the '.repeat(100)), 'input', /at most 32768 tokens/],
  ] as [string, string[], string, RegExp][]) {
    it(`refuses ${what} by name`, async () => {
      const refused = await model.embed('a', texts, signal).catch(error => error)
      assert.ok(refused instanceof EmbedRefused, String(refused))
      assert.equal(refused.path, path)
      assert.match(refused.message, says)
    })
  }

  it('embeds what is not English, and unknown characters', async () => {
    assert.equal((await model.embed('a', [' ', '😀', '漢字', '\ud83d', '\u0000'], signal)).vectors.length, 5)
  })
})

/** A thread that answers slowly. Every text is one token. */
const THREAD = `
import { serveCalls } from '${new URL('../../../kit/thread/functions.ts', import.meta.url)}'
const soon = () => new Promise(resolve => setTimeout(resolve, 20))
let jobs = 0
serveCalls({
  tokenize: async texts => {
    if (texts[0] === 'crash') process.exit(1)
    await soon()
    return { ids: new Int32Array(texts.length), lengths: new Uint32Array(texts.length).fill(1) }
  },
  embed: async ({ lengths }) => {
    await soon()
    return new Float32Array(lengths.length * 512).fill(++jobs)
  },
})`
const file = new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`)

describe('the queue', () => {
  it('lets a small call pass the batches of a large one', async () => {
    const model = open({ file })
    await model.embed('a', ['a'], signal)
    const ended: string[] = []
    const large = model.embed('a', Array(640).fill('a'), signal).then(() => ended.push('large'))
    await wait(30)
    const small = model.embed('b', ['b'], signal).then(() => ended.push('small'))
    await Promise.all([large, small])
    assert.deepEqual(ended, ['small', 'large'])
  })

  it('forgets a call that was aborted while it waited', async () => {
    const model = open({ file })
    const running = model.embed('a', ['a'], signal)
    const leaving = new AbortController()
    const reason = new Error('left')
    const waiting = model.embed('b', ['crash'], leaving.signal)
    leaving.abort(reason)
    await assert.rejects(waiting, reason)
    await running
    await model.embed('c', ['c'], signal)
  })

  it('does not run further batches of a call that was aborted', async () => {
    const model = open({ file })
    const leaving = new AbortController()
    const large = model.embed('a', Array(2_048).fill('a'), leaving.signal)
    await wait(100)
    leaving.abort(new Error('left'))
    await assert.rejects(large, /left/)
    const [vector] = (await model.embed('b', ['b'], signal)).vectors
    assert.ok((vector?.[0] as number) < 30, 'the thread ran all batches')
  })

  it('is bounded', async () => {
    const model = open({ file, waitingMax: 4 })
    const calls = Array.from({ length: 10 }, () => model.embed('a', ['a'], signal))
    const outcomes = await Promise.allSettled(calls)
    const full = outcomes.filter(one => one.status === 'rejected' && one.reason instanceof Fault)
    assert.equal(full.length, 7, 'one runs, and an organisation may have half of the slots')
  })
})
