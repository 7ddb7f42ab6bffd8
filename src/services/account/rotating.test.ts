import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../../../test/eventually.ts'
import { type Answer, startHost, type TestHost } from '../../../test/host.ts'
import { keyCalls } from '../../../test/keys.ts'
import { specimen } from '../../../test/specimen.ts'
import { services } from '../index.ts'

const withSpecimen = { services: [...services, specimen] }
const host = await startHost(withSpecimen)
const { home } = host
const anna = await host.member(home.org, 'member')
const bert = await host.member(home.org, 'member')
const { made, patch, revoke, listed, list, use, rotate } = keyCalls(host)

const DAY_S = 24 * 60 * 60

/** The text before, and the answer of the rotation. */
async function rotated(fields: object = {}, overlap = 60, as = home.key) {
  const { id, key: former } = await made({ ...fields }, as)
  const { status, body, text } = await rotate(id, { overlap }, as)
  assert.equal(status, 200, text)
  return { id, former, now: body.key as string, body }
}

const outcome = async (key: string, at: TestHost = host) => {
  const { status, body } = await at.call('GET /v1/projects', { as: key })
  return status === 200 ? 200 : `${status} ${body.error.code}`
}
const outcomes = (keys: string[], at?: TestHost) => Promise.all(keys.map(key => outcome(key, at)))
function isCached(key: string): boolean {
  const found = host.keyring.secretKey(key, '127.0.0.1')
  if (!(found instanceof Promise)) return true
  found.catch(() => {}) // It may have ended.
  return false
}

