import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, it } from 'node:test'
import { Agent, request } from 'undici'
import { eventually } from '../../../test/eventually.ts'
import { CA, startHost } from '../../../test/host.ts'
import { riskCalls } from '../../../test/publishers.ts'
import { openHttp } from '../../engines/http/http.ts'

/** Starts to send its list and never finishes. */
let requests = 0
const mirror = createServer((_, response) => {
  requests++
  response.writeHead(200, { 'content-length': '1000' }).write('mailinator.com\n')
})
await new Promise<void>(resolve => mirror.listen(0, '127.0.0.1', resolve))
const http = openHttp({ allow: [] })
const host = await startHost({
  http,
  riskMirror: `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`,
})
const agent = new Agent({ connect: { ca: CA() } })
after(async () => {
  await agent.destroy()
  await http.close()
  mirror.closeAllConnections()
  mirror.close()
})

it('logs no error and records no refusal when a client disconnects during a refresh', async () => {
  const client = new AbortController()
  const response = request(`${host.baseUrl}/v1/risk/reference/refresh`, {
    dispatcher: agent,
    method: 'POST',
    signal: client.signal,
    headers: { authorization: `Bearer ${host.admin.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ set: 'domain' }),
  })
  await eventually(
    () => requests,
    count => count === 1,
  )
  client.abort()
  await assert.rejects(response)
  const ended = await eventually(
    () => host.logged.find(line => line.includes('refreshReference')),
    line => line !== undefined,
  )
  assert.match(ended as string, /"level":30/)
  const leases = () => host.db`select * from leases where name = 'risk domain' and until > clock_timestamp()`
  await eventually(leases, rows => rows.length === 0)
  assert.equal(requests, 1, 'the other source is not fetched after the client disconnected')
  assert.deepEqual(
    host.logged.filter(line => !line.startsWith('{"level":30')),
    [],
  )
  const sources = await host.db<{ refusal: string | null }>`select * from risk_sources`
  assert.deepEqual(
    sources.filter(({ refusal }) => refusal !== null),
    [],
  )
  assert.equal((await riskCalls(host).setOf('domain')).sources.length, 2)
})
