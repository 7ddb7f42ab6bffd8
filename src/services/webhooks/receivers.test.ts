// Endpoints that behave badly: connections that break, answers without end, certificates that are not valid.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { eventually } from '../../../test/eventually.ts'
import { startReceiver } from '../../../test/webhook-receiver.ts'
import { arrived, ended, type Row, startWebhooks } from '../../../test/webhook-world.ts'
import { manualClock, systemClock } from '../../engines/clock/clock.ts'
import { systemRandom as random } from '../../engines/random/random.ts'
import { makeAuthority, makeLeaf } from '../../engines/tls/authority.ts'

const authority = await makeAuthority({ clock: systemClock, random })
const { receiver, newEndpoint, answerWith } = await startWebhooks({ ca: authority.cert })

async function failure(): Promise<Row> {
  const { send, rows } = await newEndpoint()
  await send()
  const [row] = (await ended(rows, 'retrying')) as [Row]
  return row
}

describe('a connection that is reset', () => {
  it('before the head of the answer', async () => {
    receiver.state.answer = (_response, _delivered, request) => receiver.reset(request)
    assert.match((await failure()).error ?? '', /^It (closed|reset) the connection before its response was complete/)
  })

  it('within the head', async () => {
    receiver.state.answer = (response, _delivered, request) => {
      response.socket?.write('HTTP/1.1 200 OK\r\nx-cut', () => receiver.reset(request))
    }
    assert.match((await failure()).error ?? '', /^It (closed|reset) the connection before its response was complete/)
  })

  it('after the head, before the end of the body', async () => {
    receiver.state.answer = (response, _delivered, request) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => setTimeout(() => receiver.reset(request), 20))
    }
    const { httpStatus, error, response } = await failure()
    assert.deepEqual([httpStatus, response], [200, 'half'])
    assert.match(error ?? '', /^It (closed|reset) the connection before its response was complete/)
  })

  it('between two deliveries', async () => {
    answerWith(200)
    const { send, rows, received } = await newEndpoint()
    await send()
    await ended(rows, 'ok')
    receiver.reset()
    await eventually(receiver.connections, count => count === 0)
    await send()
    await arrived(received, 2)
    const [row] = (await eventually(rows, all => all.length === 2)) as [Row]
    assert.deepEqual([row.attempt, row.status], [1, 'ok'])
  })
})