describe('rotating a key', () => {
  it('returns the same key with a new text, this once', async () => {
    const bounds = { limit: ['read:*'], budget: { month: 5, total: 9 }, rate: 60, expires: '2027-01-01T00:00:00.000Z' }
    const { id, key: former } = await made({ name: 'Deploy', ...bounds })
    await host.db`update keys set spent = 3000000, spent_month = 2000000, month_of = '2026-11-01' where id = ${id}`
    const before = await listed(id)
    host.clock.advance(1_000)
    const { status, body } = await rotate(id)
    assert.equal(status, 200)
    const { key, prefix, ...rest } = body
    assert.match(key, /^sk-[0-9A-Za-z]{49}$/)
    assert.notEqual(key, former)
    assert.equal(prefix, key.slice(0, 11))
    const { prefix: _, ...same } = before
    assert.deepEqual(rest, same)
    assert.deepEqual(await listed(id), { ...before, prefix })
    assert.ok(!JSON.stringify(await list()).includes(key.slice(11)))
  })

  it('stores only the SHA-256 of either secret', async () => {
    const { id, former, now } = await rotated()
    const [row] = await host.db<{ text: string | null; all: string; same: boolean }>`select text, keys::text as all,
      digest = sha256(convert_to(${now}, 'UTF8')) and former_digest = sha256(convert_to(${former}, 'UTF8')) as same
      from keys where id = ${id}`
    assert.deepEqual([row?.text, row?.same], [null, true])
    for (const text of [former, now]) assert.ok(!row?.all.includes(text.slice(11)))
  })

  it('ends the former text immediately without an overlap, and says that it was replaced', async () => {
    for (const body of [undefined, {}, { overlap: 0 }]) {
      const { id, key } = await made()
      assert.equal((await use(key)).status, 200)
      const { body: answer } = await rotate(id, body)
      assert.ok(!('overlapUntil' in answer))
      const refused = await use(key)
      assert.deepEqual([refused.status, refused.body.error.code], [401, 'key_replaced'])
      assert.match(refused.body.error.message, /replaced/)
      assert.match(refused.headers['www-authenticate'] ?? '', /invalid_token/)
      assert.equal(await outcome(answer.key), 200)
    }
  })

  it('keeps the former text until the end of the overlap, exact to the millisecond', async () => {
    const until = new Date(host.clock.now().getTime() + 7 * DAY_S * 1000).toISOString()
    const { id, former, now, body } = await rotated({}, 7 * DAY_S)
    assert.equal(body.overlapUntil, until)
    assert.equal((await listed(id)).overlapUntil, until)
    assert.equal((await patch(id, { name: 'Renamed' })).body.overlapUntil, until)
    assert.deepEqual(await outcomes([former, now]), [200, 200])
    host.clock.advance(7 * DAY_S * 1000 - 1)
    assert.deepEqual(await outcomes([former, now]), [200, 200])
    host.clock.advance(1)
    assert.deepEqual(await outcomes([former, now]), ['401 key_replaced', 200])
    assert.ok(!('overlapUntil' in (await listed(id))))
  })

  it('ends the oldest text immediately if it happens again during an overlap', async () => {
    const { id, former: first, now: second } = await rotated({}, 60)
    assert.deepEqual(await outcomes([first, second]), [200, 200])
    const third = (await rotate(id, { overlap: 60 })).body.key
    assert.equal((await use(first)).status, 401)
    assert.deepEqual(await outcomes([second, third]), [200, 200])
    const fourth = (await rotate(id)).body.key
    assert.equal((await use(second)).status, 401)
    assert.deepEqual(await outcomes([third, fourth]), ['401 key_replaced', 200])
  })

  it('distinguishes an expired key from a replaced one', async () => {
    const expires = new Date(host.clock.now().getTime() + 10_000).toISOString()
    const [long, short] = [await rotated({ expires }, 60), await rotated({ expires }, 5)]
    host.clock.advance(10_000)
    assert.deepEqual(await outcomes([long.former, long.now]), ['401 key_expired', '401 key_expired'])
    assert.deepEqual(await outcomes([short.former, short.now]), ['401 key_replaced', '401 key_expired'])
    assert.ok(!('overlapUntil' in (await listed(long.id))))
  })

  it('can be done with the key itself, and with its former text', async () => {
    const { id, key } = await made()
    const second = (await rotate(id, { overlap: 60 }, key)).body.key
    const third = (await rotate(id, { overlap: 60 }, key)).body.key
    assert.equal((await use(key)).status, 401)
    assert.deepEqual(await outcomes([second, third]), [200, 200])
  })

  it('gives a publishable key a new value, which is listed', async () => {
    const write = (key: string) => host.call('POST /v1/event', { as: key, body: { event: 'Opened', distinctId: 'a' } })
    const { id, former, now } = await rotated({ type: 'publishable' }, 60)
    assert.match(now, /^pk-[0-9A-Za-z]{49}$/)
    assert.equal((await listed(id)).key, now)
    for (const key of [former, now]) assert.equal((await write(key)).status, 200)
    host.clock.advance(60_000)
    const refused = await write(former)
    assert.equal(refused.status, 401)
    assert.match(refused.text, /replaced/)
    assert.equal((await write(now)).status, 200)
  })

  it('emits an event and leaves an audit entry, neither with a text', async () => {
    const { id, key } = await made({ name: 'Told' }, anna.key)
    host.emitted.length = 0
    const { body } = await rotate(id, { overlap: 60 }, anna.key)
    const { overlapUntil } = body
    const data = { id, name: 'Told', type: 'secret', user: anna.user, overlapUntil }
    assert.deepEqual(
      host.emitted.map(({ type, data }) => ({ type, data })),
      [{ type: 'account.key.rotated', data }],
    )
    const [entry] = await host.db<{ changes: object }>`select changes from audit
      where on_what = ${id} and what = 'key.rotate' and user_id = ${anna.user}`
    const prefix = { from: key.slice(0, 11), to: body.key.slice(0, 11) }
    assert.deepEqual(entry?.changes, { prefix, overlap: { to: 60 } })
  })

  for (const overlap of [-1, 1.5, 7 * DAY_S + 1, '60', null, []]) {
    it(`refuses overlap: ${JSON.stringify(overlap)}`, async () => {
      const { id, key } = await made()
      const answer = await rotate(id, { overlap })
      assert.deepEqual([answer.status, answer.body.error.param], [400, 'overlap'])
      assert.equal(await outcome(key), 200)
    })
  }
})

