import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'
import { publish, small } from '../../../test/publishers.ts'

const host = await startHost()
const COUNT = 30_000
const list = (name: string) => Array.from({ length: COUNT }, (_, n) => `n${n}-${name}.com`).join('\n')
const refresh = () => host.call('POST /v1/risk/reference/refresh', { as: host.admin.key, body: { set: 'domain' } })
const body = { keys: ['n7-one.com', 'n7-two.com', `n${COUNT - 1}-one.com`, `n${COUNT - 1}-two.com`], sets: ['domain'] }
const lookUp = async () => (await host.call('POST /v1/risk/reference/resolve', { body })).body.answers

describe('a set during a refresh', () => {
  it('always answers from the version it names', async () => {
    publish(host, 'disposable', small.disposable as string)
    publish(host, 'disposable-mit', list('one'))
    const first = (await refresh()).body.version
    publish(host, 'disposable-mit', list('two'))
    let isOver = false
    const refreshed = refresh().finally(() => {
      isOver = true
    })
    const seen = new Set<string>()
    while (!isOver) {
      for (const { version, key, hit } of await lookUp()) {
        seen.add(version)
        assert.equal(hit, key.endsWith(version === first ? 'one.com' : 'two.com'), `${key} in ${version}`)
      }
    }
    const second = (await refreshed).body.version
    assert.notEqual(second, first)
    const [one, two] = await lookUp()
    assert.deepEqual([one.hit, two.hit, one.version], [false, true, second])
    assert.ok(seen.has(first), 'the previous version answered during the refresh')
  })
})
