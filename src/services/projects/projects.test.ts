import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'

const host = await startHost()
const create = (slug: string, name = 'A project', as = host.home.key) =>
  host.call('POST /v1/projects', { body: { slug, name }, as })

describe('creating a project', () => {
  it('answers 201 with the project and its timestamps', async () => {
    const made = await create('shop', 'Shop & Söhne')
    assert.equal(made.status, 201)
    const at = '2026-11-15T09:00:00.000Z'
    assert.deepEqual(made.body, { slug: 'shop', name: 'Shop & Söhne', created: at, updated: at })
  })

  it('refuses names that change the direction of the text around them', async () => {
    for (const name of ['\u202Eevil', 'shop\u2066', '\u200B\u202D x']) {
      const { status, body } = await create('bidi', name)
      assert.deepEqual([status, body.error.param], [400, 'name'])
    }
    assert.equal((await create('hebrew', 'חנות\u200F')).status, 201)
  })

  it('allows a slug once per organisation', async () => {
    const again = await create('shop', 'Another')
    assert.equal(again.status, 409)
    assert.equal(again.body.error.code, 'conflict')
    assert.equal(again.body.error.param, 'slug')
    assert.equal((await host.call('GET /v1/projects/shop')).body.name, 'Shop & Söhne')
    assert.equal((await create('shop', 'Theirs', host.other.key)).status, 201)
  })

  it('succeeds for only one of many concurrent requests with the same slug', async () => {
    const tries = await Promise.all(Array.from({ length: 20 }, () => create('raced')))
    assert.deepEqual(tries.map(answer => answer.status).sort(), [201, ...Array(19).fill(409)])
  })

  for (const slug of ['a', '7', 'a-b', 'a--b', '0-0', 'x'.repeat(40)]) {
    it(`accepts the slug ${slug}`, async () => {
      assert.equal((await create(slug)).status, 201)
    })
  }

  for (const slug of ['', '-a', 'a-', '-', 'A', 'a_b', 'a.b', 'a b', 'ä', 'x'.repeat(41), 'a\n', 'a/b', '%61']) {
    it(`rejects the slug ${JSON.stringify(slug)} and describes the format`, async () => {
      const answer = await create(slug)
      assert.equal(answer.status, 400)
      assert.equal(answer.body.error.param, 'slug')
      assert.match(answer.body.error.message, /lower-case letters, digits and inner hyphens, at most 40/)
    })
  }

  for (const name of ['', ' ', '\t', '\u00a0', '\u200b', 'two\nlines', 'bell\u0007', 'x'.repeat(121)]) {
    it(`rejects the name ${JSON.stringify(name).slice(0, 20)}`, async () => {
      const answer = await create('named', name)
      assert.equal(answer.status, 400)
      assert.equal(answer.body.error.param, 'name')
    })
  }

  for (const name of ['x', 'Ünïcode 🙂', ' padded ', 'x'.repeat(120), '🙂'.repeat(120)]) {
    it(`accepts the name ${name.slice(0, 12)} unchanged`, async () => {
      const slug = `n${Buffer.from(name).toString('hex').slice(0, 12)}${name.length}`
      assert.equal((await create(slug, name)).body.name, name)
    })
  }
})

describe('changing and deleting a project', () => {
  it('renames it and updates its timestamp', async () => {
    await create('renamed', 'Before')
    host.clock.advance(60_000)
    const answer = await host.call('PATCH /v1/projects/renamed', { body: { name: 'After' } })
    assert.equal(answer.status, 200)
    assert.equal(answer.body.name, 'After')
    assert.equal(answer.body.updated, '2026-11-15T09:01:00.000Z')
    assert.equal(answer.body.created, '2026-11-15T09:00:00.000Z')
    assert.deepEqual((await host.call('GET /v1/projects/renamed')).body, answer.body)
  })

  it('rejects a slug in the body that differs from the path', async () => {
    await create('fixed')
    const answer = await host.call('PATCH /v1/projects/fixed', { body: { slug: 'moved', name: 'x' } })
    assert.equal(answer.status, 400)
    assert.equal(answer.body.error.param, 'slug')
  })

  it('deletes it with 204, then answers 404', async () => {
    await create('doomed')
    const answer = await host.call('DELETE /v1/projects/doomed')
    assert.equal(answer.status, 204)
    assert.equal(answer.text, '')
    assert.equal((await host.call('GET /v1/projects/doomed')).status, 404)
    assert.equal((await host.call('DELETE /v1/projects/doomed')).status, 404)
    assert.equal((await host.call('PATCH /v1/projects/doomed', { body: { name: 'x' } })).status, 404)
    assert.equal((await create('doomed')).status, 201)
  })
})

describe('listing projects', async () => {
  const { key } = await host.organisation('lister')
  const list = (query = '') => host.call(`GET /v1/projects${query}`, { as: key })
  const slugs = (answer: { body: { data: { slug: string }[] } }) => answer.body.data.map(project => project.slug)

  it('is empty at first', async () => {
    assert.deepEqual((await list()).body, { data: [], next: '' })
  })

  it('pages by slug, with an empty `next` on the last page, even if it is full', async () => {
    for (const slug of ['b', 'a-1', 'a', 'c', 'a0', 'd']) await create(slug, slug, key)
    const first = await list('?limit=3')
    assert.deepEqual(slugs(first), ['a', 'a-1', 'a0'])
    assert.notEqual(first.body.next, '')
    const second = await list(`?limit=3&after=${first.body.next}`)
    assert.deepEqual(slugs(second), ['b', 'c', 'd'])
    assert.equal(second.body.next, '')
    assert.equal((await list('?limit=6')).body.next, '')
  })

  it('continues after a cursor whose project was deleted', async () => {
    const first = await list('?limit=2')
    await host.call('DELETE /v1/projects/a-1', { as: key })
    assert.deepEqual(slugs(await list(`?limit=2&after=${first.body.next}`)), ['a0', 'b'])
  })

  it('returns 50 by default and at most 200', async () => {
    const rows = Array.from({ length: 260 }, (_, i) => `p${String(i).padStart(3, '0')}`)
    await host.db`insert into projects (org, slug, name, created, updated)
      select 'lister', slug, slug, now(), now() from unnest(${rows}::text[]) as slug`
    assert.equal((await list()).body.data.length, 50)
    assert.equal((await list('?limit=200')).body.data.length, 200)
    assert.equal((await list('?limit=100000')).body.data.length, 200)
  })

  it('rejects a cursor that it did not issue', async () => {
    for (const after of ['*', 'YQ==', 'YR', Buffer.from('a\0').toString('base64url')]) {
      const answer = await list(`?after=${encodeURIComponent(after)}`)
      assert.equal(answer.status, 400, after)
      assert.equal(answer.body.error.param, 'after')
    }
  })
})
