import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EngineUnavailable } from '../engines.ts'
import { openPasswords } from './passwords.ts'

describe('password hashing', () => {
  it('is argon2id of the NFKC form', async () => {
    const passwords = openPasswords()
    const digest = await passwords.hash('home', 'caf\u0065\u0301 \ufb01ve')
    assert.match(digest, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.equal(await passwords.verify('home', digest, 'caf\u00e9 five'), true)
    assert.equal(await passwords.verify('home', digest, 'cafe five'), false)
  })

  it('serves another user before the many calls of one, and never runs more than half as many as there are cores', async () => {
    for (const cores of [1, 2, 4]) {
      const passwords = openPasswords(cores)
      const ended: string[] = []
      const call = (user: string) => passwords.hash(user, 'a long password').then(() => ended.push(user))
      const flood = Array.from({ length: 12 }, () => call('flood'))
      await Promise.all([call('other'), ...flood])
      // Concurrent calls may end in any order on a busy machine.
      assert.ok(ended.indexOf('other') <= 5, `${ended} with ${cores} cores`)
    }
  })

  it('serves the clients of an organisation in its turn, so that they delay no other organisation', async () => {
    const passwords = openPasswords(2)
    const ended: string[] = []
    const call = async (org: string, client: string) => {
      await passwords.hash({ org, client }, 'a long password')
      ended.push(`${org} ${client}`)
    }
    const crowd = Array.from({ length: 40 }, (_, at) => call('crowd', `client ${at % 20}`))
    await new Promise(resolve => setTimeout(resolve, 50))
    const [before] = [ended.length]
    await call('shop', 'one')
    assert.ok(ended.length - before <= 5, ended.join())
    await Promise.all(crowd)
    assert.deepEqual(ended.filter(one => one.startsWith('crowd')).length, 40)
  })

  it('is verified evenly: whoever is wrong is told so at a full interval, whatever the hash takes', async () => {
    const evenMs = 200
    const passwords = openPasswords(2, undefined, evenMs)
    const own = await passwords.hash('home', 'a long password')
    const { default: bcrypt } = await import('bcrypt')
    const imported = passwords.adopt({ hash: await bcrypt.hash('a long password', 4) })
    assert.ok('digest' in imported)
    for (const digest of [own, imported.digest]) {
      const startedMs = performance.now()
      assert.equal(await passwords.verifyEvenly('home', digest, 'another password'), false)
      const tookMs = performance.now() - startedMs
      assert.ok(tookMs >= evenMs - 2, `${tookMs} ms`)
      assert.equal(await passwords.verifyEvenly('home', digest, 'a long password'), true)
    }
    // A caller that leaves after the result is known has used the attempt.
    const leaving = new AbortController()
    const late = passwords.verifyEvenly('home', imported.digest, 'another password', leaving.signal)
    setTimeout(() => leaving.abort(new Error('left')), evenMs / 2)
    assert.equal(await late, false)
  })

  it('skips callers that have left', async () => {
    const passwords = openPasswords(2)
    const leaving = new AbortController()
    const first = passwords.hash('home', 'a long password')
    const left = Array.from({ length: 50 }, () => passwords.hash('home', 'a long password', leaving.signal))
    leaving.abort(new Error('left'))
    for (const outcome of await Promise.allSettled(left)) assert.equal(outcome.status, 'rejected')
    await first
  })

  it('is refused when too many calls wait', async () => {
    const passwords = openPasswords(2)
    const leaving = new AbortController()
    const calls = Array.from({ length: 150 }, () => passwords.hash('home', 'a long password', leaving.signal))
    const last = calls.at(-1) as Promise<string>
    await assert.rejects(last, error => error instanceof EngineUnavailable && error.state === 'busy')
    leaving.abort(new Error('left'))
    await Promise.allSettled(calls)
  })
})
