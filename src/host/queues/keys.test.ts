// Keys used by many transactions, thousands of keys, and keys that a process holds without knowing it.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../../test/eventually.ts'
import { jobs, newQueue, startQueues } from '../../../test/queue-world.ts'
import { type Database, EngineUnavailable } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'

const plain = newQueue('keys.plain')
/** Whether the response to the next claim is lost after its commit. */
let losesClaim = false
const { host, add, endsOf, endedOf } = await startQueues([plain.queue], { wrapDb: losingClaims })
const org = 'home' as OrgId

function losingClaims(db: Database): Database {
  return new Proxy(db, {
    get: (of, name) => {
      const value = Reflect.get(of, name)
      if (name === 'for') return (user: string) => losingClaims(value(user))
      if (name === 'background') return losingClaims(value)
      return name === 'autocommit' ? new Proxy(value, { apply: losingAnswer }) : value
    },
  })
}

async function losingAnswer(run: (...all: unknown[]) => Promise<object[]>, _: unknown, given: unknown[]) {
  const rows = await run(...given)
  if (!losesClaim || rows.length === 0 || !String(given[0]).includes('set holder =')) return rows
  losesClaim = false
  throw new EngineUnavailable('db', 'down')
}

describe('two transactions that add to the same keys in a different order', () => {
  it('do not wait for each other', async () => {
    const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
    const addAll = (keys: readonly string[], at: 0 | 1) =>
      host.db.transaction(async tx => {
        for (const key of keys) {
          await host.jobs.add(tx, plain.queue, [{ key, org, payload: { n: 1 } }])
          both[at].resolve()
          await both[1 - at]?.promise
        }
      })
    await Promise.all([addAll(['first', 'second'], 0), addAll(['second', 'first'], 1)])
    const rows = await endedOf(plain.queue, 4)
    assert.deepEqual(rows.map(({ key }) => key).sort(), ['first', 'first', 'second', 'second'])
  })
})

describe('keys whose claim was not acknowledged', () => {
  it('are claimed again', async () => {
    losesClaim = true
    await add(plain.queue, jobs(1, 0, { key: 'unanswered' }))
    await eventually(
      () => endsOf(plain.queue),
      rows => rows.some(({ key }) => key === 'unanswered'),
    )
    assert.equal(losesClaim, false)
    host.warnings.length = 0
  })
})

describe('thousands of keys', () => {
  it('are released in less time than their jobs took', async () => {
    const before = (await endsOf(plain.queue)).length
    const many = Array.from({ length: 6_000 }, (_, n) => ({ key: `many-${n}`, payload: { n } }))
    const startMs = performance.now()
    await add(plain.queue, many)
    const ends = () => host.db<{ count: number }>`select count(*) from ends`
    await eventually(ends, ([row]) => (row?.count ?? 0) >= before + many.length)
    const workedMs = performance.now() - startMs
    host.clock.advance(6_000)
    const releasedMs = performance.now()
    const left = () => host.db<{ count: number }>`select count(*) from queue_keys where key like 'many-%'`
    await eventually(left, ([row]) => row?.count === 0)
    assert.ok(performance.now() - releasedMs < workedMs, `${performance.now() - releasedMs} ms, ${workedMs} ms`)
  })
})
