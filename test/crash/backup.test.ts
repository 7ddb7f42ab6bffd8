// A backup of a host under load is restored into another directory, and a host continues there with the events, sealed
// secrets, sessions and positions at the time of the backup. Killed backups and restores leave nothing behind.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { decodeJwt } from 'jose'
import Stripe from 'stripe'
import { Agent, fetch as undiciFetch } from 'undici'
import { DATABASE_USER } from '../../src/engines/db/embedded/server.ts'
import { openPostgres } from '../../src/engines/db/postgres.ts'
import { eventually } from '../eventually.ts'
import type { RequestOptions, TestHost } from '../host.ts'
import { type Identity, openBrowser, plantPerson, registerApp } from '../identity.ts'
import { client, eventsOf, firstRunOf, freePort, freshDirectory, refused, start, up } from '../process.ts'
import { startReceiver } from '../webhook-receiver.ts'

const SENDERS = 6
const UNLIMITED = { STOA_EVENTS_PER_CLIENT: '999999', STOA_EVENTS_PER_PEER: '999999' }
/** This many rows take some seconds to copy. */
const BALLAST_ROWS = 400_000
const ERROR_LEVEL = 50

type Ended = { status: number | null; output: string; errors: string }

function command(name: 'backup' | 'restore', file: string, data: string, settings: Record<string, string> = {}) {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, NODE_COMPILE_CACHE, STOA_DATA: data, ...settings }
  const child = spawn(process.execPath, [`src/backup/${name}.ts`, file], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  return { child, ended: endOf(child) }
}

async function endOf(child: ChildProcess): Promise<Ended> {
  const [output, errors] = [text(child.stdout!), text(child.stderr!)]
  const status = await new Promise<number | null>(resolve => child.once('exit', resolve))
  return { status, output: await output, errors: await errors }
}

async function succeeded({ ended }: { ended: Promise<Ended> }): Promise<string> {
  const { status, output, errors } = await ended
  assert.equal(status, 0, errors)
  return output
}

/** The database of a running host, as the account that started it. */
function databaseOf(data: string) {
  const at = { socketDirectory: join(data, 'postgres'), database: 'postgres', user: DATABASE_USER }
  return openPostgres({ at, connectionsMax: 2, queueMax: 10, waitMs: 60_000 })
}

/** Enough that a kill finds a copy in progress. */
async function addBallast(data: string): Promise<void> {
  const db = databaseOf(data)
  await db.session(async ({ script }) => {
    await script(`create table ballast as
      select n, repeat(md5(n::text), 20) as text from generate_series(1, ${BALLAST_ROWS}) n`)
  })
  await db.close()
}

async function stopped(started: ReturnType<typeof start>): Promise<void> {
  started.child.kill('SIGTERM')
  assert.equal(await started.ended, 0, started.errors())
}

/** A host that was started once, with something to copy, and is stopped. */
async function filledDirectory(t: TestContext): Promise<string> {
  const data = freshDirectory(t)
  const started = start({ STOA_DATA: data })
  await up(started)
  await addBallast(data)
  await stopped(started)
  return data
}

