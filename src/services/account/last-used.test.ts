import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { holdLock } from '../../../test/database.ts'
import { eventually } from '../../../test/eventually.ts'
import { startHost } from '../../../test/host.ts'
import { keyCalls } from '../../../test/keys.ts'
import { openPostgres } from '../../engines/db/postgres.ts'
import { openKeyring } from './keyring.ts'

const host = await startHost()
const { made, use, listed } = keyCalls(host)

describe('the last use of a key', () => {
  it('is exact to the minute, with one write per minute and not per request', async () => {
    const { id, key } = await made()
    assert.ok(!('lastUsed' in (await listed(id))))
    const first = host.clock.now().toISOString()
    for (let at = 0; at < 20; at++) await use(key)
    await host.keyring.flush()
    assert.equal((await listed(id)).lastUsed, first)
    const writes = async () => (await host.db<{ xmin: string }>`select xmin::text from keys where id = ${id}`)[0]?.xmin
    const before = await writes()
    host.clock.advance(59_000)
    await use(key)
    await host.keyring.flush()
    assert.equal(await writes(), before)
    host.clock.advance(1_000)
    await use(key)
    await host.keyring.flush()
    assert.equal((await listed(id)).lastUsed, host.clock.now().toISOString())
  })

  const secondKeyring = async (t: TestContext) => {
    const db = openPostgres({ at: host.database, connectionsMax: 2, queueMax: 10 })
    t.after(db.close)
    const warnings: unknown[] = []
    return {
      ...(await openKeyring({
        db,
        clock: host.clock,
        seal: host.engines.seal,
        warn: error => warnings.push(error),
        verifyToken: async () => null,
        refusedPerMinute: 300,
      })),
      warnings,
    }
  }

  it('is written a second later, and when the host stops', async t => {
    const other = await startHost({ beside: host }, t)
    const [first, second] = [await made(), await made()]
    await other.call('GET /v1/projects', { as: first.key })
    other.clock.advance(1_000)
    await eventually(
      () => listed(first.id),
      one => 'lastUsed' in one,
    )
    await other.call('GET /v1/projects', { as: second.key })
    await other.drain(0)
    assert.ok('lastUsed' in (await listed(second.id)))
  })

  it('is written for others while the row of one key is locked, and for that one later', async () => {
    const [locked, other] = [await made(), await made()]
    for (const { key } of [locked, other]) await use(key)
    const release = await holdLock(host.db, tx => tx`select from keys where id = ${locked.id} for update`)
    await host.keyring.flush()
    assert.ok('lastUsed' in (await listed(other.id)))
    await release()
    await host.keyring.flush()
    assert.ok('lastUsed' in (await listed(locked.id)))
  })

  it('never moves back, whichever process writes last', async t => {
    const [late, ended] = [await secondKeyring(t), await secondKeyring(t)]
    const { id, key } = await made()
    await late.secretKey(key, '127.0.0.1')
    host.clock.advance(60_000)
    await ended.secretKey(key, '127.0.0.1')
    await ended.flush()
    const last = (await listed(id)).lastUsed
    assert.equal(last, host.clock.now().toISOString())
    await late.flush()
    assert.equal((await listed(id)).lastUsed, last)
  })

  it('is written later if a write fails', async t => {
    const { secretKey, flush, warnings } = await secondKeyring(t)
    const { id, key } = await made()
    await host.keyring.flush()
    await secretKey(key, '127.0.0.1')
    await host.db.script('alter table keys rename last_used to hidden')
    await flush()
    await host.db.script('alter table keys rename hidden to last_used')
    assert.ok(warnings.length > 0)
    await flush()
    assert.equal((await listed(id)).lastUsed, host.clock.now().toISOString())
  })

  it('does not invalidate the cached key, and neither does spending', async () => {
    const [{ id, key }, other] = [await made(), await made()]
    await use(key)
    await use(other.key)
    await host.keyring.flush()
    await host.db`update keys set spent = spent + 1 where id = ${id}`
    await host.call(`DELETE /v1/account/keys/${other.id}`)
    // Notifications arrive in order: by now one about the first key would have arrived.
    await eventually(
      () => use(other.key),
      ({ status }) => status === 401,
    )
    assert.ok(!(host.keyring.secretKey(key, '127.0.0.1') instanceof Promise), 'the key is cached')
  })
})
