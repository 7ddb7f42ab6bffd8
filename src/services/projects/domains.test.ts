import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type Answer, startHost } from '../../../test/host.ts'

const host = await startHost()
const { home, other } = host

const project = async (slug: string, as = home.key) => {
  assert.equal((await host.call('POST /v1/projects', { body: { slug, name: slug }, as })).status, 201)
}
const at = (slug: string, name: string) => `/v1/projects/${slug}/domains/${encodeURIComponent(name)}`
const attach = (slug: string, name: unknown, as = home.key) =>
  host.call(`POST /v1/projects/${slug}/domains`, { body: { host: name }, as })
const verify = (slug: string, name: string, as = home.key) => host.call(`POST ${at(slug, name)}/verify`, { as })
const detach = (slug: string, name: string, as = home.key) => host.call(`DELETE ${at(slug, name)}`, { as })
const list = (slug: string, query = '', as = home.key) => host.call(`GET /v1/projects/${slug}/domains${query}`, { as })
const hostsOf = (answer: Answer) => answer.body.data.map((domain: { host: string }) => domain.host)
const recordOf = (answer: Answer): { name: string; value: string } => answer.body.records[0]
const publish = (answer: Answer) => host.txt.set(recordOf(answer).name, [recordOf(answer).value])

const trail = async (slug: string) => {
  const rows = await host.db<{ org: string; user_id: string; what: string; on_what: string }>`
    select org, user_id, what, on_what from audit
    where what like 'domain.%' and split_part(on_what, '/', 1) = ${slug} order by id`
  return [...rows]
}

describe('attaching a host', () => {
  it('answers 201 with the TXT record to set', async () => {
    await project('first')
    const answer = await attach('first', 'shop.example.com')
    assert.equal(answer.status, 201)
    const { value } = recordOf(answer)
    assert.match(value, /^stoa-verify=[0-9A-Za-z]{32}$/)
    assert.deepEqual(answer.body, {
      host: 'shop.example.com',
      status: 'pending',
      verified: false,
      records: [{ type: 'TXT', name: '_stoa-verify.shop.example.com', value }],
      created: host.clock.now().toISOString(),
    })
    assert.deepEqual((await list('first')).body, { data: [answer.body], next: '' })
  })

  it('returns the existing host unchanged when repeated, pending or live', async () => {
    await project('again')
    const first = await attach('again', 'again.example.com')
    host.clock.advance(60_000)
    const second = await attach('again', 'AGAIN.example.com')
    assert.equal(second.status, 201)
    assert.deepEqual(second.body, first.body)
    publish(first)
    await verify('again', 'again.example.com')
    host.clock.advance(60_000)
    assert.deepEqual((await attach('again', 'again.example.com')).body, {
      ...first.body,
      status: 'live',
      verified: true,
    })
    assert.equal((await list('again')).body.data.length, 1)
  })

  it('generates a new token for every host and every project', async () => {
    await project('tokens-1')
    await project('tokens-2')
    const pairs = ['tokens-1', 'tokens-2'].flatMap(slug => ['a.example.com', 'b.example.com'].map(name => [slug, name]))
    const answers = await Promise.all(pairs.map(([slug = '', name]) => attach(slug, name)))
    assert.equal(new Set(answers.map(answer => recordOf(answer).value)).size, 4)
  })

  it('creates one record for many concurrent requests', async () => {
    await project('raced')
    const tries = await Promise.all(Array.from({ length: 20 }, () => attach('raced', 'raced.example.com')))
    assert.deepEqual(new Set(tries.map(answer => answer.status)), new Set([201]))
    assert.equal(new Set(tries.map(answer => answer.text)).size, 1)
  })

  it('answers 404 for an unknown project', async () => {
    const answer = await attach('nowhere', 'shop.example.com')
    assert.equal(answer.status, 404)
    assert.equal(answer.body.error.code, 'not_found')
  })

  it('answers 404 for a project that is being deleted', async () => {
    await project('leaving')
    const late = await host.db.transaction(async db => {
      await db`delete from projects where org = 'home' and slug = 'leaving'`
      const answer = attach('leaving', 'late.example.com')
      await wait(300) // Until the request waits for this transaction, or is answered.
      return { answer }
    })
    assert.equal((await late.answer).status, 404)
  })

  describe('with an invalid name', async () => {
    await project('strict')
    for (const name of [
      '',
      '*.example.com',
      'com',
      'co.uk',
      'github.io',
      'localhost',
      'foo.localhost',
      'intranet',
      '127.0.0.1',
      '0x7f.1',
      '2130706433',
      '[::1]',
      'shop.example.com.',
      'shop..example.com',
      '-shop.example.com',
      'a_b.example.com',
      'a b.example.com',
      'shop.example.com:443',
      'https://shop.example.com',
      'a@example.com',
      'example.com/',
      'a%2eexample.com',
      'example.com\0',
      'example。com',
      `${'a'.repeat(64)}.example.com`,
      null,
      7,
      ['shop.example.com'],
      undefined,
    ]) {
      it(`answers 400 and stores nothing: ${JSON.stringify(name)?.slice(0, 30)}`, async () => {
        const answer = await attach('strict', name)
        assert.equal(answer.status, 400)
        assert.equal(answer.body.error.code, 'invalid_input')
        assert.equal(answer.body.error.param, 'host')
        assert.equal((await host.db`select from domains where project = 'strict'`).length, 0)
        assert.deepEqual(await trail('strict'), [])
      })
    }
  })
})

