// Calls of operations that are not tools, at any address or at the chosen one, and of unknown names.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type RequestOptions, startHost } from '../../../test/host.ts'
import { services } from '../index.ts'
import { isWithheld, toolName } from './tools.ts'

const host = await startHost()

const message = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params })
const send = (body: unknown, { path = '', ...options }: RequestOptions & { path?: string } = {}) =>
  host.call(`POST /v1/mcp${path}`, { as: null, body, ...options })
const call = async (name: string, given: object, { path }: { path: string }) =>
  (await send(message('tools/call', { name, arguments: given }), { path, as: host.home.key })).body.result

describe('a tool call', () => {
  it('of an operation that is withheld says so, why, and how to call it, also where tools are found', async () => {
    const withheld = services.flatMap(({ operations }) => Object.values(operations)).filter(isWithheld)
    assert.ok(withheld.length > 10)
    for (const operation of withheld) {
      const name = toolName(operation)
      const route = `${operation.method} ${operation.path}`
      for (const path of ['', '?tools=find', '?service=projects&readOnly=1']) {
        for (const { isError, content, _meta } of [
          await call(name, {}, { path }),
          await call('tools_call', { name, arguments: {} }, { path }),
          await call('tools_describe', { name }, { path }),
        ]) {
          assert.deepEqual([isError, _meta['stoa/error'].status], [true, 403], name)
          const [line = ''] = content[0].text.split('\n')
          assert.ok(line.startsWith(`forbidden: ${name} is withheld: its `) || name === 'post_v1_mcp', line)
          assert.ok(line.endsWith(` Call ${route} over HTTP instead.`), line)
        }
      }
    }
  })

  it('of a tool that the address leaves out says which address has it', async () => {
    const path = '?readOnly=1'
    assert.equal((await call('get_v1_projects', {}, { path })).isError, undefined)
    const write = await call('delete_v1_projects_by_slug', { slug: 'x' }, { path })
    assert.equal(write.isError, true)
    assert.match(
      write.content[0].text,
      /^forbidden: delete_v1_projects_by_slug is not a tool at this address: `readOnly=1` .* It is available at \/v1\/mcp\.\n/,
    )
    const other = { ...message('tools/call', { name: 'get_v1_iam_members' }), service: 'iam', tools: [], readOnly: '0' }
    const { body } = await send(other, { path: '?service=projects', as: host.home.key })
    assert.deepEqual([body.id, body.result?.isError], [1, true], 'the address decides, not the message')
    assert.match(
      body.result.content[0].text,
      /`service=projects` leaves out other services\. It is available at \/v1\/mcp\./,
    )
  })

  it('of an operation that is withheld or left out needs a credential, as every call', async () => {
    for (const [name, path] of [
      ['post_v1_account_keys', ''],
      ['delete_v1_projects_by_slug', '?readOnly=1'],
    ] as const) {
      for (const sent of [
        message('tools/call', { name }),
        message('tools/call', { name: 'tools_describe', arguments: { name } }),
      ]) {
        const { status, body } = await send(sent, { path })
        assert.deepEqual([status, body.result?.isError], [200, true])
        assert.match(body.result.content[0].text, /^credential_required: /)
      }
    }
  })

  it('of an unknown name suggests similar names', async () => {
    const said = async (name: string, path = '') =>
      (await send(message('tools/call', { name }), { path, as: host.home.key })).body.error.message as string
    assert.match(await said('get_v1_erors'), /^There is no tool get_v1_erors\. Similar tools are get_v1_errors\b/)
    assert.match(await said('list_projects'), /get_v1_projects/)
    assert.match(await said('get_v1_risk_reference_set'), /get_v1_risk_reference_by_set/)
    assert.equal(await said('☃'), 'There is no tool ☃. `tools/list` lists all.')
    assert.doesNotMatch(await said('delete_v1_projects', '?readOnly=1'), /Similar tools.*delete_/)
    const startedMs = performance.now()
    assert.ok((await said('get_v1_'.repeat(100_000))).length < 500)
    assert.ok(performance.now() - startedMs < 1_000)
  })
})
