// Tests for every queue implementation: guarantees across keys, organisations and processes, also when a process dies.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../eventually.ts'
import { FAILED, jobs, newQueue, OK, type QueueProcess } from '../queue-world.ts'
import { held, type OpenQueues } from './queue.ts'

const numbers = (length: number) => Array.from({ length }, (_, n) => n)

export function queueProcessesConform(name: string, open: OpenQueues): void {
  describe(`a busy queue: ${name}`, async () => {
    await fairness(open)
  })
  describe(`two processes with a queue: ${name}`, async () => {
    await sharing(open)
  })
  describe(`a process with a queue that dies: ${name}`, async () => {
    await dying(open)
  })
}

async function fairness(open: OpenQueues): Promise<void> {
  const busy = newQueue('fair.busy', { atOnce: 8 })
  const { add, endsOf, endedOf } = await open([busy.queue])
  const doneOf = async (isWanted: (key: string) => boolean) =>
    (await endsOf(busy.queue)).filter(({ key }) => isWanted(key)).length

  it('does not let a key with a long backlog delay another', async () => {
    busy.act = async () => {
      await pause(10)
      return OK
    }
    await add(busy.queue, jobs(400, 0, { key: 'long' }))
    await add(busy.queue, jobs(5, 0, { key: 'short' }))
    await eventually(
      () => doneOf(key => key === 'short'),
      count => count === 5,
    )
    assert.ok((await doneOf(key => key === 'long')) < 300)
    await endedOf(busy.queue, 405)
  })

  it('does not let an organisation with many keys delay another', async () => {
    for (const n of numbers(100)) await add(busy.queue, jobs(5, 0, { key: `many-${n}`, org: 'many' }))
    await add(busy.queue, jobs(5, 0, { key: 'few', org: 'few' }))
    await eventually(
      () => doneOf(key => key === 'few'),
      count => count === 5,
    )
    assert.ok((await doneOf(key => key.startsWith('many-'))) < 400)
    await endedOf(busy.queue, 405 + 505)
  })
}

/** The same queue in two processes, with distinguishable attempts. */
async function openTwo(open: OpenQueues, id: string, declared: Parameters<typeof newQueue>[1] = {}) {
  const [here, there] = [newQueue(id, declared), newQueue(id, declared)]
  const first = await open([here.queue])
  const second = await open([there.queue], first)
  const actAs = (act: typeof here.act) => {
    here.act = act
    there.act = act
  }
  return { here, there, first, second, actAs }
}

async function sharing(open: OpenQueues): Promise<void> {
  const limits = () => ({ concurrency: 2, rate: null })
  const { here, there, first, second, actAs } = await openTwo(open, 'two.plain', { limits })
  const rated = await openTwo(open, 'two.rated', {
    limits: () => ({ concurrency: 10, rate: { count: 3, perMs: 1_000 } }),
  })
  const all = numbers(20)

  it("make each attempt once, and together exceed no key's concurrency", async () => {
    const running = new Map<string, number>()
    let most = 0
    actAs(async ({ key }) => {
      const count = (running.get(key) ?? 0) + 1
      running.set(key, count)
      most = Math.max(most, count)
      await pause(5)
      running.set(key, (running.get(key) ?? 0) - 1)
      return OK
    })
    const addTo = (process: QueueProcess, queue: typeof here.queue, from: number) =>
      Promise.all(all.map(n => process.add(queue, jobs(10, from + n * 10, { key: `key-${n}` }))))
    await Promise.all([addTo(first, here.queue, 0), addTo(second, there.queue, 200)])
    const rows = await first.endedOf(here.queue, 400)
    assert.deepEqual(
      rows.map(({ n }) => n).sort((a, b) => a - b),
      numbers(400),
    )
    assert.ok(rows.every(({ attempt, status }) => attempt === 1 && status === 'ok'))
    assert.equal(here.calls.length + there.calls.length, 400)
    assert.equal(most, 2)
  })

  it("together exceed no key's rate", async () => {
    const times: number[] = []
    rated.actAs(async () => {
      times.push(performance.now())
      return OK
    })
    await Promise.all([rated.first.add(rated.here.queue, jobs(4)), rated.second.add(rated.there.queue, jobs(4, 4))])
    await rated.first.endedOf(rated.here.queue, 8)
    for (let at = 3; at < 8; at++) {
      const ms = (times[at] as number) - (times[at - 3] as number)
      assert.ok(ms >= 950, `${ms} ms between attempts ${at - 3} and ${at}`)
    }
  })
}

async function dying(open: OpenQueues): Promise<void> {
  const { here, there, first, second } = await openTwo(open, 'dying.plain')
  const order = await openTwo(open, 'dying.ordered', { isOrdered: true, pausesMs: [100] })

  it('has its attempts repeated by another, and a later outcome of its own does not count', async () => {
    const { act, waiting, release } = held()
    here.act = act
    there.act = act
    await first.add(here.queue, jobs(6, 0, { key: 'taken' }))
    await eventually(
      () => waiting.length,
      count => count === 4,
    )
    const isFirst = here.calls.length > 0
    assert.equal(isFirst ? there.calls.length : here.calls.length, 0, 'a key belongs to one process')
    const [dead, survivor] = isFirst ? [first, second] : [second, first]
    const [ofDead, ofSurvivor] = isFirst ? [here, there] : [there, here]
    ofSurvivor.act = async () => OK
    dead.lose(true)
    const rows = await survivor.endedOf(here.queue, 6)
    const ended = rows.filter(({ status }) => status !== 'retrying')
    assert.deepEqual(
      ended.map(({ n, status }) => [n, status]).sort(),
      numbers(6).map(n => [n, 'ok']),
    )
    assert.deepEqual(ended.map(({ attempt }) => attempt).sort(), [1, 1, 2, 2, 2, 2])
    assert.equal(ofDead.calls.length, 4)
    dead.lose(false)
    release()
    // It works on, under a new lease.
    await survivor.add(here.queue, jobs(1, 9, { key: 'after' }))
    await eventually(
      () => survivor.endsOf(here.queue),
      found => found.some(({ key }) => key === 'after'),
    )
    assert.equal((await survivor.endsOf(here.queue)).filter(({ key }) => key === 'taken').length, rows.length)
    for (const { host } of [first, second]) host.warnings.length = 0
  })

  it('preserves the order of a key', async () => {
    const seen: number[] = []
    const { act, waiting } = held()
    order.actAs(job => (job.payload.n === 2 ? act() : Promise.resolve(seen.push(job.payload.n) ? OK : FAILED)))
    await order.first.add(order.here.queue, jobs(5))
    await eventually(
      () => waiting.length,
      count => count === 1,
    )
    const dead = order.here.calls.length > 0 ? order.first : order.second
    const survivor = dead === order.first ? order.second : order.first
    order.actAs(async ({ payload: { n } }) => {
      seen.push(n)
      return OK
    })
    dead.lose(true)
    await survivor.endedOf(order.here.queue, 5)
    assert.deepEqual(seen, [0, 1, 2, 3, 4])
    dead.lose(false)
    waiting[0]?.()
    for (const { host } of [order.first, order.second]) host.warnings.length = 0
  })
}