describe('detaching a host', () => {
  it('answers 204, then 404', async () => {
    await project('parting')
    await attach('parting', 'parting.example.com')
    await attach('parting', 'staying.example.com')
    const answer = await detach('parting', 'parting.example.com')
    assert.equal(answer.status, 204)
    assert.equal(answer.text, '')
    assert.equal((await detach('parting', 'parting.example.com')).status, 404)
    assert.equal((await verify('parting', 'parting.example.com')).status, 404)
    assert.deepEqual(hostsOf(await list('parting')), ['staying.example.com'])
  })

  it('invalidates the token: attaching it again generates another one', async () => {
    await project('rejoining')
    const before = await attach('rejoining', 'rejoining.example.com')
    publish(before)
    await detach('rejoining', 'rejoining.example.com')
    const after = await attach('rejoining', 'rejoining.example.com')
    assert.notEqual(recordOf(after).value, recordOf(before).value)
    assert.equal((await verify('rejoining', 'rejoining.example.com')).body.status, 'pending')
  })
})

describe('a host in the path', () => {
  for (const [written, name] of [
    ['UPPER.Example.COM', 'upper.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ] as const) {
    it(`is normalised from ${written} to ${name}`, async () => {
      const slug = `path-${Buffer.from(written).toString('hex').slice(0, 12)}${written.length}`
      await project(slug)
      const attached = await attach(slug, name)
      publish(attached)
      const verified = await verify(slug, written)
      assert.equal(verified.status, 200)
      assert.equal(verified.body.host, name)
      assert.equal(verified.body.status, 'live')
      assert.equal((await detach(slug, written)).status, 204)
      assert.deepEqual((await list(slug)).body.data, [])
    })
  }

  it('answers 400 if it is invalid', async () => {
    await project('path')
    for (const name of ['*.example.com', 'shop.example.com.', 'a:1', 'a/b.example', '-a.example.com']) {
      for (const answer of [await verify('path', name), await detach('path', name)]) {
        assert.equal(answer.status, 400, name)
        assert.equal(answer.body.error.param, 'host')
      }
    }
  })
})

describe('listing hosts', () => {
  it('is empty at first, and answers 404 for an unknown project', async () => {
    await project('empty')
    assert.deepEqual((await list('empty')).body, { data: [], next: '' })
    assert.equal((await list('nowhere')).status, 404)
  })

  it('pages by name, with an empty `next` on the last page, even if it is full', async () => {
    await project('paged')
    await project('paged-not')
    await attach('paged-not', 'a.elsewhere.example')
    for (const label of ['b', 'a-1', 'a', 'c', 'a0', 'd']) await attach('paged', `${label}.example.com`)
    const first = await list('paged', '?limit=3')
    assert.deepEqual(hostsOf(first), ['a-1.example.com', 'a.example.com', 'a0.example.com'])
    assert.notEqual(first.body.next, '')
    await detach('paged', 'a0.example.com')
    const second = await list('paged', `?limit=3&after=${first.body.next}`)
    assert.deepEqual(hostsOf(second), ['b.example.com', 'c.example.com', 'd.example.com'])
    assert.equal(second.body.next, '')
    assert.equal((await list('paged', '?limit=5')).body.next, '')
    assert.equal((await list('paged', '?limit=4')).body.data.length, 4)
  })

  it('returns 50 by default and at most 200', async () => {
    await project('many')
    await host.db`insert into domains (org, project, host, token, created)
      select 'home', 'many', n || '.example.com', 't', now() from generate_series(1, 260) as n`
    assert.equal((await list('many')).body.data.length, 50)
    assert.equal((await list('many', '?limit=100000')).body.data.length, 200)
  })
})

describe('another organisation', () => {
  it('finds neither the project nor its hosts', async () => {
    await project('private')
    const mine = await attach('private', 'private.example.com')
    publish(mine)
    const everything = async () => [
      await list('private', '', other.key),
      await verify('private', 'private.example.com', other.key),
      await detach('private', 'private.example.com', other.key),
    ]
    const answers = [...(await everything()), await attach('private', 'theirs.example.com', other.key)]
    await project('private', other.key)
    const [listed, ...rest] = await everything()
    assert.deepEqual(listed?.body.data, [])
    for (const answer of [...answers, ...rest]) {
      assert.equal(answer.status, 404)
      assert.equal(answer.body.error.code, 'not_found')
    }
    assert.deepEqual((await list('private')).body.data, [mine.body])
  })
})

describe('the audit trail', () => {
  it('records who attached, verified and detached a host', async () => {
    await project('audited')
    const attached = await attach('audited', 'Audited.example.com')
    await verify('audited', 'AUDITED.example.com')
    publish(attached)
    await verify('audited', 'audited.example.com')
    await detach('audited', 'audited.example.com')
    await detach('audited', 'audited.example.com')
    const by = { org: 'home', user_id: home.user }
    assert.deepEqual(await trail('audited'), [
      { ...by, what: 'domain.attach', on_what: 'audited/audited.example.com' },
      { ...by, what: 'domain.verify', on_what: 'audited/audited.example.com' },
      { ...by, what: 'domain.detach', on_what: 'audited/audited.example.com' },
    ])
  })

  it('records the normalised name, however the path spells it', async () => {
    await project('spelled')
    await attach('spelled', 'spelled.example.com')
    await detach('spelled', 'SPELLED.example.com')
    const rows = await trail('spelled')
    assert.deepEqual(new Set(rows.map(row => row.on_what)), new Set(['spelled/spelled.example.com']))
  })
})

describe('a key limited to one project', () => {
  it('may use the hosts of that project only', async () => {
    await project('a')
    await project('b')
    const made = await host.call('POST /v1/account/keys', { body: { name: 'CI of a', limit: ['project:a'] } })
    assert.equal(made.status, 201)
    const { key } = made.body
    await attach('b', 'limited.example.com')
    const uses = async (slug: string) => [
      await attach(slug, 'limited.example.com', key),
      await verify(slug, 'limited.example.com', key),
      await list(slug, '', key),
      await detach(slug, 'limited.example.com', key),
    ]
    assert.deepEqual(
      (await uses('a')).map(answer => answer.status),
      [201, 200, 200, 204],
    )
    for (const answer of await uses('b')) {
      assert.equal(answer.status, 403)
      assert.equal(answer.body.error.code, 'key_limit')
    }
    assert.deepEqual(hostsOf(await list('b')), ['limited.example.com'])
  })
})