describe('a backup under load', () => {
  it('has everything acknowledged before it, and a host can continue with it', { timeout: 300_000 }, async t => {
    const receiver = await startReceiver()
    t.after(receiver.close)
    const [data, restored] = [freshDirectory(t), freshDirectory(t)]
    const settings = {
      ...{ STOA_PORT: await freePort(), STOA_IAM_PORT: await freePort(), ...UNLIMITED },
      ...{ STOA_OUTBOUND_ALLOW: '127.0.0.1', STOA_OUTBOUND_CA: join(process.env.STOA_TEST_TLS as string, 'ca.pem') },
    }
    const first = start({ ...settings, STOA_DATA: data })
    const baseUrl = await up(first)
    await addBallast(data)
    const { home, iamUrl: issuer } = firstRunOf(data)
    const { call, close } = client(data, baseUrl, home.key)
    const secret: string = (await call('POST /v1/webhooks', { url: receiver.url, events: ['shop.>'] })).body.secret
    const agent = new Agent({ connect: { ca: readFileSync(join(data, 'tls/ca.pem'), 'utf8') } })
    t.after(() => agent.destroy())
    const fetch = ((url: string, init?: object) =>
      undiciFetch(url, { ...init, dispatcher: agent } as never)) as unknown as typeof globalThis.fetch
    const asHost = { home, call: (route: string, { body }: RequestOptions) => call(route, body) } as unknown as TestHost
    const web = await registerApp(asHost, { issuer, fetch } as Identity, { app: 'web' })
    const ada = await plantPerson(asHost, 'ada@home.test')
    const { tokens } = await web.signIn(ada, openBrowser(fetch))

    const over = { isOver: false }
    const sent: string[] = []
    const send = async (n: string) => {
      const event = { event: 'order', subject: 'shop.order.created', properties: { n } }
      assert.equal((await call('POST /v1/event', event)).status, 200)
      sent.push(n)
    }
    const senders = Array.from({ length: SENDERS }, async (_, number) => {
      for (let n = 0; !over.isOver; n++) {
        await send(`${number}-${n}`)
        const slug = `p${number}-${n}`
        assert.equal((await call('POST /v1/projects', { slug, name: slug })).status, 201)
        if (n > 0) assert.equal((await call(`DELETE /v1/projects/p${number}-${n - 1}`)).status, 204)
      }
    })
    await wait(1_000)
    const deliveredBefore = new Set(receiver.received.map(({ body }) => orderOf(body)))
    const before = [...sent]
    const file = join(dirname(data), 'stoa.tar.zst')
    await succeeded(command('backup', file, data))
    const during = sent.length - before.length
    await wait(500)
    over.isOver = true
    await Promise.all(senders)
    await stopped(first)
    await close()
    assert.ok(during > 20, `${during} events were sent during the backup`)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.deepEqual(partsOf(file), [])

    await succeeded(command('restore', file, restored))
    const fromBackup = receiver.received.length
    const second = start({ ...settings, STOA_DATA: restored })
    await up(second)
    const again = client(restored, baseUrl, home.key)
    t.after(again.close)

    // What was acknowledged is there.
    const db = databaseOf(restored)
    t.after(db.close)
    const selectStored = () => db<{ n: string }>`select properties->>'n' as n from events where event = 'order'`
    const rows = await eventually(selectStored, found => found.length >= before.length)
    const stored = new Set(rows.map(({ n }) => n))
    assert.deepEqual(
      before.filter(n => !stored.has(n)),
      [],
    )
    assert.equal(rows.length, stored.size, 'no event is stored twice')
    assert.equal(Number((await db<{ count: number }>`select count(*) from ballast`)[0]?.count), BALLAST_ROWS)
    // Sessions and the keys that sign them.
    assert.equal((await client(restored, baseUrl, tokens.access_token).call('GET /v1/iam/me')).status, 200)
    const refreshed = await web.refresh(tokens.refresh_token)
    assert.equal(refreshed.status, 200, JSON.stringify(refreshed.body))
    assert.equal(decodeJwt(refreshed.body.access_token).sub, decodeJwt(tokens.access_token).sub)
    // Consumers continue from their positions: pending events are delivered, delivered ones are not, and new ones are.
    assert.equal(
      (await again.call('POST /v1/event', { event: 'order', subject: 'shop.order.created', properties: { n: 'new' } }))
        .status,
      200,
    )
    const delivered = () => new Set(receiver.received.map(({ body }) => orderOf(body)))
    const expected = [...stored, 'new']
    await eventually(delivered, found => expected.every(n => found.has(n)))
    const repeated = receiver.received.slice(fromBackup).filter(({ body }) => deliveredBefore.has(orderOf(body)))
    assert.deepEqual(repeated, [], 'a delivery whose outcome was stored is not repeated')
    const last = receiver.received.find(({ body }) => orderOf(body) === 'new')
    new Stripe('sk_test').webhooks.constructEvent(last?.body ?? '', `${last?.headers['x-webhook-signature']}`, secret)
    assert.deepEqual(
      eventsOf(second).filter(({ level }) => level >= ERROR_LEVEL),
      [],
    )
    t.diagnostic(`${before.length} events before the backup, ${during} during it`)
  })
})

