import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from 'undici'
import { startHost } from '../../test/host.ts'

const host = await startHost()
const metrics = async (path = '/metrics') => {
  const { statusCode, headers, body } = await request(`http://127.0.0.1:${host.metricsPort}${path}`)
  return { status: statusCode, type: headers['content-type'], text: await body.text() }
}

describe('metrics', () => {
  it('count requests by operation, method and status, and show the load of the database', async () => {
    await host.call('GET /v1/projects')
    await host.call('GET /v1/projects')
    await host.call('GET /v1/projects', { as: null })
    await host.call('GET /nowhere')
    const { status, type, text } = await metrics()
    assert.equal(status, 200)
    assert.match(String(type), /^text\/plain; version=0\.0\.4/)
    assert.match(text, /stoa_request_seconds_count\{operation="listProjects",method="GET",status="200"\} 2/)
    assert.match(text, /stoa_request_seconds_count\{operation="listProjects",method="GET",status="401"\} 1/)
    assert.match(text, /stoa_request_seconds_count\{operation="none",method="any",status="404"\} 1/)
    for (const profile of ['requests', 'background', 'analytics']) {
      assert.ok(text.includes(`stoa_db_calls{profile="${profile}",state="waiting"} 0`), profile)
    }
    assert.match(text, /process_cpu_seconds_total/)
    assert.match(text, /stoa_build_info\{version="0\.0\.0-test",node="v\d+\.\d+\.\d+"\} 1/)
  })

  it('have the samples of all services together', async () => {
    const { text } = await metrics()
    const lines = text.split('\n').filter(line => line.includes('stoa_thread_waiting'))
    assert.deepEqual(
      lines.map(line => line.split(' ', 2).join(' ')),
      [
        '# HELP',
        '# TYPE',
        ...['local-embed', 'risk', 'risk-overrides'].map(name => `stoa_thread_waiting{thread="${name}"} 0`),
      ],
    )
  })

  it('are not served on the API port, and their port serves nothing else', async () => {
    assert.equal((await host.call('GET /metrics')).status, 404)
    assert.equal((await metrics('/v1')).status, 404)
  })
})