describe('an answer', () => {
  it('that redirects is a failure, and the redirection is not followed', async () => {
    answerWith(302, '', { location: `${receiver.url}/elsewhere` })
    const { httpStatus, error } = await failure()
    assert.deepEqual([httpStatus, error], [302, 'It answered 302; redirects are not followed.'])
    assert.ok(!receiver.received.some(({ path }) => path === '/elsewhere'))
  })

  it('with a head of 100 KB is a failure', async () => {
    answerWith(200, '', { 'x-long': 'x'.repeat(100_000) })
    assert.match((await failure()).error ?? '', /^The header of its response is too long/)
  })

  it('that is no HTTP is a failure', async () => {
    receiver.state.answer = response => void response.socket?.end('220 mail.example.com ESMTP\r\n')
    assert.match((await failure()).error ?? '', /^Its response is not valid HTTP/)
  })

  it('with broken chunks is a failure', async () => {
    receiver.state.answer = response =>
      void response.socket?.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n')
    assert.match((await failure()).error ?? '', /^Its response is not valid HTTP/)
  })

  it('after informational ones counts, however many there are', async () => {
    receiver.state.answer = response => {
      for (let count = 0; count < 1_000; count++) response.writeEarlyHints({ link: '</style.css>; rel=preload' })
      response.writeHead(201).end('made')
    }
    const { send, rows } = await newEndpoint()
    await send()
    const [row] = (await ended(rows, 'ok')) as [Row]
    assert.deepEqual([row.httpStatus, row.response], [201, 'made'])
  })

  it('without end is read no further than its beginning', async () => {
    const { send, rows } = await newEndpoint()
    let isClosed = false
    receiver.state.answer = response => {
      response.writeHead(200)
      const more = () => response.write('x'.repeat(65_536)) && setImmediate(more)
      response.on('drain', more).once('close', () => {
        isClosed = true
        response.removeListener('drain', more)
      })
      more()
    }
    await send()
    const [row] = (await ended(rows, 'ok')) as [Row]
    assert.equal(row.response, 'x'.repeat(1_000))
    await eventually(() => isClosed, Boolean)
  })

  it('that is compressed is not expanded', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024))
    receiver.state.answer = response => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    const { send, rows } = await newEndpoint()
    await send()
    const [row] = (await ended(rows, 'ok')) as [Row]
    assert.equal(row.response, undefined)
  })

  it('that does not end within 10 s is a failure, whether its head arrived or not', async () => {
    const drips: NodeJS.Timeout[] = []
    receiver.state.answer = (response, { path }) => {
      if (path.endsWith('silent')) return
      response.writeHead(200)
      drips.push(setInterval(() => response.write('.'), 100))
    }
    const [slow, silent] = [await newEndpoint(), await newEndpoint({ url: `${receiver.url}/silent` })]
    await Promise.all([slow.send(), silent.send()])
    const [[one], [other]] = (await Promise.all([ended(slow.rows, 'retrying'), ended(silent.rows, 'retrying')])) as [
      [Row],
      [Row],
    ]
    for (const timer of drips) clearInterval(timer)
    for (const { error, durationMs } of [one, other]) {
      assert.equal(error, 'It did not answer within 10 s.')
      assert.ok(durationMs >= 9_900)
    }
  })

  it('is kept as text that can be shown', async () => {
    receiver.state.answer = response => void response.end(Buffer.from([0x61, 0, 0xff, 0x62]))
    const { send, rows } = await newEndpoint()
    await send()
    const [row] = (await ended(rows, 'ok')) as [Row]
    assert.equal(row.response, 'a\ufffd\ufffdb')
  })
})

describe('a certificate', () => {
  const past = manualClock(new Date(Date.now() - 400 * 86_400_000).toISOString())
  const cases = {
    'that has expired': () => makeLeaf(authority, ['127.0.0.1'], { clock: past, random }),
    'of another host': () => makeLeaf(authority, ['other.example.com'], { clock: systemClock, random }),
    'of an unknown authority': async () =>
      makeLeaf(await makeAuthority({ clock: systemClock, random }), ['127.0.0.1'], { clock: systemClock, random }),
    'of its own': () => makeAuthority({ clock: systemClock, random }),
  }
  for (const [what, make] of Object.entries(cases)) {
    it(`${what} is not accepted`, async t => {
      const other = await startReceiver(await make())
      t.after(other.close)
      const { send, rows } = await newEndpoint({ url: `${other.url}/` })
      await send()
      const [row] = (await ended(rows, 'retrying')) as [Row]
      assert.match(row.error ?? '', /^It could not be reached: .*(CERT|ERR_TLS|VERIFY|SELF_SIGNED|INVALID_PURPOSE)/)
      assert.equal(other.received.length, 0)
    })
  }

  it('that is valid is', async t => {
    const other = await startReceiver(await makeLeaf(authority, ['127.0.0.1'], { clock: systemClock, random }))
    t.after(other.close)
    const { send, rows } = await newEndpoint({ url: `${other.url}/` })
    await send()
    await ended(rows, 'ok')
  })

  it('is not requested with TLS 1.1', async t => {
    const other = await startReceiver({ maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' })
    t.after(other.close)
    const { send, rows } = await newEndpoint({ url: `${other.url}/` })
    await send()
    assert.match(((await ended(rows, 'retrying'))[0] as Row).error ?? '', /^It could not be reached: /)
  })
})
