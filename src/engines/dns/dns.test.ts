import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startNameServer } from '../../../test/name-server.ts'
import { openDns } from './dns.ts'

const { names, address, close } = await startNameServer()
const dns = openDns([address])
after(close)

describe('dns.txt', () => {
  it('returns each record as one string', async () => {
    names.set('a.example', { TXT: [['one'], ['t'.repeat(255), 'wo']] })
    assert.deepEqual((await dns.txt('a.example'))?.sort(), ['one', `${'t'.repeat(255)}wo`])
  })

  it('returns an empty list for a name that does not exist', async () => {
    assert.deepEqual(await dns.txt('missing.example'), [])
  })

  it('does not cache', async () => {
    names.set('moving.example', { TXT: [['before']] })
    assert.deepEqual(await dns.txt('moving.example'), ['before'])
    names.set('moving.example', { TXT: [['after']] })
    assert.deepEqual(await dns.txt('moving.example'), ['after'])
    names.delete('moving.example')
    assert.deepEqual(await dns.txt('moving.example'), [])
  })

  it('returns null when the server fails or does not answer', async () => {
    names.set('broken.example', 'SERVFAIL').set('slow.example', 'silence')
    assert.equal(await dns.txt('broken.example'), null)
    assert.equal(await dns.txt('slow.example'), null)
  })

  it('returns an empty list or null for an invalid name, and never throws', async () => {
    for (const text of ['', '.', 'a..b', 'x'.repeat(300), 'ä.example']) {
      assert.ok([null, 0].includes((await dns.txt(text))?.length ?? null), text)
    }
  })
})
