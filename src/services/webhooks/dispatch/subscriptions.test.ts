import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { matches } from '../../../engines/engines.ts'
import { compile, type Subscriptions } from './subscriptions.ts'

const SUBJECTS = ['a', 'b', 'a.b', 'a.c', 'a.b.c', 'a.b.d', 'x.b.c', 'a.b.c.d', 'A.b']
const PATTERNS = ['>', '*', 'a', 'a.>', 'a.*', '*.b', '*.b.>', 'a.b.c', '*.*.*', 'a.*.c', 'a.b.c.>', 'A.>']

describe('subscriptions', () => {
  it('find the same as each pattern by itself', async () => {
    const { wanting } = await compile(PATTERNS.map(pattern => ({ id: pattern, events: [pattern] })))
    for (const subject of SUBJECTS) {
      const expected = PATTERNS.filter(pattern => matches(pattern, subject))
      assert.deepEqual(wanting(subject).sort(), expected.sort(), subject)
    }
  })

  it('find the same when there are many patterns', async () => {
    const tokens = ['a', 'b', '*']
    const all = tokens.flatMap(a => tokens.flatMap(b => tokens.flatMap(c => tokens.map(d => `${a}.${b}.${c}.${d}`))))
    const patterns = [...all, ...all.map(one => one.replace(/.$/, '>')), ...all.map(one => `${one}.>`), ...PATTERNS]
    const { wanting } = await compile(patterns.map((pattern, n) => ({ id: String(n), events: [pattern] })))
    for (const subject of [...SUBJECTS, 'a.b.a.b', 'b.b.b.b', 'a.a.x.a', 'a.b.a.b.c', 'x.x.x.x', 'a.b.a']) {
      const expected = patterns.flatMap((pattern, n) => (matches(pattern, subject) ? [String(n)] : []))
      assert.deepEqual(wanting(subject).sort(), expected.sort(), subject)
    }
  })

  it('find an endpoint once, and one without patterns always', async () => {
    const { wanting, isEmpty } = await compile([
      { id: 'all', events: [] },
      { id: 'some', events: ['a.>', 'a.b', '*.b'] },
    ])
    assert.equal(isEmpty, false)
    assert.deepEqual(wanting('a.b').sort(), ['all', 'some'])
    assert.deepEqual(wanting('z'), ['all'])
    assert.equal((await compile([])).isEmpty, true)
  })

  it('cost what fits an event, and not what there is', async () => {
    const patternsOf = (count: number) =>
      Array.from({ length: count / 64 }, (_, at) => ({
        id: `wh_${at}`,
        events: Array.from({ length: 64 }, (_, n) => `shop.s${at}.*.p${n}.>`),
      }))
    const [few, many] = [await compile(patternsOf(64)), await compile(patternsOf(64_000))]
    const timeOf = ({ wanting }: Subscriptions) => {
      const startMs = performance.now()
      for (let n = 0; n < 200; n++) assert.deepEqual(wanting(`shop.s0.a.p${n % 64}.created`), ['wh_0'])
      return performance.now() - startMs
    }
    // The best of several tries: the machine may be busy.
    const best = (of: Subscriptions) => Math.min(...Array.from({ length: 20 }, () => timeOf(of)))
    const [ofFew, ofMany] = [best(few), best(many)]
    assert.ok(ofMany < 10 * ofFew, `${ofMany} ms with a thousand times as many patterns, ${ofFew} ms with few`)
  })
})
