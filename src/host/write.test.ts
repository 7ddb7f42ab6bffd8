// Writes: the change, its audit entries and its events are committed together or not at all.
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { Type } from 'typebox'
import { eventually } from '../../test/eventually.ts'
import { type Answer, startHost } from '../../test/host.ts'
import { duringWrite } from '../../test/specimen/writes.ts'
import { specimen } from '../../test/specimen.ts'
import { nothing } from '../kit/answer.ts'
import type { OrgId } from '../kit/caller.ts'
import { event } from '../kit/events.ts'
import { orNone } from '../kit/fields.ts'
import { type Declare, operation } from '../kit/operation.ts'
import { service } from '../kit/service.ts'
import { services } from '../services/index.ts'

const teller = service({
  name: 'teller',
  what: 'For tests',
  operations: [
    {
      tell: operation({
        route: 'POST /v1/teller',
        summary: 'Emits an event for an organisation',
        access: 'bearer',
        project: 'chosen',
        input: { tenant: Type.Optional(Type.String()) },
        output: nothing,
        audit: 'none',
        emits: event('teller.told', 'It was told', {}),
        run: ({ write }, { tenant }) => write(async ({ emit }) => emit('teller.told', {}, tenant as OrgId | undefined)),
      }),
    },
  ],
})
const host = await startHost({ services: [...services, specimen, teller] })
await host.call('POST /v1/projects', { body: { slug: 'shop', name: 'Shop' } })
const rename = (name: string, more: object = {}) =>
  host.call('POST /v1/specimen/rename', { body: { slug: 'shop', name, ...more } })
const nameNow = async () => (await host.call('GET /v1/projects/shop')).body.name
const trail = async () => (await host.call('GET /v1/iam/audit?limit=200')).body.data

beforeEach(() => {
  duringWrite.run = async () => {}
  host.emitted.length = 0
})

describe('a write', () => {
  it('records the changes and emits its event with its tenant', async () => {
    const answer = await rename('Renamed')
    assert.equal(answer.status, 200)
    const [entry] = await trail()
    assert.equal(entry.what, 'specimen.rename')
    assert.deepEqual([entry.on, entry.changes], ['shop', { name: { to: 'Renamed' } }])
    const [envelope, ...more] = host.emitted
    assert.deepEqual(more, [])
    const { id, ...rest } = envelope as { id: string }
    assert.match(id, /^evt_\w{24}$/)
    assert.deepEqual(rest, {
      specversion: '1.0',
      source: host.baseUrl,
      type: 'specimen.renamed',
      time: '2026-11-15T09:00:00.000Z',
      tenant: 'home',
      data: { slug: 'shop', name: 'Renamed' },
    })
  })

  it('names the project to its own organisation, and not to another one', async () => {
    const headers = { 'x-project-id': 'shop' }
    for (const [body, tenant, project] of [
      [{}, 'home', 'shop'],
      [{ tenant: 'home' }, 'home', 'shop'],
      [{ tenant: 'other' }, 'other', undefined],
    ] as const) {
      assert.equal((await host.call('POST /v1/teller', { body, headers })).status, 204)
      const emitted = host.emitted.at(-1)
      assert.deepEqual([emitted?.tenant, emitted?.project], [tenant, project])
    }
  })

  it('that changes nothing leaves no audit entry and no event', async () => {
    const before = (await trail()).length
    assert.equal((await rename('Unseen', { changes: false })).status, 200)
    assert.equal((await trail()).length, before)
    assert.deepEqual(host.emitted, [])
  })

  it('that fails at the end leaves nothing', async () => {
    const before = (await trail()).length
    duringWrite.run = async () => {
      throw new TypeError('on purpose')
    }
    assert.equal((await host.call('POST /v1/specimen/failed-write')).status, 500)
    assert.equal((await trail()).length, before)
    assert.deepEqual(host.emitted, [])
    assert.equal((await host.call('GET /v1/projects/rolled-back')).status, 404)
  })

  it('is retried after a serialization failure and recorded once', async () => {
    const before = (await trail()).length
    duringWrite.run = async tries => {
      if (tries < 3) throw Object.assign(new Error('could not serialize'), { code: '40001' })
    }
    const answer = await rename('Third time')
    assert.deepEqual(answer.body, { tries: 3 })
    assert.equal(await nameNow(), 'Third time')
    assert.equal((await trail()).length, before + 1)
    assert.equal(host.emitted.length, 1)
  })

  it('that refers to something just deleted is answered 404 or 401, not 503', async () => {
    const tried: number[] = []
    duringWrite.run = async tries => {
      tried.push(tries)
      throw Object.assign(new Error('violates foreign key'), { code: '23503' })
    }
    const refused = await rename('Gone')
    assert.deepEqual([refused.status, tried], [401, [1, 2]])
    assert.match(refused.body.error.message, /was just deleted/)
  })

  it('succeeds after a real deadlock', async () => {
    await host.call('POST /v1/projects', { as: host.other.key, body: { slug: 'theirs', name: 'Theirs' } })
    const [both, waiting] = [Promise.withResolvers<void>(), { count: 0 }]
    const tried: number[] = []
    /** Each transaction locks its own project, then needs both. */
    duringWrite.run = async (tries, db) => {
      tried.push(tries)
      if (++waiting.count === 2) both.resolve()
      await both.promise
      await db`update projects set name = name where slug in ('shop', 'theirs')`
    }
    const cross = (as: string, slug: string) =>
      host.call('POST /v1/specimen/rename', { as, body: { slug, name: 'Crossed' } })
    const answers = await Promise.all([cross(host.home.key, 'shop'), cross(host.other.key, 'theirs')])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    // The aborted one may conflict with the other again.
    assert.deepEqual([...new Set(tried)].slice(0, 2), [1, 2])
  })

  it('answers 503 when it loses every retry', async () => {
    duringWrite.run = async () => {
      throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
    }
    const answer = await rename('Never')
    assert.deepEqual([answer.status, answer.body.error.code], [503, 'overloaded'])
    assert.notEqual(await nameNow(), 'Never')
  })

  it('with a credential without a user is recorded under that credential', async () => {
    const made = await host.call('POST /v1/account/keys', { body: { name: 'page', type: 'publishable' } })
    assert.equal((await host.call('POST /v1/specimen/record-entry', { as: made.body.key })).status, 204)
    const [entry] = await trail()
    assert.deepEqual(
      [entry.what, entry.credential, entry.user, entry.email],
      ['specimen.record', made.body.id, undefined, undefined],
    )
  })
})

