// Consumers of a service, and the events that they fail to handle, as a superadmin sees them.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../../test/eventually.ts'
import { startHost } from '../../../test/host.ts'
import { specimen } from '../../../test/specimen.ts'
import type { Envelope } from '../../engines/engines.ts'
import { service, serviceKit } from '../../kit/service.ts'
import { o11yService } from './service.ts'

const handled: Envelope[] = []
const consuming = { isBroken: false }
const reader = service<{ greeting: string }>({
  name: 'reader',
  what: 'For tests',
  open: async () => ({ state: { greeting: 'hello' } }),
  consumers: [
    serviceKit<{ greeting: string }>().consumer({
      id: 'reader.notes',
      subjects: ['specimen.*'],
      batchMax: 10,
      run: async ({ state, db, clock }, events) => {
        assert.deepEqual([state.greeting, db.isTransaction, clock], ['hello', true, host.clock])
        if (consuming.isBroken) throw new Error('the table is gone')
        handled.push(...events)
        return undefined
      },
    }),
  ],
})
const host = await startHost({ services: [o11yService(() => [reader]), specimen, reader], runsBackground: true })
await host.call('POST /v1/projects', { body: { slug: 'shop', name: 'Shop' } })
const rename = (name: string) => host.call('POST /v1/specimen/rename', { body: { slug: 'shop', name } })
const asAdmin = (what: string) => host.call(what, { as: host.admin.key })
const consumers = async (): Promise<{ name: string; behindSince?: string }[]> =>
  (await asAdmin('GET /v1/o11y/consumers')).body.consumers.filter(
    ({ name }: { name: string }) => name === 'reader.notes',
  )
const deadLetters = async () => (await asAdmin('GET /v1/o11y/dead-letters')).body

describe('a consumer of a service', () => {
  it('gets what an operation emits, with the state of its service', async () => {
    await rename('First')
    await eventually(
      () => handled.length,
      count => count === 1,
    )
    const [{ type, tenant, data }] = handled as [Envelope]
    assert.deepEqual([type, tenant, data], ['specimen.renamed', 'home', { slug: 'shop', name: 'First' }])
    const idle = [{ name: 'reader.notes', waiting: 0, deadLetters: 0 }]
    assert.deepEqual(await eventually(consumers, found => found[0]?.behindSince === undefined), idle)
  })

  it('that fails makes dead letters; a superadmin sees them and has them tried again', async () => {
    consuming.isBroken = true
    await rename('Second')
    const { data, next } = await eventually(deadLetters, found => {
      host.clock.advance(5 * 60_000)
      return found.data.length > 0
    })
    const [{ id, at: _, event, ...rest }] = data
    assert.deepEqual([data.length, next, rest], [1, '', { consumer: 'reader.notes', error: 'the table is gone' }])
    assert.deepEqual([event.subject, event.tenant], ['specimen.renamed', 'home'])
    assert.deepEqual(await consumers(), [{ name: 'reader.notes', waiting: 0, deadLetters: 1 }])
    const retry = () => asAdmin(`POST /v1/o11y/dead-letters/${id}/retry`)
    consuming.isBroken = false
    assert.equal((await retry()).status, 204)
    assert.equal((await retry()).body.error.code, 'not_found')
    await eventually(
      () => handled.length,
      count => count === 2,
    )
    assert.deepEqual((await deadLetters()).data, [])
    const [entry] = (await asAdmin('GET /v1/iam/audit')).body.data
    assert.deepEqual([entry.what, entry.on], ['event.retry', id])
    assert.ok(host.warnings.splice(0).length >= 20)
  })
})
