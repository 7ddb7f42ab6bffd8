import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import packet from 'dns-packet'
import { openDns } from './dns.ts'

/** The records of a name server on loopback; it answers NXDOMAIN for all other names. */
const records = new Map<string, string[][] | 'SERVFAIL' | 'silence'>()
const server = await nameServer()
const { port } = server.address() as AddressInfo
const dns = openDns([`127.0.0.1:${port}`])
after(() => server.close())

describe('dns.txt', () => {
  it('returns each record as one string', async () => {
    records.set('a.example', [['one'], ['t'.repeat(255), 'wo']])
    assert.deepEqual((await dns.txt('a.example'))?.sort(), ['one', `${'t'.repeat(255)}wo`])
  })

  it('returns an empty list for a name that does not exist', async () => {
    assert.deepEqual(await dns.txt('missing.example'), [])
  })

  it('does not cache', async () => {
    records.set('moving.example', [['before']])
    assert.deepEqual(await dns.txt('moving.example'), ['before'])
    records.set('moving.example', [['after']])
    assert.deepEqual(await dns.txt('moving.example'), ['after'])
    records.delete('moving.example')
    assert.deepEqual(await dns.txt('moving.example'), [])
  })

  it('returns null when the server fails or does not answer', async () => {
    records.set('broken.example', 'SERVFAIL').set('slow.example', 'silence')
    assert.equal(await dns.txt('broken.example'), null)
    assert.equal(await dns.txt('slow.example'), null)
  })

  it('returns an empty list or null for an invalid name, and never throws', async () => {
    for (const text of ['', '.', 'a..b', 'x'.repeat(300), 'ä.example']) {
      assert.ok([null, 0].includes((await dns.txt(text))?.length ?? null), text)
    }
  })
})

async function nameServer(): Promise<Socket> {
  const socket = createSocket('udp4')
  socket.on('message', (bytes, from) => {
    const { id, questions } = packet.decode(bytes)
    const name = questions?.[0]?.name ?? ''
    const found = records.get(name)
    if (found === 'silence') return
    const rcode = found === 'SERVFAIL' ? 2 : found ? 0 : 3
    const texts = Array.isArray(found) ? found : []
    const answers = texts.map(data => ({ type: 'TXT' as const, name, ttl: 300, data }))
    const flags = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | rcode
    socket.send(packet.encode({ type: 'response', id, flags, questions, answers }), from.port, from.address)
  })
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve))
  return socket
}
