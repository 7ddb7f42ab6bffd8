// A lost answer: the client repeats the call with the same key, and the host creates one resource.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Agent, fetch } from 'undici'
import { createStoa, type StoaOptions } from '../../client/stoa.ts'
import { CA, startHost } from '../host.ts'

it('a call whose answer was lost creates one thing, and gets its answer', async t => {
  const host = await startHost({}, t)
  const dispatcher = new Agent({ connect: { ca: CA() } })
  t.after(() => dispatcher.destroy())
  let sent = 0
  const losing: StoaOptions['fetch'] = async (url, init) => {
    const answer = await fetch(url, { ...init, dispatcher } as never)
    if (++sent > 1) return answer as never
    await answer.arrayBuffer()
    throw new TypeError('the connection was reset')
  }
  const stoa = createStoa({ baseUrl: host.baseUrl, key: host.home.key, fetch: losing })
  const { name } = await stoa.createWorkspace({ name: 'Team' })
  assert.deepEqual([name, sent], ['Team', 2])
  assert.equal((await host.db`select from workspaces`).length, 1)
})
