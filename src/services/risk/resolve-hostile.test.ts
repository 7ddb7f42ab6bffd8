import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'
import { CHROME, GOOGLEBOT, loadSet, publish, refresh, small } from '../../../test/publishers.ts'

const host = await startHost()
const resolve = async (keys: string[], sets: string[]) => {
  const { status, body } = await host.call('POST /v1/risk/reference/resolve', { body: { keys, sets } })
  assert.equal(status, 200)
  return body
}

/** While this runs, each read of the clock advances it by six milliseconds. Returns the event loop iteration of each
 *  read. */
async function withFastClock(run: () => Promise<unknown>): Promise<number[]> {
  const { elapsedMs } = host.clock
  const reads: number[] = []
  let iterations = 0
  let passed = elapsedMs()
  let next = setImmediate(function iterate() {
    iterations++
    next = setImmediate(iterate)
  })
  host.clock.elapsedMs = () => {
    reads.push(iterations)
    passed += 6
    return passed
  }
  try {
    await run()
  } finally {
    clearImmediate(next)
    host.clock.elapsedMs = elapsedMs
  }
  return reads
}

describe('a request with slow look-ups', () => {
  it('yields to other requests and answers the same', async () => {
    await loadSet(host, 'crawler')
    const keys = Array.from({ length: 100 }, (_, n) => (n % 2 ? `${CHROME} ${n}` : `${GOOGLEBOT} ${n}`))
    const { answers } = await resolve(keys, ['crawler'])
    let slow: typeof answers
    const reads = await withFastClock(async () => {
      slow = (await resolve(keys, ['crawler'])).answers
    })
    assert.deepEqual(slow, answers)
    assert.deepEqual(
      answers.map(({ key }: { key: string }) => key),
      keys,
    )
    assert.ok(new Set(reads).size >= 20, `it read the clock in ${new Set(reads).size} iterations of the event loop`)
  })

  it('answers all keys from one version of a set that is swapped in between', async () => {
    const list = (name: string) => Array.from({ length: 2_000 }, (_, n) => `n${n}-${name}.com`).join('\n')
    const keys = Array.from({ length: 100 }, (_, n) => `n${n}-${n % 2 ? 'one' : 'two'}.com`)
    publish(host, 'disposable', small.disposable as string)
    const versions = new Map<string, string>()
    async function replace(name: string): Promise<void> {
      publish(host, 'disposable-mit', list(name))
      const { body } = await refresh(host, { set: 'domain' })
      versions.set(body.version, name)
    }
    await replace('one')
    await replace('two')
    await withFastClock(async () => {
      for (let round = 0; round < 10; round++) {
        let isOver = false
        const replaced = replace(round % 2 ? 'two' : 'one').finally(() => {
          isOver = true
        })
        while (!isOver) {
          const bodies = await Promise.all([1, 2, 3].map(() => resolve(keys, ['domain'])))
          for (const { answers, consulted } of bodies) {
            const name = versions.get(consulted[0].version)
            for (const { key, hit, version } of answers) {
              assert.deepEqual([hit, version], [key.endsWith(`${name}.com`), consulted[0].version], key)
            }
          }
        }
        await replaced
      }
    })
  })
})

describe('the values of members', () => {
  it('are parsed once, on first use', async t => {
    const prefixes = Array.from({ length: 200 }, (_, n) => ({
      ip_prefix: `44.${n}.7.0/24`,
      region: `lazy-${n}`,
    }))
    const parse = t.mock.method(JSON, 'parse')
    const isValue = (text: unknown) => String(text).includes('lazy-') && !String(text).includes('answers')
    const parsedValues = () => parse.mock.calls.filter(({ arguments: [text] }) => isValue(text)).length
    await loadSet(host, 'net', { aws: JSON.stringify({ prefixes, ipv6_prefixes: [] }) })
    assert.equal(parsedValues(), 0)
    for (let round = 0; round < 2; round++) {
      const { answers } = await resolve(['44.7.7.9'], ['net'])
      assert.equal(answers[0].value.region, 'lazy-7')
      assert.equal(parsedValues(), 1)
    }
  })
})

describe('a list of crawlers that matches browsers', () => {
  for (const pattern of ['.', 'Mozilla', '(?i)safari', 'Windows NT \\d+']) {
    it(`is rejected, forced or not: ${pattern}`, async () => {
      await loadSet(host, 'crawler')
      publish(host, 'patterns', JSON.stringify([...JSON.parse(small.patterns as string), { pattern }]))
      for (const force of [false, true]) {
        const { status, body } = await refresh(host, { set: 'crawler', force })
        assert.equal(status, 200)
        assert.ok(body.took[0].refusal.includes(JSON.stringify(pattern)), body.took[0].refusal)
      }
      const { answers } = await resolve([CHROME, GOOGLEBOT], ['crawler'])
      assert.deepEqual([answers[0].hit, answers[1].hit], [false, true])
    })
  }
})
