import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../test/host.ts'
import type { ScheduleContext, ScheduleOutcome } from '../kit/background.ts'
import { service, serviceKit } from '../kit/service.ts'
import { startSchedules } from './background.ts'
import { logInto } from './log.ts'

const host = await startHost()
const tick = () => new Promise(done => setTimeout(done, 5))
const ticks = async (count: number) => {
  for (let wait = 0; wait < count; wait++) await tick()
}
const { schedule } = serviceKit<string>()
let names = 0

type Run = (context: ScheduleContext<string>, runs: number) => Promise<ScheduleOutcome>

/** A schedule with a unique name that counts its runs. */
function counting(run: Run, { everyMs = 60_000, deadlineMs = 30_000 } = {}) {
  let runs = 0
  const name = `counting ${names++}`
  const counted = schedule({ name, everyMs, deadlineMs, run: context => run(context, ++runs) })
  const logged: string[] = []
  const log = logInto('info', host.clock, { write: line => void logged.push(line) })
  const services = [service({ name: 'risk', what: 'For a test', schedules: [counted] })]
  const states = new Map([['risk', 'its state']])
  const start = () => startSchedules({ services, engines: host.engines, states, jobs: host.jobs, log }, 'all')
  const until = async (count: number) => {
    while (runs < count) await tick()
  }
  const lease = async () =>
    (await host.db<{ fence: number }>`select fence from leases where name = ${`schedule ${name}`}`)[0]
  return { name, start, until, runs: () => runs, logged, lease }
}

describe('a schedule', () => {
  it('runs immediately with the state of its service, and again after its period', async () => {
    const { start, until, runs } = counting(async ({ state }) => {
      assert.equal(state, 'its state')
      return undefined
    })
    const stop = start()
    await until(1)
    await ticks(20)
    host.clock.advance(50_000)
    await ticks(20)
    assert.equal(runs(), 1, 'not before it is due')
    host.clock.advance(11_000)
    await until(2)
    await stop()
  })

  it('runs once per period across all processes, including one that starts later', async () => {
    const { start, until, runs } = counting(async () => {})
    const stops = [start(), start(), start()]
    await until(1)
    await ticks(20)
    stops.push(start())
    await ticks(20)
    assert.equal(runs(), 1)
    host.clock.advance(61_000)
    await until(2)
    await ticks(20)
    assert.equal(runs(), 2)
    await Promise.all(stops.map(stop => stop()))
  })

  it('that returns `againInMs` runs again after that time, and immediately in a new process', async () => {
    const { start, until, runs } = counting(async (_context, runs) => (runs < 3 ? { againInMs: 20_000 } : undefined))
    const stop = start()
    await until(1)
    await ticks(20)
    host.clock.advance(21_000)
    await until(2)
    await stop()
    const stopNext = start()
    await until(3)
    await ticks(20)
    host.clock.advance(21_000)
    await ticks(20)
    assert.equal(runs(), 3, 'it is done for this period')
    await stopNext()
  })

  it('that fails is logged and retried with a growing backoff', async () => {
    const { start, until, runs, logged } = counting(async (_context, runs) => {
      if (runs < 3) throw new Error('on purpose')
    })
    const stop = start()
    await until(1)
    while (logged.length === 0) await tick()
    assert.match(logged.join(), /on purpose/)
    host.clock.advance(5_000)
    await until(2)
    while (logged.length < 2) await tick()
    await ticks(20)
    host.clock.advance(5_000)
    await ticks(20)
    assert.equal(runs(), 2, 'the second backoff is longer')
    host.clock.advance(5_000)
    await until(3)
    await stop()
  })

  it('that exceeds its deadline is aborted and counts as failed', async () => {
    const { start, until, logged } = counting(async ({ signal }, runs) => {
      if (runs > 1) return
      while (!signal.aborted) await tick()
    })
    const stop = start()
    await until(1)
    await ticks(5)
    host.clock.advance(30_000)
    while (logged.length === 0) await tick()
    assert.match(logged.join(), /exceeded its deadline/)
    host.clock.advance(5_000)
    await until(2)
    await stop()
  })

  it('cannot write after another process has acquired its lease', async () => {
    const outcomes: string[] = []
    const { name, start, until, lease } = counting(async ({ write }, runs) => {
      if (runs > 1) return
      await write(async tx => void (await tx`insert into leases values ('written in time', '', now())`))
      await host.db`update leases set holder = 'another', fence = fence + 1 where name = ${`schedule ${name}`}`
      await write(async tx => void (await tx`insert into leases values ('written too late', '', now())`)).catch(error =>
        outcomes.push(error.message),
      )
    })
    const stop = start()
    await until(1)
    while (outcomes.length === 0) await tick()
    assert.match(outcomes.join(), /was lost/)
    assert.equal((await host.db`select from leases where name = 'written in time'`).length, 1)
    assert.equal((await host.db`select from leases where name = 'written too late'`).length, 0)
    assert.ok(((await lease())?.fence ?? 0) > 1)
    await stop()
  })

  it('is aborted and awaited when the host stops', async () => {
    let ended = false
    const { start, until } = counting(async ({ signal }) => {
      while (!signal.aborted) await tick()
      await tick()
      ended = true
    })
    const stop = start()
    await until(1)
    await stop()
    assert.ok(ended)
  })
})
