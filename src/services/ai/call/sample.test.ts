// Tokens of streams that report none, counted from a sample: whatever is before, between or after the text.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openSample } from './sample.ts'

const word = (n: number) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: ` word${n % 7}` } }] })}\n\n`
const event = (json: object) => `data: ${JSON.stringify(json)}\n\n`
const words = (count: number) => Array.from({ length: count }, (_, n) => word(n))

async function countOf(pieces: readonly string[]): Promise<number> {
  const sample = openSample()
  for (const piece of pieces) sample.add(Buffer.from(piece))
  return sample.count()
}

/** Two tokens each. */
const WORDS = 3_000
const expected = ((await countOf(words(60))) / 60) * WORDS

describe('the tokens of a stream', () => {
  for (const [what, pieces] of [
    ['of text alone', words(WORDS)],
    [
      'in large pieces',
      Array.from({ length: WORDS / 100 }, (_, n) =>
        words(WORDS)
          .slice(n * 100, (n + 1) * 100)
          .join(''),
      ),
    ],
    [
      'after what was asked',
      [event({ type: 'response.created', response: { instructions: 'Be brief. '.repeat(4_000) } }), ...words(WORDS)],
    ],
    ['after comments', [...Array.from({ length: 2_500 }, () => ': PROCESSING\n\n'), ...words(WORDS)]],
    [
      'before an image',
      [...words(WORDS), event({ choices: [{ delta: { images: [{ url: 'A'.repeat(3_000_000) }] } }] })],
    ],
  ] as const) {
    it(`${what} are about right`, async () => {
      const counted = await countOf(pieces)
      assert.ok(Math.abs(counted - expected) < expected / 5, `${counted} instead of ${expected}`)
    })
  }

  it('of a short stream are exact', async () => {
    assert.equal(await countOf(words(10)), await countOf([words(10).join('')]))
  })

  it('of audio are those of what is said', async () => {
    const audio = (more: object) => event({ choices: [{ delta: { audio: more } }] })
    const spoken = await countOf([audio({ transcript: 'one two three' }), audio({ data: 'A'.repeat(100_000) })])
    assert.equal(spoken, 3)
  })
})
