import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../test/host.ts'
import { service } from '../kit/service.ts'
import type { WorkContext } from '../kit/worker.ts'
import { logInto } from './log.ts'
import { startWorkers } from './workers.ts'

const host = await startHost()
const turn = () => new Promise(done => setTimeout(done, 5))

/** A worker that counts its runs, and those who run it. */
function counting(run: (context: WorkContext, runs: number) => Promise<number>) {
  let runs = 0
  const worker = { name: 'counting', run: (context: WorkContext) => run(context, ++runs) }
  const logged: string[] = []
  const log = logInto('info', host.clock, { write: line => void logged.push(line) })
  const services = [service({ name: 'risk', what: 'For a test', workers: [worker] })]
  const start = () => startWorkers({ services, engines: host.engines, states: new Map([['risk', 'its state']]), log })
  const until = async (count: number) => {
    while (runs < count) await turn()
  }
  return { start, until, runs: () => runs, logged }
}

describe('a worker', () => {
  it('runs at once with what its service opened, and again after the time it says', async () => {
    const { start, until, runs } = counting(async ({ state }) => {
      assert.equal(state, 'its state')
      return 60_000
    })
    const stop = start()
    await until(1)
    for (let wait = 0; wait < 20; wait++) await turn()
    host.clock.advance(50_000)
    for (let wait = 0; wait < 20; wait++) await turn()
    assert.equal(runs(), 1, 'not before its time, less a tenth')
    host.clock.advance(10_000)
    await until(2)
    await stop()
  })

  it('runs in one process at a time', async () => {
    let running = 0
    let most = 0
    const { start, until } = counting(async () => {
      most = Math.max(most, ++running)
      await turn()
      running--
      return 0
    })
    const stops = [start(), start(), start()]
    await until(20)
    await Promise.all(stops.map(stop => stop()))
    assert.equal(most, 1)
  })

  it('that fails is told of in the log, and tried again later', async () => {
    const { start, until, logged } = counting(async (_context, runs) => {
      if (runs === 1) throw new Error('on purpose')
      return 60_000
    })
    const stop = start()
    await until(1)
    while (logged.length === 0) await turn()
    assert.match(logged.join(), /on purpose/)
    host.clock.advance(30_000)
    await until(2)
    await stop()
  })

  it('is told when the host ends, and waited for', async () => {
    let ended = false
    const { start, until } = counting(async ({ signal }) => {
      while (!signal.aborted) await turn()
      await turn()
      ended = true
      return 0
    })
    const stop = start()
    await until(1)
    await stop()
    assert.ok(ended)
  })
})
