import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { manualClock } from '../clock/clock.ts'
import { systemRandom } from '../random/random.ts'
import { localCertificate } from './certificate.ts'

const DAY_MS = 86_400_000

describe('the local certificate', () => {
  const setup = (t: { after(work: () => void): void }) => {
    const directory = mkdtempSync(join(tmpdir(), 'stoa-tls-'))
    t.after(() => rmSync(directory, { recursive: true }))
    const clock = manualClock('2026-11-15T09:00:00.000Z')
    const make = (...names: string[]) => localCertificate(directory, names, { clock, random: systemRandom })
    return { directory, clock, make, authority: () => readFileSync(join(directory, 'ca.pem'), 'utf8') }
  }

  it('is signed by the authority for names and addresses, and is valid no longer than browsers accept', async t => {
    const { make, authority } = setup(t)
    const leaf = new X509Certificate((await make('localhost', 'api.test', '127.0.0.1', '::1')).cert)
    const ca = new X509Certificate(authority())
    assert.ok(ca.ca)
    assert.ok(!leaf.ca)
    assert.ok(leaf.checkIssued(ca))
    assert.ok(leaf.verify(ca.publicKey))
    for (const name of ['localhost', 'api.test']) assert.ok(leaf.checkHost(name))
    for (const address of ['127.0.0.1', '::1']) assert.ok(leaf.checkIP(address))
    assert.ok(leaf.validToDate.getTime() - leaf.validFromDate.getTime() < 398 * DAY_MS)
  })

  it('stores its keys readable by the owner only', async t => {
    const { make, directory } = setup(t)
    await make('localhost')
    for (const name of ['ca-key.pem', 'server.pem']) assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600)
    assert.equal(statSync(directory).mode & 0o777, 0o700)
  })

  it('is renewed by the same authority for a new name or a month before it expires', async t => {
    const { make, clock, authority } = setup(t)
    const first = await make('localhost')
    const ca = authority()
    assert.equal((await make('localhost')).cert, first.cert)
    const named = await make('localhost', 'api.test')
    assert.notEqual(named.cert, first.cert)
    clock.advance(355 * DAY_MS)
    assert.equal((await make('localhost')).cert, named.cert)
    clock.advance(10 * DAY_MS)
    assert.notEqual((await make('localhost')).cert, named.cert)
    assert.equal(authority(), ca)
  })

  it('gets a new authority when the key of the old one is missing or the old one expires', async t => {
    const { make, clock, authority, directory } = setup(t)
    await make('localhost')
    const first = authority()
    rmSync(join(directory, 'ca-key.pem'))
    await make('localhost')
    const second = authority()
    assert.notEqual(second, first)
    clock.advance(3640 * DAY_MS)
    const leaf = new X509Certificate((await make('localhost')).cert)
    assert.notEqual(authority(), second)
    assert.ok(leaf.verify(new X509Certificate(authority()).publicKey))
  })
})
