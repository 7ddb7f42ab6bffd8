// What a superadmin sees of background work, and what contexts of it offer.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from 'typebox'
import { eventually } from '../../../test/eventually.ts'
import { startHost } from '../../../test/host.ts'
import { specimen } from '../../../test/specimen.ts'
import type { OrgId } from '../../kit/caller.ts'
import { event } from '../../kit/events.ts'
import { service, serviceKit } from '../../kit/service.ts'
import { o11yService } from './service.ts'

const { consumer, queue, schedule } = serviceKit<{ runs: number }>()
const noted = event('echo.noted', 'Something was noted', { n: Type.Integer() })
const contexts: string[][] = []

const notes = queue<{ n: number }>({
  id: 'echo.notes',
  pausesMs: [],
  deadlineMs: 1_000,
  isPulled: true,
})
const repeat = consumer({
  id: 'echo.repeat',
  subjects: ['specimen.renamed'],
  batchMax: 10,
  emits: noted,
  run: async ({ db, emit, queues, ...rest }, events) => {
    contexts.push(Object.keys(rest).sort())
    for (const { tenant } of events) {
      const org = tenant as OrgId
      emit('echo.noted', { n: events.length }, org)
      await queues.add(db, notes, [{ key: 'k', org, payload: { n: 1 } }])
    }
    return undefined
  },
})
const tick = schedule({
  name: 'ticks of a process',
  per: 'process',
  everyMs: 1_000,
  deadlineMs: 1_000,
  run: async ({ state }) => {
    state.runs++
    return undefined
  },
})
const states: { runs: number }[] = []
const echo = service<{ runs: number }>({
  name: 'echo',
  what: 'For tests',
  consumers: [repeat],
  queues: [notes],
  schedules: [tick],
  open: async () => {
    const state = { runs: 0 }
    states.push(state)
    return { state }
  },
})
const services = [o11yService(() => [echo]), specimen, echo]
const host = await startHost({ services, runsBackground: true })
const asAdmin = async (what: string) => (await host.call(what, { as: host.admin.key })).body

describe('a consumer', () => {
  it('emits and adds jobs in its transaction, and has nothing that reaches outside', async () => {
    await host.call('POST /v1/projects', { body: { slug: 'shop', name: 'Shop' } })
    await host.call('POST /v1/specimen/rename', { body: { slug: 'shop', name: 'Other' } })
    await eventually(
      () => host.emitted.filter(({ type }) => type === 'echo.noted'),
      found => found.length === 1,
    )
    assert.deepEqual(contexts[0], ['clock', 'random', 'signal', 'state'])
    const { queues } = await eventually(
      () => asAdmin('GET /v1/o11y/queues'),
      found => found.queues[0]?.waiting === 1,
    )
    const [{ dueSince, ...one }] = queues.filter(({ name }: { name: string }) => name === 'echo.notes')
    assert.deepEqual(one, { name: 'echo.notes', waiting: 1, keys: 1, held: 0, paused: 0 })
    assert.equal(dueSince, host.clock.now().toISOString())
  })

  it('that no version has any more is listed as such', async () => {
    await host.db`insert into consumer_positions (consumer, lane, position)
      select 'echo.former', lane, position from consumer_positions where consumer = 'echo.repeat'`
    const { consumers } = await asAdmin('GET /v1/o11y/consumers')
    const own = consumers.filter(({ name }: { name: string }) => name.startsWith('echo.'))
    assert.deepEqual(
      own.map(({ name, isUndeclared = false }: { name: string; isUndeclared?: boolean }) => [name, isUndeclared]),
      [
        ['echo.former', true],
        ['echo.repeat', false],
      ],
    )
  })
})

describe('queues', () => {
  it('are listed for superadmins only', async () => {
    assert.equal((await host.call('GET /v1/o11y/queues')).status, 403)
  })

  it('are counted in the metrics', async () => {
    const text = await (await fetch(`http://127.0.0.1:${host.metricsPort}/metrics`)).text()
    assert.match(text, /# TYPE stoa_queue_attempts_total counter/)
  })
})

describe('a schedule of each process', () => {
  it('runs in all of them, also in those without other background work, until they stop', async t => {
    const other = await startHost({ services, beside: host, runsBackground: false }, t)
    const [first, second] = states as [{ runs: number }, { runs: number }]
    await eventually(
      () => second.runs,
      count => count === 1,
    )
    const before = first.runs
    host.clock.advance(1_000)
    await eventually(
      () => [first.runs, second.runs],
      ([one = 0, two]) => one > before && two === 2,
    )
    await other.drain(0)
    const after = second.runs
    host.clock.advance(10_000)
    await eventually(
      () => first.runs,
      count => count > before + 1,
    )
    assert.equal(second.runs, after)
  })
})
