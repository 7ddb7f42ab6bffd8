import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { startHost } from '../../../../test/host.ts'
import { specimen } from '../../../../test/specimen.ts'
import { services } from '../../index.ts'

const host = await startHost({ services: [...services, specimen] })
const DAY_MS = 24 * 60 * 60_000
const create = async (as = host.home.key) =>
  (await host.call('POST /v1/iam/workspaces', { as, body: { name: 'Growth team' } })).body
const tokenFor = (id: string, body: object = {}, as = host.home.key) =>
  host.call(`POST /v1/iam/workspaces/${id}/tokens`, { as, body })
const write = (token: string) => host.call('POST /v1/specimen/ingest', { as: token, body: {} })

describe('a workspace', () => {
  it('is created, listed newest first, and removed', async () => {
    const [first, second] = [await create(), await create()]
    assert.deepEqual(first, { id: first.id, name: 'Growth team', created: host.clock.now().toISOString() })
    const ids = async () =>
      (await host.call('GET /v1/iam/workspaces')).body.data.map(({ id }: { id: string }) => id).sort()
    assert.deepEqual(await ids(), [first.id, second.id].sort())
    assert.equal((await host.call(`DELETE /v1/iam/workspaces/${first.id}`)).status, 204)
    assert.deepEqual(await ids(), [second.id])
  })

  it('stores its secret sealed', async () => {
    const { id } = await create()
    const [row] = await host.db<{ secret: Uint8Array }>`select secret from workspaces where id = ${id}`
    const { token } = (await tokenFor(id)).body
    const [head, payload, signature] = token.split('.')
    const forged = createHmac('sha256', row?.secret as Uint8Array)
      .update(`${head}.${payload}`)
      .digest('base64url')
    assert.notEqual(forged, signature)
  })
})

describe('a workspace token', () => {
  it('names its organisation, is valid for 30 days, and writes events without a user', async () => {
    const { id } = await create()
    const { status, body } = await tokenFor(id)
    assert.equal(status, 201)
    assert.equal(decodeProtectedHeader(body.token).alg, 'HS256')
    const { owner, workspace, exp } = decodeJwt(body.token)
    assert.deepEqual([owner, workspace], ['home', id])
    assert.equal((exp as number) * 1000, Date.parse(body.expires))
    assert.equal(Date.parse(body.expires) - host.clock.now().getTime(), 30 * DAY_MS)
    const written = await write(body.token)
    assert.equal(written.status, 200, written.text)
    assert.deepEqual(written.body, { org: 'home', project: null, user: null, kind: 'workspace' })
  })

  it('has the given expiry, up to a year', async () => {
    const { id } = await create()
    const at = (ms: number) => new Date(host.clock.now().getTime() + ms).toISOString()
    const { body } = await tokenFor(id, { expires: at(60_000) })
    assert.equal(body.expires, at(60_000))
    for (const ms of [0, -1_000, 367 * DAY_MS]) assert.equal((await tokenFor(id, { expires: at(ms) })).status, 400)
    assert.equal((await tokenFor(id, { expires: '2026-12-31T23:59:60Z' })).status, 400)
    assert.equal((await write(body.token)).status, 200)
    host.clock.advance(60_000)
    const late = await write(body.token)
    assert.deepEqual([late.status, late.body.error.code], [403, 'ingest_key_unknown'])
  })

  it('gives no access to other operations', async () => {
    const { token } = (await tokenFor((await create()).id)).body
    for (const route of ['GET /v1/iam/me', 'GET /v1/projects', 'POST /v1/account/logout']) {
      assert.equal((await host.call(route, { as: token })).status, 403, route)
    }
  })

  it('ends immediately with its workspace', async () => {
    const { id } = await create()
    const { token } = (await tokenFor(id)).body
    assert.equal((await write(token)).status, 200)
    await host.call(`DELETE /v1/iam/workspaces/${id}`)
    assert.equal((await write(token)).status, 403)
  })

  it('cannot be forged: another secret, organisation, workspace or algorithm', async () => {
    const [mine, theirs] = [await create(), await create(host.other.key)]
    const { token } = (await tokenFor(mine.id)).body
    const claims = { owner: 'home', workspace: mine.id }
    const signed = (more: object, typ = 'workspace+jwt') =>
      new SignJWT({ ...claims, ...more }).setProtectedHeader({ alg: 'HS256', typ }).setExpirationTime('1h')
    const guess = new TextEncoder().encode('x'.repeat(43))
    const foreign = (await tokenFor(theirs.id, {}, host.other.key)).body.token as string
    const [head, , signature] = foreign.split('.')
    const none = Buffer.from('{"alg":"none","typ":"workspace+jwt"}').toString('base64url')
    for (const [name, forged] of Object.entries({
      'another secret': await signed({}).sign(guess),
      'no workspace': await signed({ workspace: 'wsp_nowhere' }).sign(guess),
      'their signature over our claims': [head, token.split('.')[1], signature].join('.'),
      'no signature': `${none}.${token.split('.')[1]}.x`,
    })) {
      assert.equal((await write(forged)).status, 403, name)
    }
  })

  it('is issued only to owners and admins of its organisation', async () => {
    const { id } = await create()
    const member = await host.member(host.home.org, 'member')
    assert.equal((await tokenFor(id, {}, member.key)).status, 403)
    assert.equal((await tokenFor(id, {}, host.other.key)).status, 404)
  })
})
