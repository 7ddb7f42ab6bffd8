// Derived from the declarations: the settings of organisations.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { declaredSettings, type Values } from './declared-settings.ts'
import { startHost } from './host.ts'

const host = await startHost()
const beside = await startHost({ beside: host })

let made = 0
const newOrg = () => host.organisation(`settings-${made++}`)

it('several services declare settings', () => assert.ok(declaredSettings.length > 2))

for (const { service, path, defaults, others, fields } of declaredSettings) {
  const read = async (as: string, at = host) => (await at.call(`GET ${path}`, { as })).body
  const change = (as: string, body: Values, at = host) => at.call(`PATCH ${path}`, { as, body })

  describe(`the settings of ${service}`, () => {
    it('have their defaults until they are changed', async () => {
      const { key } = await newOrg()
      assert.deepEqual(await read(key), defaults)
      assert.deepEqual((await change(key, {})).body, defaults)
      assert.deepEqual((await host.db`select from org_settings where org = ${`settings-${made - 1}`}`).length, 0)
    })

    it('are changed field by field, of one organisation', async () => {
      const [{ key }, other] = [await newOrg(), await newOrg()]
      let expected = defaults
      for (const [field, value] of others) {
        expected = { ...expected, [field]: value }
        assert.deepEqual((await change(key, { [field]: value })).body, expected)
        assert.deepEqual(await read(key), expected)
      }
      assert.deepEqual(await read(other.key), defaults)
      assert.deepEqual((await change(key, defaults)).body, defaults)
    })

    it('have no other fields', async () => {
      const { key } = await newOrg()
      const [field, value] = others[0] as [string, unknown]
      const { status, body } = await change(key, { [field]: value, mistyped: 1 })
      assert.deepEqual([status, body.error.param], [400, 'mistyped'])
      assert.deepEqual(await read(key), defaults)
    })

    it('are changed only by admins', async () => {
      const { org } = await newOrg()
      const member = await host.member(org, 'member')
      assert.equal((await change(member.key, {})).status, 403)
      assert.deepEqual(await read(member.key), defaults)
    })

    it('are updated in every process, even where they are cached', async () => {
      const { org, key } = await newOrg()
      for (const at of [host, beside]) assert.deepEqual(await at.orgSettings.of(fields, org), defaults)
      const [field, value] = others[0] as [string, unknown]
      await change(key, { [field]: value })
      assert.deepEqual(await host.orgSettings.of(fields, org), { ...defaults, [field]: value })
      await beside.db.waitForNotifications()
      const cached = beside.orgSettings.of(fields, org)
      assert.deepEqual(await cached, { ...defaults, [field]: value })
      assert.equal(beside.orgSettings.of(fields, org), await cached, 'it is cached')
    })

    it('keep all concurrent changes by different processes', async () => {
      for (let round = 0; round < 5; round++) {
        const { key } = await newOrg()
        const answers = await Promise.all(
          others.map(([field, value], at) => change(key, { [field]: value }, at % 2 ? beside : host)),
        )
        for (const { status, text } of answers) assert.equal(status, 200, text)
        const all = Object.fromEntries(others)
        assert.deepEqual(await read(key), all)
        const isSeen = answers.some(({ body }) => isDeepStrictEqual(body, all))
        assert.ok(isSeen, 'the last one has seen the others')
      }
    })

    it('preserve fields stored by another version', async () => {
      const { org, key } = await newOrg()
      await host.db`insert into org_settings values (${org}, ${service}, '{"later": 1}')`
      assert.deepEqual(await read(key), defaults)
      const [field, value] = others[0] as [string, unknown]
      await change(key, { [field]: value })
      const [row] = await host.db<{ chosen: Values }>`select chosen from org_settings where org = ${org}`
      assert.deepEqual(row?.chosen, { later: 1, [field]: value })
    })
  })
}
