import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, startHost } from '../../../test/host.ts'

const host = await startHost()
const { home, other } = host
for (const [as, slugs] of [
  [home.key, ['shop', 'blog', 'doomed']],
  [other.key, ['shop']],
] as const) {
  for (const slug of slugs) await host.call('POST /v1/projects', { body: { slug, name: slug }, as })
}

const attach = (name: string, as = home.key, slug = 'shop') =>
  host.call(`POST /v1/projects/${slug}/domains`, { body: { host: name }, as })
const verify = (name: string, as = home.key, slug = 'shop') =>
  host.call(`POST /v1/projects/${slug}/domains/${name}/verify`, { as })
const detach = (name: string, as = home.key, slug = 'shop') =>
  host.call(`DELETE /v1/projects/${slug}/domains/${name}`, { as })
const statusOf = async (name: string, as = home.key, slug = 'shop') => {
  const { body } = await host.call(`GET /v1/projects/${slug}/domains?limit=200`, { as })
  return body.data.find((domain: { host: string }) => domain.host === name)?.status
}
const tokenIn = (answer: Answer): string => answer.body.records[0].value
const recordAt = (name: string) => `_stoa-verify.${name}`
const publish = (name: string, ...answers: Answer[]) => host.txt.set(recordAt(name), answers.map(tokenIn))

/** Attaches and verifies a host; by default for home's project shop. */
async function makeLive(name: string, as = home.key, slug = 'shop'): Promise<Answer> {
  const attached = await attach(name, as, slug)
  publish(name, attached)
  const answer = await verify(name, as, slug)
  assert.equal(answer.body.status, 'live')
  return attached
}

function assertConflict(answer: Answer): void {
  assert.equal(answer.status, 409)
  assert.equal(answer.body.error.code, 'conflict')
  assert.equal(answer.body.error.param, 'host')
}

describe('verifying a host', () => {
  it('leaves it pending without its record, and says what is missing', async () => {
    const attached = await attach('bare.example.com')
    const answer = await verify('bare.example.com')
    assert.equal(answer.status, 200)
    const { detail, ...rest } = answer.body
    assert.deepEqual(rest, attached.body)
    assert.match(detail, /no TXT record at _stoa-verify\.bare\.example\.com/)
    assert.equal(await statusOf('bare.example.com'), 'pending')
  })

  it('makes it live with its record', async () => {
    const attached = await attach('shop.example.com')
    host.txt.set('_stoa-verify.shop.example.com', [tokenIn(attached)])
    const answer = await verify('shop.example.com')
    assert.equal(answer.status, 200)
    const { detail, ...rest } = answer.body
    assert.deepEqual(rest, { ...attached.body, status: 'live', verified: true })
    assert.match(detail, /is correct/)
    assert.equal(await statusOf('shop.example.com'), 'live')
  })

  it('finds the record among others', async () => {
    const attached = await attach('several.example.com')
    const others = ['v=spf1 -all', 'stoa-verify=', `stoa-verify=${'x'.repeat(32)}`]
    host.txt.set(recordAt('several.example.com'), [...others, tokenIn(attached), 'google-site-verification=1'])
    assert.equal((await verify('several.example.com')).body.status, 'live')
  })

  it('keeps the time of the first verification when repeated', async () => {
    await makeLive('lasting.example.com')
    const moment = () => host.db`select verified from domains where host = 'lasting.example.com'`
    const before = await moment()
    host.clock.advance(60_000)
    assert.equal((await verify('lasting.example.com')).body.status, 'live')
    assert.deepEqual(await moment(), before)
  })

  for (const [title, texts] of [
    ['a longer text', (value: string) => [`${value}x`, ` ${value}`, `v=1; ${value}`]],
    ['a shorter text', (value: string) => [value.slice(0, -1), value.slice('stoa-verify='.length)]],
    ['another case', (value: string) => [value.toUpperCase(), value.toLowerCase()]],
    ['the value in pieces', (value: string) => [value.slice(0, 20), value.slice(20)]],
    ['an empty text', () => ['']],
  ] as const) {
    it(`does not accept ${title} as the record`, async () => {
      const name = `${title.replaceAll(' ', '-')}.example.com`
      host.txt.set(recordAt(name), texts(tokenIn(await attach(name))))
      const answer = await verify(name)
      assert.equal(answer.status, 200)
      assert.equal(answer.body.verified, false)
      assert.match(answer.body.detail, /has a different value/)
    })
  }

  it('does not accept the record at the host itself, above it or below it', async () => {
    const value = tokenIn(await attach('www.name.example'))
    for (const name of ['www.name.example', recordAt('name.example'), recordAt('a.www.name.example')]) {
      host.txt.set(name, [value])
    }
    assert.equal((await verify('www.name.example')).body.status, 'pending')
  })

  it('makes it pending again after its record was removed', async () => {
    const attached = await makeLive('leaving.example.com')
    host.txt.delete(recordAt('leaving.example.com'))
    assert.equal(await statusOf('leaving.example.com'), 'live')
    host.emitted.length = 0
    const answer = await verify('leaving.example.com')
    assert.deepEqual(
      host.emitted.map(({ type, tenant, data }) => [type, tenant, data]),
      [['project.domain.lost', 'home', { slug: 'shop', host: 'leaving.example.com', reason: 'record_missing' }]],
    )
    assert.equal(answer.status, 200)
    const { detail, ...rest } = answer.body
    assert.deepEqual(rest, attached.body)
    assert.match(detail, /no TXT record/)
    assert.equal(await statusOf('leaving.example.com'), 'pending')
    publish('leaving.example.com', attached)
    assert.equal((await verify('leaving.example.com')).body.status, 'live')
  })

  for (const status of ['live', 'pending']) {
    it(`leaves a ${status} host unchanged when the name servers do not answer`, async () => {
      const name = `silent-${status}.example.com`
      await (status === 'live' ? makeLive(name) : attach(name))
      host.txt.set(recordAt(name), null)
      const answer = await verify(name)
      assert.equal(answer.status, 200)
      assert.equal(answer.body.status, status)
      assert.equal(answer.body.verified, status === 'live')
      assert.match(answer.body.detail, /could not be reached/)
      assert.equal(await statusOf(name), status)
    })
  }

  it('answers 404 for a host that is not attached', async () => {
    assert.equal((await verify('never.example.com')).status, 404)
    assert.equal((await verify('never.example.com', home.key, 'nowhere')).status, 404)
  })
})