describe('who may rotate a key', () => {
  it('is its owner only: 403 for an admin, 404 for another member and another organisation', async () => {
    const { id, key } = await made({}, anna.key)
    const before = await listed(id)
    const refused = async (as: string) => (await rotate(id, {}, as)).status
    assert.equal(await refused(home.key), 403)
    assert.equal(await refused(bert.key), 404)
    assert.equal(await refused(host.other.key), 404)
    assert.equal(await refused(host.admin.key), 404)
    assert.deepEqual(await listed(id), before)
    assert.equal(await outcome(key), 200)
    assert.equal(await refused(anna.key), 200)
  })

  it('is not a limited key, not even for itself', async () => {
    for (const bound of [{ limit: ['product:account'] }, { budget: { total: 5 } }, { rate: 600 }]) {
      const { id, key } = await made(bound)
      const { status, body } = await rotate(id, {}, key)
      assert.deepEqual([status, body.error.code], [403, 'key_limit'])
      const { key: now } = (await rotate(id, { overlap: 60 })).body
      for (const text of [key, now]) assert.equal((await rotate(id, {}, text)).status, 403)
    }
  })

  it('is nobody whose password an admin chose', async () => {
    const carl = await host.member(home.org, 'member')
    const { id } = await made({}, carl.key)
    await host.db`update users set password_by = 'home' where id = ${carl.user}`
    host.clock.advance(30_000) // Until it is looked up again.
    assert.equal((await rotate(id, {}, carl.key)).status, 403)
  })

  it('is nobody once the key is revoked or has expired: 409', async () => {
    const revoked = await made()
    await revoke(revoked.id)
    assert.equal((await rotate(revoked.id)).status, 409)
    const soon = await made({ expires: new Date(host.clock.now().getTime() + 5).toISOString() })
    host.clock.advance(5)
    assert.equal((await rotate(soon.id)).status, 409)
    assert.deepEqual(await outcomes([revoked.key, soon.key]), ['401 key_revoked', '401 key_expired'])
  })

  it('is nobody if the key expires while the request waits for the lock', async () => {
    const soon = await made({ expires: new Date(host.clock.now().getTime() + 5).toISOString() })
    const { answer } = await host.db.transaction(async db => {
      await db`select from keys where id = ${soon.id} for update`
      const answer = rotate(soon.id)
      await wait(200) // Until the request waits for this transaction.
      host.clock.advance(5)
      return { answer }
    })
    assert.equal((await answer).status, 409)
  })
})

describe('both texts of a key', () => {
  it('share its rate', async () => {
    const { former, now } = await rotated({ rate: 4 })
    for (const key of [former, now, former, now]) assert.equal(await outcome(key), 200)
    assert.deepEqual(await outcomes([former, now]), ['429 key_rate', '429 key_rate'])
  })

  it('share its budget and spending', async () => {
    const spend = (key: string) => host.call('POST /v1/specimen/spend', { as: key, body: { units: 5_000_000 } })
    const { id, former, now } = await rotated({ budget: { total: 10 } })
    for (const key of [former, now]) assert.equal((await spend(key)).status, 204)
    for (const key of [former, now]) assert.equal((await spend(key)).status, 402)
    assert.equal((await listed(id)).spend, 10)
  })

  it('are one credential in the audit trail, and note the last use of one key', async () => {
    const { id, former, now } = await rotated({}, 600)
    for (const [n, as] of [former, now].entries()) {
      const slug = `by-text-${n}`
      assert.equal((await host.call('POST /v1/projects', { as, body: { slug, name: 'P' } })).status, 201)
      const [entry] = await host.db<{ credential: string }>`select credential from audit where on_what = ${slug}`
      assert.equal(entry?.credential, id)
      await host.keyring.flush()
      assert.equal((await listed(id)).lastUsed, host.clock.now().toISOString())
      host.clock.advance(60_000)
    }
  })

  it('have changed bounds immediately', async () => {
    const { id, former, now } = await rotated()
    assert.deepEqual(await outcomes([former, now]), [200, 200])
    await patch(id, { limit: ['product:risk'] })
    assert.deepEqual(await outcomes([former, now]), ['403 key_limit', '403 key_limit'])
    await patch(id, { limit: null })
    assert.deepEqual(await outcomes([former, now]), [200, 200])
  })

  it('end immediately when the key is revoked, by either', async () => {
    for (const way of ['former', 'now', 'admin'] as const) {
      const { id, ...texts } = await rotated({}, 60, anna.key)
      const { former, now } = texts
      assert.deepEqual(await outcomes([former, now]), [200, 200])
      assert.equal((await revoke(id, way === 'admin' ? home.key : texts[way])).status, 204)
      assert.deepEqual(await outcomes([former, now]), ['401 key_revoked', '401 key_revoked'])
      assert.ok(!('overlapUntil' in (await listed(id))))
    }
  })

  it('end immediately when its owner leaves', async () => {
    const dora = await host.member(home.org, 'member')
    const { former, now } = await rotated({}, 60, dora.key)
    assert.deepEqual(await outcomes([former, now]), [200, 200])
    assert.equal((await host.call(`DELETE /v1/iam/members/${dora.user}`)).status, 204)
    assert.deepEqual(await outcomes([former, now]), ['401 key_revoked', '401 key_revoked'])
  })

  for (const change of ['rate = 1', "former_until = '2020-01-01'", 'former_digest = null, former_until = null']) {
    it(`are dropped from the cache after a manual update of the database: ${change}`, async () => {
      const { id, former, now } = await rotated()
      await outcomes([former, now])
      assert.ok(isCached(former) && isCached(now))
      await host.db.script(`update keys set ${change} where id = '${id}'`)
      await host.db.waitForNotifications()
      assert.ok(!isCached(former) && !isCached(now))
    })
  }
})