describe('serialised writes of one organisation', () => {
  it('run one after the other and do not block those of another organisation', async () => {
    let [running, most] = [0, 0]
    const release = Promise.withResolvers<void>()
    duringWrite.run = async () => {
      most = Math.max(most, ++running)
      await release.promise
      running--
    }
    const own = Array.from({ length: 5 }, (_, at) => rename(`n${at}`))
    await eventually(
      () => running,
      count => count > 0,
    )
    await new Promise(done => setTimeout(done, 100))
    assert.equal(running, 1)
    duringWrite.run = async () => {}
    const other = await host.call('POST /v1/specimen/rename', { as: host.other.key, body: { slug: 'x', name: 'x' } })
    assert.equal(other.status, 200)
    release.resolve()
    assert.deepEqual([...new Set((await Promise.all(own)).map(({ status }) => status))], [200])
    assert.equal(most, 1)
  })

  it('are refused immediately when the queue is full; invalid input is not queued', async () => {
    const release = Promise.withResolvers<void>()
    duringWrite.run = () => release.promise
    const refused: Answer[] = []
    const calls = Array.from({ length: 105 }, async () => {
      const answer = await rename('Crowd')
      if (answer.status !== 200) refused.push(answer)
      return answer.status
    })
    // One runs and a hundred wait.
    await eventually(
      () => refused.length,
      count => count === 4,
    )
    const [one] = refused
    assert.deepEqual([one?.status, one?.body.error.code, one?.headers['retry-after']], [503, 'overloaded', '1'])
    assert.equal((await host.call('POST /v1/specimen/rename', { body: { slug: 'shop' } })).status, 400)
    release.resolve()
    const statuses = await Promise.all(calls)
    assert.equal(statuses.filter(status => status === 200).length, 101)
    assert.equal((await rename('After')).status, 200)
  })
})