describe('a host that two organisations claim', () => {
  it('is pending for both, with a token each', async () => {
    const [mine, theirs] = [await attach('both.example.com'), await attach('both.example.com', other.key)]
    assert.equal(mine.status, 201)
    assert.equal(theirs.status, 201)
    assert.notEqual(tokenIn(mine), tokenIn(theirs))
    assert.equal(await statusOf('both.example.com'), 'pending')
    assert.equal(await statusOf('both.example.com', other.key), 'pending')
  })

  it('is not verified by the token of the other organisation', async () => {
    await attach('borrowed.example.com')
    publish('borrowed.example.com', await attach('borrowed.example.com', other.key))
    const answer = await verify('borrowed.example.com')
    assert.equal(answer.status, 200)
    assert.equal(answer.body.status, 'pending')
    assert.equal((await verify('borrowed.example.com', other.key)).body.status, 'live')
  })

  it('belongs to the one that verified it, even if the other has set its record too', async () => {
    const theirs = await attach('owned.example.com', other.key)
    const mine = await makeLive('owned.example.com')
    publish('owned.example.com', mine, theirs)
    assertConflict(await verify('owned.example.com', other.key))
    assert.equal(await statusOf('owned.example.com', other.key), 'pending')
    assert.equal(await statusOf('owned.example.com'), 'live')
    assertConflict(await attach('owned.example.com', other.key))
    assert.equal((await verify('owned.example.com')).body.status, 'live')
  })

  it('does not reveal to the other which organisation owns it', async () => {
    await makeLive('discreet.example.com')
    const { text } = await attach('discreet.example.com', other.key)
    assert.match(text, /another organisation/)
    assert.doesNotMatch(text, /home|shop/)
  })

  it('stays with its owner when the other verifies without a record', async () => {
    await attach('steady.example.com', other.key)
    await makeLive('steady.example.com')
    assert.equal((await verify('steady.example.com', other.key)).body.status, 'pending')
    assert.equal(await statusOf('steady.example.com'), 'live')
  })

  it('belongs to exactly one when both verify it at the same time', async () => {
    for (const name of ['race-1.example.com', 'race-2.example.com', 'race-3.example.com']) {
      publish(name, await attach(name), await attach(name, other.key))
      const tries = Array.from({ length: 20 }, (_, i) => (i % 2 ? home.key : other.key))
      const answers = await Promise.all(tries.map(key => verify(name, key)))
      const outcomes = (key: string) => new Set(answers.filter((_, i) => tries[i] === key).map(one => one.status))
      assert.deepEqual(
        [outcomes(home.key), outcomes(other.key)].sort((a, b) => Math.max(...a) - Math.max(...b)),
        [new Set([200]), new Set([409])],
      )
      assert.deepEqual([await statusOf(name), await statusOf(name, other.key)].sort(), ['live', 'pending'])
    }
  })

  for (const [how, free] of [
    ['detaches it', () => detach('freed.example.com', home.key, 'doomed')],
    ['deletes its project', () => host.call('DELETE /v1/projects/doomed')],
  ] as const) {
    it(`is free for the other as soon as its owner ${how}`, async () => {
      const name = 'freed.example.com'
      const theirs = await attach(name, other.key)
      const mine = await makeLive(name, home.key, 'doomed')
      publish(name, mine, theirs)
      assertConflict(await verify(name, other.key))
      assert.equal((await free()).status, 204)
      const answer = await verify(name, other.key)
      assert.equal(answer.status, 200)
      assert.equal(answer.body.status, 'live')
      await detach(name, other.key)
    })
  }

  it('is free for the other once a check found that its owner removed the record', async () => {
    const name = 'lost.example.com'
    const theirs = await attach(name, other.key)
    await makeLive(name)
    publish(name, theirs)
    assert.equal((await verify(name)).body.status, 'pending')
    assert.equal((await verify(name, other.key)).body.status, 'live')
    assertConflict(await attach(name))
  })
})

describe('a host that two projects of an organisation claim', () => {
  it('belongs to the one that verified it', async () => {
    const name = 'inner.example.com'
    const blog = await attach(name, home.key, 'blog')
    const shop = await makeLive(name)
    assert.notEqual(tokenIn(blog), tokenIn(shop))
    publish(name, shop, blog)
    const refused = await verify(name, home.key, 'blog')
    assertConflict(refused)
    assert.match(refused.body.error.message, /the project shop/)
    assert.equal(await statusOf(name, home.key, 'blog'), 'pending')
    await detach(name, home.key, 'blog')
    assertConflict(await attach(name, home.key, 'blog'))
    assert.equal(await statusOf(name, home.key, 'blog'), undefined)
    await detach(name)
    assert.equal((await attach(name, home.key, 'blog')).status, 201)
  })

  it('keeps the other claim when one project detaches it', async () => {
    await attach('shared.example.com')
    await attach('shared.example.com', home.key, 'blog')
    await detach('shared.example.com')
    assert.equal(await statusOf('shared.example.com', home.key, 'blog'), 'pending')
  })
})
