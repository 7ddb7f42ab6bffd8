import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../test/host.ts'
import type { ScheduleContext, ScheduleOutcome } from '../kit/background.ts'
import { service, serviceKit } from '../kit/service.ts'
import { startSchedules } from './background.ts'
import { logInto } from './log.ts'

const host = await startHost()
const turn = () => new Promise(done => setTimeout(done, 5))
const turns = async (count: number) => {
  for (let wait = 0; wait < count; wait++) await turn()
}
const { schedule } = serviceKit<string>()
let names = 0

type Run = (context: ScheduleContext<string>, runs: number) => Promise<ScheduleOutcome>

/** A schedule of its own name that counts its runs, and whoever runs it. */
function counting(run: Run, { everyMs = 60_000, deadlineMs = 30_000 } = {}) {
  let runs = 0
  const name = `counting ${names++}`
  const counted = schedule({ name, everyMs, deadlineMs, run: context => run(context, ++runs) })
  const logged: string[] = []
  const log = logInto('info', host.clock, { write: line => void logged.push(line) })
  const services = [service({ name: 'risk', what: 'For a test', schedules: [counted] })]
  const start = () => startSchedules({ services, engines: host.engines, states: new Map([['risk', 'its state']]), log })
  const until = async (count: number) => {
    while (runs < count) await turn()
  }
  const lease = async () =>
    (await host.db<{ fence: number }>`select fence from leases where name = ${`schedule ${name}`}`)[0]
  return { name, start, until, runs: () => runs, logged, lease }
}

describe('a schedule', () => {
  it('runs at once with what its service opened, and again after its period', async () => {
    const { start, until, runs } = counting(async ({ state }) => {
      assert.equal(state, 'its state')
      return undefined
    })
    const stop = start()
    await until(1)
    await turns(20)
    host.clock.advance(50_000)
    await turns(20)
    assert.equal(runs(), 1, 'not before its time')
    host.clock.advance(11_000)
    await until(2)
    await stop()
  })

  it('runs once per period over all processes, also one that starts later', async () => {
    const { start, until, runs } = counting(async () => {})
    const stops = [start(), start(), start()]
    await until(1)
    await turns(20)
    stops.push(start())
    await turns(20)
    assert.equal(runs(), 1)
    host.clock.advance(61_000)
    await until(2)
    await turns(20)
    assert.equal(runs(), 2)
    await Promise.all(stops.map(stop => stop()))
  })

  it('that is not done comes back when it says, and at once in a process that starts', async () => {
    const { start, until, runs } = counting(async (_context, runs) => (runs < 3 ? { againInMs: 20_000 } : undefined))
    const stop = start()
    await until(1)
    await turns(20)
    host.clock.advance(21_000)
    await until(2)
    await stop()
    const stopNext = start()
    await until(3)
    await turns(20)
    host.clock.advance(21_000)
    await turns(20)
    assert.equal(runs(), 3, 'now it is done for this period')
    await stopNext()
  })

  it('that fails is logged, and tried again after a pause that grows', async () => {
    const { start, until, runs, logged } = counting(async (_context, runs) => {
      if (runs < 3) throw new Error('on purpose')
    })
    const stop = start()
    await until(1)
    while (logged.length === 0) await turn()
    assert.match(logged.join(), /on purpose/)
    host.clock.advance(5_000)
    await until(2)
    while (logged.length < 2) await turn()
    await turns(20)
    host.clock.advance(5_000)
    await turns(20)
    assert.equal(runs(), 2, 'the second pause is longer')
    host.clock.advance(5_000)
    await until(3)
    await stop()
  })

  it('that takes longer than its deadline is aborted, and counts as failed', async () => {
    const { start, until, logged } = counting(async ({ signal }, runs) => {
      if (runs > 1) return
      while (!signal.aborted) await turn()
    })
    const stop = start()
    await until(1)
    await turns(5)
    host.clock.advance(30_000)
    while (logged.length === 0) await turn()
    assert.match(logged.join(), /took longer/)
    host.clock.advance(5_000)
    await until(2)
    await stop()
  })

  it('writes nothing any more once another process has taken its lease over', async () => {
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
    while (outcomes.length === 0) await turn()
    assert.match(outcomes.join(), /was lost/)
    assert.equal((await host.db`select from leases where name = 'written in time'`).length, 1)
    assert.equal((await host.db`select from leases where name = 'written too late'`).length, 0)
    assert.ok(((await lease())?.fence ?? 0) > 1)
    await stop()
  })

  it('is told when the host ends, and waited for', async () => {
    let ended = false
    const { start, until } = counting(async ({ signal }) => {
      while (!signal.aborted) await turn()
      await turn()
      ended = true
    })
    const stop = start()
    await until(1)
    await stop()
    assert.ok(ended)
  })
})