describe('an operation that calls operations', () => {
  const callVia = (operation: string, input: object, options: object = {}) =>
    host.call('POST /v1/specimen/call-operation', { body: { operation, input }, ...options })

  it('calls operations as the presented caller; each call is logged and counted', async () => {
    const made = await callVia('createProject', { slug: 'by-call', name: 'By call' })
    assert.equal(made.body.output.slug, 'by-call')
    const id = made.headers['x-request-id']
    const lines = host.logged.filter(line => line.includes(`"request":"${id}"`)).map(line => JSON.parse(line))
    assert.deepEqual(
      lines.map(({ operation, method, status, org }) => [operation, method, status, org]),
      [
        ['createProject', 'POST', 201, 'home'],
        ['callOperation', 'POST', 200, undefined],
      ],
    )
    const [entry] = await trail()
    assert.deepEqual([entry.what, entry.requestId], ['project.create', id])
    assert.match(host.requests.text(), /operation="createProject",method="POST",status="201"/)
  })

  it('gets the same faults as over HTTP', async () => {
    for (const [operation, input, options, code] of [
      ['createProject', { slug: 'A B', name: 'x' }, {}, 'invalid_input'],
      ['createProject', { slug: 'by-call', name: 'x' }, {}, 'conflict'],
      ['createProject', { slug: 'a', name: 'x' }, { as: null }, 'credential_required'],
      ['superadminAccess', {}, {}, 'forbidden'],
      ['raw', { body: null }, {}, 'invalid_input'],
      ['parsed', { body: {} }, {}, 'invalid_input'],
      ['upload', {}, {}, 'invalid_input'],
      ['nosuch', {}, {}, 'not_found'],
    ] as const) {
      assert.equal((await callVia(operation, input, options)).body.code, code)
    }
  })

  it('requires the CSRF token for writes of a browser session', async () => {
    const browser = await host.signIn(host.home)
    const options = { as: null, headers: browser }
    assert.equal((await callVia('createProject', { slug: 'b', name: 'b' }, options)).body.code, 'csrf_token_required')
  })
})

describe('the declaration of an operation', () => {
  const declare = operation as unknown as (declared: object) => unknown
  const common = { route: 'POST /v1/x', summary: 'x', access: 'bearer', output: nothing, audit: 'none', run: () => {} }

  it('is rejected when it is contradictory', () => {
    for (const [more, why] of [
      [{ access: 'public', audit: 'x.y' }, /names its caller/],
      [{ route: 'GET /v1/x', audit: 'x.y' }, /leaves no entry/],
      [{ project: 'slug' }, /no input field slug/],
      [{ model: 'model' }, /no input field model/],
      [{ route: 'POST /v1/x/{id}' }, /lacks id/],
      [{ route: 'POST /v1/{id}/{id}', input: { id: Type.String() } }, /twice/],
      [{ body: 'bytes', input: { body: Type.String() } }, /`body`/],
      [{ route: 'GET /v1/x', body: 'bytes' }, /takes no body/],
      [{ body: () => ({ key: null }) }, /`ingest`/],
      [{ route: 'DELETE /v1/x', access: 'ingest', body: () => ({ key: null }) }, /takes no body/],
      [{ route: 'DELETE /v1/x', encodings: ['gzip'] }, /encodings/],
      [{ access: 'public', uses: ['meter'] }, /budget/],
      [{ input: { all: Type.Array(Type.String()) } }, /maxItems/],
      [{ input: { all: orNone(Type.Array(Type.String())) } }, /maxItems/],
      [{ input: { one: Type.Object({ all: Type.Optional(Type.Array(Type.String())) }) } }, /maxItems/],
      [{ input: { all: Type.Record(Type.String(), Type.String()) } }, /maxProperties/],
    ] as const) {
      assert.throws(() => declare({ ...common, ...more }), why)
    }
    assert.ok(declare(common))
  })

  it('must be below a path of its service', () => {
    assert.throws(() => service({ name: 'y', what: 'y', operations: [{ x: declare(common) }] }), /not below \/v1\/y/)
    assert.ok(service({ name: 'y', what: 'y', paths: ['/v1/y', '/v1/x'], operations: [{ x: declare(common) }] }))
  })

  it('does not compile with a write outside of a transaction', () => {
    const typed: Declare<{ greeting: string }> = operation as never
    typed({
      route: 'POST /v1/x',
      summary: 'x',
      access: 'bearer',
      audit: 'none',
      output: nothing,
      run: async ({ db, state, write }) => {
        state.greeting.toUpperCase()
        // @ts-expect-error reads have no transaction
        const wrong: import('../engines/engines.ts').Tx = db
        await write(async scope => {
          // @ts-expect-error without a declared audit entry nothing can be recorded
          scope.record?.(String(wrong))
        })
      },
    })
  })
})