describe('with two processes', async () => {
  const other = await startHost({ ...withSpecimen, beside: host })
  const settled = (keys: string[], expected: (string | number)[]) =>
    eventually(
      () => outcomes(keys, other),
      found => JSON.stringify(found) === JSON.stringify(expected),
    )

  it('the other one ends what a rotation ends, and accepts both texts during an overlap', async () => {
    const { id, key: first } = await made()
    assert.equal(await outcome(first, other), 200)
    const second = (await rotate(id, { overlap: 60 })).body.key
    assert.deepEqual(await outcomes([first, second], other), [200, 200])
    const third = (await rotate(id, { overlap: 60 })).body.key
    await settled([first, second, third], ['401 credential_refused', 200, 200])
    const fourth = (await rotate(id)).body.key
    await settled([third, fourth], ['401 key_replaced', 200])
  })

  it('the other one hears of changed bounds and of the revocation, for both texts', async () => {
    const { id, former, now } = await rotated()
    assert.deepEqual(await outcomes([former, now], other), [200, 200])
    await patch(id, { limit: ['product:risk'] })
    await settled([former, now], ['403 key_limit', '403 key_limit'])
    await revoke(id)
    await settled([former, now], ['401 key_revoked', '401 key_revoked'])
  })

  it('the texts share the rate', async () => {
    const { former, now } = await rotated({ rate: 4 })
    const found: (string | number)[] = []
    for (let n = 0; n < 4; n++) found.push(await outcome(former), await outcome(now, other))
    assert.equal(found.filter(one => one === 200).length, 4, String(found))
    assert.equal(found.filter(one => one === '429 key_rate').length, 4, String(found))
  })

  for (const [overlap, valid] of [
    [60, 2],
    [0, 1],
  ] as const) {
    it(`20 rotations at once with an overlap of ${overlap} s leave ${valid} valid`, async () => {
      const { id, key } = await made()
      const texts = [key]
      const answers = Array.from({ length: 20 }, async (_, n) => {
        const answer: Answer = await (n % 2 ? host : other).call(`POST /v1/account/keys/${id}/rotate`, {
          body: { overlap },
        })
        assert.equal(answer.status, 200, answer.text)
        texts.push(answer.body.key)
        return answer
      })
      await Promise.all(answers)
      for (const at of [host, other]) {
        const found = await eventually(
          () => outcomes(texts, at),
          all => all.filter(one => one === 200).length === valid,
        )
        const { prefix } = await listed(id)
        assert.equal(found[texts.findIndex(text => text.startsWith(prefix))], 200, 'the present one is valid')
      }
      const entries = await host.db`select from audit where on_what = ${id} and what = 'key.rotate'`
      assert.equal(entries.length, 20)
    })
  }
})
