import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'
import { type Database, EngineUnavailable } from '../../engines/engines.ts'

const ping = { mail: async () => {}, db: async () => {} }
const failing = (state: EngineUnavailable['state'], engine: 'db' | 'mail') => async () => {
  throw new EngineUnavailable(engine, state)
}
const wrapDb = (db: Database): Database =>
  new Proxy(db, {
    get: (target, name) => {
      if (name === 'ping') return () => ping.db()
      return name === 'analytics' || name === 'background' ? wrapDb(target[name]) : Reflect.get(target, name)
    },
  })
const host = await startHost({ wrapDb, mail: { driver: 'SMTP', kept: null, ping: () => ping.mail() } })
const engines = async () => {
  const { status, body, text } = await host.call('GET /v1/o11y/engines', { as: host.admin.key })
  assert.equal(status, 200, text)
  return Object.fromEntries(body.engines.map(({ name, ...rest }: { name: string }) => [name, rest]))
}

describe('GET /v1/o11y/engines', () => {
  it('lists what this host stores and sends with, and the facts of the database', async () => {
    const { db, log, warehouse, mail } = await engines()
    assert.deepEqual([db.driver, db.status], ['embedded PostgreSQL', 'up'])
    assert.match(db.version, /^1[5-9]\./)
    assert.ok(db.bytes > 1_000_000 && db.connections.used >= 1 && db.connections.max >= db.connections.used)
    assert.deepEqual([log.driver, log.status, warehouse.driver], ['PostgreSQL', 'up', 'PostgreSQL'])
    assert.equal(typeof log.bytes, 'number')
    assert.deepEqual(mail, { driver: 'SMTP', status: 'up' })
  })

  it('says which are down or full, and answers', async t => {
    t.after(() => Object.assign(ping, { mail: async () => {}, db: async () => {} }))
    ping.mail = failing('down', 'mail')
    ping.db = failing('full', 'db')
    const { db, log, mail } = await engines()
    assert.deepEqual([db.status, log.status, mail.status], ['full', 'full', 'down'])
    ping.db = failing('unknown', 'db')
    assert.equal((await engines()).db.status, 'down')
  })

  it('is for superadmins', async () => {
    assert.equal((await host.call('GET /v1/o11y/engines')).status, 403)
  })
})
