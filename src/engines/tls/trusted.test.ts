import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { CA } from '../../../test/host.ts'
import { startReceiver } from '../../../test/webhook-receiver.ts'
import { systemClock as clock } from '../clock/clock.ts'
import { openHttp } from '../http/http.ts'
import { systemRandom as random } from '../random/random.ts'
import { makeAuthority, makeLeaf } from './authority.ts'

describe('additional certificate authorities', () => {
  it("are trusted in addition to Node's", async t => {
    const known = getCACertificates('default')
    setDefaultCACertificates([...known, CA()])
    const authority = await makeAuthority({ clock, random })
    const http = openHttp({ allow: ['127.0.0.1'], ca: authority.cert })
    const servers = [
      await startReceiver(),
      await startReceiver(await makeLeaf(authority, ['127.0.0.1'], { clock, random })),
    ]
    t.after(async () => {
      setDefaultCACertificates(known)
      await http.close()
      for (const { close } of servers) close()
    })
    for (const { url } of servers) {
      const { status, body } = await http.send({ method: 'GET', url, timeoutMs: 10_000, bodyBytesMax: 100 })
      assert.equal(status, 200)
      for await (const _ of body);
    }
  })
})
