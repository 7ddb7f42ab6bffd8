// What interrupts an import: failures before, within and after a portion, a process that dies, and a bound.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../../../test/eventually.ts'
import { startHost, type TestHost } from '../../../../test/host.ts'
import { type ImportReport, importing, startImports } from '../../../../test/imports.ts'
import { losable } from '../../../../test/queue-world.ts'
import { type Database, EngineUnavailable, type Tx } from '../../../engines/engines.ts'

type Work = (tx: Tx) => Promise<unknown>
type Around = (portion: number, run: (work?: (done: unknown) => unknown) => Promise<unknown>) => Promise<unknown>

/** The organisation whose imports are interrupted. */
const ORG = 'interrupted'

/** Counts the transactions of its imports, and has `around` run each of them. What that gives to `run` is done before the
 *  commit. */
function watched(db: Database, plan: { around: Around; count: number }): Database {
  const ofOrg = (own: Database) =>
    new Proxy(own, {
      get: (of, name) => {
        if (name !== 'transaction') return Reflect.get(of, name)
        return (work: Work) =>
          plan.around(++plan.count, (last = done => done) => of.transaction(async (tx: Tx) => last(await work(tx))))
      },
    })
  return new Proxy(db, {
    get: (of, name) => {
      const value = Reflect.get(of, name)
      if (name !== 'background') return value
      return new Proxy(value as Database, {
        get: (background, inner) => {
          const one = Reflect.get(background, inner)
          if (inner !== 'for') return one
          return (user: string) => (user === ORG ? ofOrg(one.call(background, user)) : one.call(background, user))
        },
      })
    },
  })
}

const planOf = (around: Around = (_, run) => run()) => ({ around, count: 0 })
const down = () => new EngineUnavailable('db', 'down')
const records = (count: number, name: string) =>
  Array.from({ length: count }, (_, n) => ({ email: `${name}${n}@example.com`, name: `Number ${n}` }))

/** Each record became one customer, with one event. */
async function assertOnce({ db }: TestHost, org: string, count: number): Promise<void> {
  const [row] = await db<object>`select count(*) as all, count(distinct email) as addresses,
    (select count from customer_counts where org = ${org}) as counted,
    (select count(distinct customer) from customer_terms where org = ${org}) as found,
    (select count(*) from bus_log where tenant = ${org} and subject = 'iam.user.created') as events
    from customers where org = ${org}`
  assert.deepEqual(row, { all: count, addresses: count, counted: count, found: count, events: count })
}

/** Without the pauses between attempts. */
const finishedSoon = async (host: TestHost, id: string, as: string): Promise<ImportReport> =>
  eventually(
    async () => {
      host.clock.advance(10 * 60_000)
      return (await importing(host).read(id, as)).body
    },
    ({ status }) => status === 'done',
  )

describe('an import that is interrupted', () => {
  it('goes on after portions that fail before, within and after their commit', async () => {
    const plan = planOf()
    const { host, request } = await startImports({ wrapDb: db => watched(db, plan) })
    const { key, org } = await host.organisation(ORG)
    plan.around = async (portion, run) => {
      if (portion === 2) throw down()
      if (portion === 4) {
        await run()
        throw new EngineUnavailable('db', 'unknown')
      }
      return portion === 6 ? run(() => Promise.reject(down())) : run()
    }
    const { body } = await request(records(1_000, 'flaky'), {}, key)
    const report = await finishedSoon(host, body.id, key)
    assert.deepEqual([report.added, report.failed, report.data], [1_000, 0, []])
    assert.ok(plan.count > 10)
    await assertOnce(host, org, 1_000)
    host.warnings.length = 0
  })

  it('is finished by another process if its own dies', async t => {
    const lost: [{ isLost: boolean }, { isLost: boolean }] = [{ isLost: false }, { isLost: false }]
    const plan = planOf()
    let died: number | null = null
    const wrapped = (n: 0 | 1) => (db: Database) => {
      const around: Around = (portion, run) => {
        if (portion === 4 && died === null) {
          died = n
          lost[n].isLost = true
        }
        return run()
      }
      return watched(losable(db, lost[n]), Object.assign(n === 0 ? plan : planOf(), { around }))
    }
    const { host, request } = await startImports({ wrapDb: wrapped(0) })
    const beside = await startHost({ beside: host, now: 'real', runsBackground: true, wrapDb: wrapped(1) }, t)
    const { key, org } = await host.organisation(ORG)
    const { body } = await request(records(1_000, 'dying'), {}, key)
    await eventually(
      () => died,
      one => one !== null,
    )
    const survivor = died === 0 ? beside : host
    const report = await importing(survivor).finished(body.id, key)
    assert.deepEqual([report.added, report.failed], [1_000, 0])
    for (const one of lost) one.isLost = false
    await assertOnce(host, org, 1_000)
    for (const one of [host, beside]) one.warnings.length = 0
  })

  it('ends with a report if it cannot be done, and nothing is half done', async () => {
    const plan = planOf(async (portion, run) => (portion === 1 ? run() : Promise.reject(down())))
    const { host, request } = await startImports({ wrapDb: db => watched(db, plan) })
    const { key, org } = await host.organisation(ORG)
    const { body } = await request(records(120, 'never'), {}, key)
    const report = await finishedSoon(host, body.id, key)
    assert.deepEqual([report.total, report.added, report.failed, report.data.length], [120, 100, 20, 20])
    assert.deepEqual(report.data[0], {
      ...{ line: 101, email: 'never100@example.com', problem: 'failed' },
      says: 'It could not be imported because of an internal error; send it again.',
    })
    await assertOnce(host, org, 100)
    plan.around = (_, run) => run()
    const { finished } = importing(host)
    const again = await finished((await request(records(120, 'never'), {}, key)).body.id, key)
    assert.deepEqual([again.added, again.failed], [20, 100])
    host.warnings.length = 0
  })
})

describe('an import beyond the bound of customers', () => {
  it('adds as many as there is room for, and reports the others', async () => {
    const { host, run } = await startImports({ settings: { STOA_CUSTOMERS_MAX: 130 } })
    const report = await run(records(150, 'bound'))
    assert.deepEqual([report.added, report.failed], [130, 20])
    assert.deepEqual(
      report.data.map(({ line, problem }: { line: number; problem: string }) => [line, problem]),
      Array.from({ length: 20 }, (_, n) => [131 + n, 'bound']),
    )
    assert.equal(report.data[0].says, 'An organisation can have at most 130 customers. Delete one first.')
    await assertOnce(host, 'home', 130)
    const replaced = await run(records(150, 'bound'), { replace: true })
    assert.deepEqual([replaced.replaced, replaced.failed], [130, 20])
  })
})
