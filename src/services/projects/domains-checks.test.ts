import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY_MS, MINUTE_MS, startChecked } from '../../../test/checked-domains.ts'
import { eventually } from '../../../test/eventually.ts'
import type { TestHost } from '../../../test/host.ts'
import { openPostgres } from '../../engines/db/postgres.ts'
import { openVerifiedHosts } from './verified-hosts.ts'

describe('the daily check of a verified host', () => {
  it('takes the host away when its record is missing on the third day in a row', async t => {
    const host = await startChecked(t)
    const name = 'gone.example.com'
    const attached = await host.makeLive(name)
    await host.makeLive('kept.example.com')
    host.remove(name)
    await host.pass(DAY_MS - MINUTE_MS)
    assert.equal(await host.stateOf(name), 'live 0', 'not before a day has passed')
    const states: string[] = []
    for (let day = 0; day < 3; day++) {
      await host.pass(DAY_MS)
      states.push(await host.stateOf(name))
    }
    assert.deepEqual(states, ['live 1', 'live 2', 'pending 0'])
    assert.equal(await host.stateOf('kept.example.com'), 'live 0')
    const [entry, ...others] = await host.trail('domain.lapse')
    assert.deepEqual(others, [])
    const { id: _, ...rest } = entry
    assert.deepEqual(rest, {
      at: host.clock.now().toISOString(),
      credential: 'stoa',
      what: 'domain.lapse',
      on: `shop/${name}`,
      changes: { status: { from: 'live', to: 'pending' } },
      ip: '',
      requestId: '',
    })
    assert.deepEqual(await host.trail('domain.lapse', host.other.key), [])
    host.publish(name, attached)
    assert.equal((await host.verify(name)).body.status, 'live')
  })

  it('checks a host once a day only', async t => {
    const host = await startChecked(t)
    await host.makeLive('once.example.com')
    host.remove('once.example.com')
    for (let hour = 0; hour < 36; hour++) await host.pass(60 * MINUTE_MS)
    assert.equal(await host.stateOf('once.example.com'), 'live 1')
  })

  it('starts counting again when the record is back', async t => {
    const host = await startChecked(t)
    const name = 'back.example.com'
    const attached = await host.makeLive(name)
    host.remove(name)
    await host.pass(DAY_MS)
    await host.pass(DAY_MS)
    host.publish(name, attached)
    await host.pass(DAY_MS)
    assert.equal(await host.stateOf(name), 'live 0')
    host.remove(name)
    await host.pass(DAY_MS)
    await host.pass(DAY_MS)
    assert.equal(await host.stateOf(name), 'live 2')
    host.publish(name, attached)
    await host.verify(name)
    assert.equal(await host.stateOf(name), 'live 0', 'a check by hand counts as well')
  })

  it('counts only definite answers', async t => {
    const host = await startChecked(t)
    const name = 'silent.example.com'
    await host.makeLive(name)
    host.silence(name)
    for (let day = 0; day < 5; day++) await host.pass(DAY_MS)
    assert.equal(await host.stateOf(name), 'live 0')
    host.remove(name)
    await host.pass(DAY_MS)
    await host.pass(DAY_MS)
    host.silence(name)
    await host.pass(DAY_MS)
    assert.equal(await host.stateOf(name), 'live 2')
    host.txt.set(`_stoa-verify.${name}`, ['v=spf1 -all'])
    await host.pass(DAY_MS)
    assert.equal(await host.stateOf(name), 'pending 0', 'another record is an answer')
  })

  it('ends CORS immediately, in every process', async t => {
    const host = await startChecked(t)
    const name = 'pages.example.com'
    await host.makeLive(name)
    const second = openPostgres({ at: host.database, connectionsMax: 2, queueMax: 10 })
    t.after(() => second.close())
    const isVerifiedThere = await openVerifiedHosts(second, host.clock)
    const isAllowed = async () => {
      const { headers } = await host.call('GET /v1', { headers: { origin: `https://${name}` } })
      return [headers['access-control-allow-origin'] !== undefined, await isVerifiedThere(name, '192.0.2.1')]
    }
    host.remove(name)
    await host.pass(DAY_MS)
    await host.pass(DAY_MS)
    let hasLooked = false
    const proceed = Promise.withResolvers<void>()
    host.engines.dns.txt = async () => {
      hasLooked = true
      await proceed.promise
      return []
    }
    host.clock.advance(DAY_MS)
    await eventually(
      () => hasLooked,
      has => has,
    )
    assert.deepEqual(await isAllowed(), [true, true], 'now it is cached, and the clock stands still from here on')
    proceed.resolve()
    await eventually(isAllowed, allowed => !allowed.includes(true))
  })
})

describe('many verified hosts', () => {
  /** Adds verified hosts that are due for a check. */
  const addHosts = (host: TestHost, count: number) =>
    host.db`insert into domains (org, project, host, token, created, verified)
      select 'home', 'shop', n || '.example.com', 't', ${host.clock.now().toISOString()}, ${host.clock.now().toISOString()}
      from generate_series(1, ${count}::int) as n`
  const checkedIn = async (host: TestHost) => (await host.db`select from domains where checked is not null`).length

  it('are checked in small batches, with few look-ups at the same time', async t => {
    const host = await startChecked(t)
    await addHosts(host, 250)
    let [running, most, asked] = [0, 0, 0]
    host.engines.dns.txt = async () => {
      asked++
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
      return ['stoa-verify=t']
    }
    const checked: number[] = []
    await host.pass(DAY_MS)
    checked.push(await checkedIn(host))
    for (let run = 0; run < 3; run++) {
      await host.pass(MINUTE_MS)
      checked.push(await checkedIn(host))
    }
    assert.deepEqual(checked, [100, 200, 250, 250])
    assert.equal(asked, 250)
    assert.ok(most > 1 && most <= 8, `${most} look-ups at the same time`)
  })

  it('are not checked any more once the host stops', async t => {
    const host = await startChecked(t)
    await addHosts(host, 50)
    let asked = 0
    const proceed = Promise.withResolvers<void>()
    host.engines.dns.txt = async () => {
      asked++
      await proceed.promise
      return []
    }
    host.clock.advance(DAY_MS)
    await eventually(
      () => asked,
      count => count > 1,
    )
    const before = asked
    const drained = host.drain(0)
    proceed.resolve()
    await drained
    assert.equal(asked, before)
  })

  it('are all checked although one cannot be stored', async t => {
    const host = await startChecked(t)
    await addHosts(host, 20)
    await host.db.script(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'refused on purpose'; end $$;
      create trigger refused before update on domains for each row when (old.host = '1.example.com') execute function refuse()`)
    host.clock.advance(DAY_MS)
    await eventually(
      () => checkedIn(host),
      count => count === 19,
    )
    await eventually(
      () => host.logged.join(),
      lines => /"msg":"queues"/.test(lines) && lines.includes('projects.domain-checks: the outcome of the job'),
    )
    host.warnings.length = 0
  })
})