const partsOf = (file: string) =>
  readdirSync(dirname(file)).filter(name => name.startsWith(basename(file)) && name.endsWith('.partial'))

/** Until a backup has written something. */
async function written(file: string): Promise<void> {
  const size = () => partsOf(file).map(name => statSync(join(dirname(file), name)).size)[0] ?? 0
  while (size() < 1_000_000) await wait(2)
}

const orderOf = (body: string): string => JSON.parse(body).data.properties.n

describe('a killed backup', () => {
  it('leaves no file of that name and nothing in the database, and the next one succeeds', async t => {
    const data = freshDirectory(t)
    const started = start({ STOA_DATA: data })
    await up(started)
    await addBallast(data)
    const file = join(dirname(data), 'stoa.tar.zst')
    const { child, ended } = command('backup', file, data)
    await written(file)
    child.kill('SIGKILL')
    await ended
    assert.ok(!existsSync(file))
    const db = databaseOf(data)
    const slots = () => db`select from pg_replication_slots`
    await eventually(slots, ({ length }) => length === 0)
    await db.close()
    await succeeded(command('backup', file, data))
    assert.equal(partsOf(file).length, 1, 'that of the killed one')
    await stopped(started)
  })

  it('with SIGTERM says so, and leaves nothing', async t => {
    const data = freshDirectory(t)
    const started = start({ STOA_DATA: data })
    await up(started)
    await addBallast(data)
    const file = join(dirname(data), 'stoa.tar.zst')
    const { child, ended } = command('backup', file, data)
    await written(file)
    child.kill('SIGTERM')
    await wait(1)
    child.kill('SIGTERM') // A terminal signals npm and the command, and npm passes its signal on.
    assert.deepEqual(await ended.then(({ status, errors }) => [status, errors]), [
      1,
      'stoa: stopped by SIGTERM; nothing was kept\n',
    ])
    assert.deepEqual([existsSync(file), partsOf(file)], [false, []])
    await stopped(started)
  })
})

describe('backups', () => {
  it('to one name at the same time: one is kept, whole, and the other one says so', async t => {
    const [data, restored] = [freshDirectory(t), freshDirectory(t)]
    const started = start({ STOA_DATA: data })
    await up(started)
    await addBallast(data)
    const file = join(dirname(data), 'stoa.tar.zst')
    const [one, other] = [command('backup', file, data), command('backup', file, data)]
    const ends = await Promise.all([one.ended, other.ended])
    assert.deepEqual(ends.map(({ status }) => status).sort(), [0, 1])
    assert.match(ends.find(({ status }) => status === 1)?.errors ?? '', /was created during the backup|exists; choose/)
    assert.deepEqual(partsOf(file), [])
    await stopped(started)
    await succeeded(command('restore', file, restored))
  })

  it('are private, follow no link, and have files with long names', async t => {
    const [data, restored] = [await filledDirectory(t), freshDirectory(t)]
    const file = join(dirname(data), 'stoa.tar.zst')
    const long = `${'ü'.repeat(110)}.eml`
    mkdirSync(join(data, 'mail'), { recursive: true })
    writeFileSync(join(data, 'mail', long), 'Hello')
    symlinkSync('.', join(data, 'loop'))
    const { status, errors } = await command('backup', file, data).ended
    assert.equal(status, 0, errors)
    assert.match(errors, /^Not in the backup: loop \(a link or a special file\)$/m)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    await succeeded(command('restore', file, restored))
    assert.equal(readFileSync(join(restored, 'mail', long), 'utf8'), 'Hello')
    assert.ok(!existsSync(join(restored, 'loop')))
  })

  it('are refused of a directory whose restore was interrupted', async t => {
    const data = await filledDirectory(t)
    writeFileSync(join(data, 'restoring'), '')
    const { status, errors } = await command('backup', join(dirname(data), 'stoa.tar.zst'), data).ended
    assert.equal(status, 1)
    assert.match(errors, /^stoa: a restore into .* was interrupted; run npm run restore again/)
  })
})

