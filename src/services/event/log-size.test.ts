import assert from 'node:assert/strict'
import { it } from 'node:test'
import { eventually } from '../../../test/eventually.ts'
import { startHost } from '../../../test/host.ts'

it('events are refused while the log is too large, and nothing of it is deleted', async () => {
  const host = await startHost()
  const send = (n: number) => host.call('POST /v1/event', { body: { event: 'Order', properties: { n } } })
  assert.equal((await send(1)).status, 200)
  const { bytes } = host.engines.log
  host.engines.log.bytes = async () => 101 * 1024 ** 3
  host.clock.advance(10_000)
  const { body, headers } = await eventually(
    () => send(2),
    ({ status }) => status === 503,
  )
  assert.deepEqual([body.error.code, headers['retry-after']], ['overloaded', '30'])
  assert.match(body.error.message, /none of these events were stored/)
  const logged = () => host.db`select from bus_log where subject = 'event.order'`
  const before = (await logged()).length
  // What the platform emits is not refused: it is part of changes that people make.
  assert.equal((await host.call('POST /v1/projects', { body: { slug: 'shop', name: 'Shop' } })).status, 201)
  assert.equal((await logged()).length, before)
  host.engines.log.bytes = bytes
  host.clock.advance(10_000)
  await eventually(
    () => send(3),
    ({ status }) => status === 200,
  )
  assert.equal((await logged()).length, before + 1)
})