describe('a restore', () => {
  it('that was killed cannot be started, and is done again', async t => {
    const [data, restored] = [await filledDirectory(t), freshDirectory(t)]
    const file = join(dirname(data), 'stoa.tar.zst')
    await succeeded(command('backup', file, data)) // Stoa is stopped: the backup starts the database itself.
    for (const moment of ['base', 'tls']) {
      const { child, ended } = command('restore', file, restored)
      const seen = () => existsSync(join(restored, 'postgres.new', moment)) || existsSync(join(restored, moment))
      while (!seen() && child.exitCode === null) await wait(1)
      child.kill('SIGKILL')
      await ended
      await refused({ STOA_DATA: restored }, /^stoa: a restore into .* was interrupted; run npm run restore again/)
    }
    await succeeded(command('restore', file, restored))
    const started = start({ STOA_DATA: restored })
    const baseUrl = await up(started)
    const { home } = firstRunOf(data)
    assert.equal((await client(restored, baseUrl, home.key).call('GET /v1/projects')).status, 200)
  })

  it('of a damaged file leaves the directory empty', async t => {
    const [data, restored] = [await filledDirectory(t), freshDirectory(t)]
    const file = join(dirname(data), 'stoa.tar.zst')
    await succeeded(command('backup', file, data))
    const whole = readFileSync(file)
    const flipped = Buffer.from(whole)
    flipped.writeUInt8(flipped.readUInt8(whole.length >> 1) ^ 1, whole.length >> 1)
    const damaged = {
      cut: whole.subarray(0, -1_000),
      half: whole.subarray(0, whole.length >> 1),
      flipped,
      text: 'no backup',
    }
    for (const [name, content] of Object.entries(damaged)) {
      const path = join(dirname(data), name)
      writeFileSync(path, content)
      const { status, errors } = await command('restore', path, restored).ended
      assert.equal(status, 1, name)
      assert.match(errors, /^stoa: .* was not restored: it is damaged, incomplete or not a backup/, name)
      assert.deepEqual(readdirSync(restored), [], name)
    }
  })

  it('and a backup are refused where they could overwrite something', async t => {
    const data = freshDirectory(t)
    const started = start({ STOA_DATA: data })
    await up(started)
    const file = join(dirname(data), 'stoa.tar.zst')
    const says = async (name: 'backup' | 'restore', path: string, expected: RegExp, more = {}) => {
      const { status, errors } = await command(name, path, data, more).ended
      assert.deepEqual([status, expected.test(errors)], [1, true], errors)
    }
    await succeeded(command('backup', file, data))
    await says('backup', file, /stoa\.tar\.zst exists; choose another name/)
    await says('backup', join(data, 'x'), /is inside the data directory/)
    await says('backup', '/does-not-exist/x', /there is no directory \/does-not-exist/)
    await says('backup', `${file}2`, /DATABASE_URL is set: .*pg_dump/, { DATABASE_URL: 'postgres://x@127.0.0.1/x' })
    await says('restore', file, /is in use by another Stoa/)
    await stopped(started)
    await says('restore', file, /is not empty/)
    await says('restore', `${file}2`, /there is no file/)
    assert.ok(existsSync(join(data, 'postgres/PG_VERSION')))
  })
})
