// Replaces two processes of the previous version by two of this one, one after the other, while clients send requests to
// any process that accepts their connection: no request may fail, and every event is delivered.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openPostgres } from '../../src/engines/db/postgres.ts'
import { eventually } from '../eventually.ts'
import { externalPostgres } from '../external.ts'
import { client, eventsOf, firstRunOf, freshDirectory, start, up } from '../process.ts'
import { startReceiver } from '../webhook-receiver.ts'

/** The version whose processes may still run while this one starts. */
const BEFORE = '667e08cac4251dce21848253d13f75e209fc2bee'
const CLIENTS = 6
/** How long all processes are the same, before and after. */
const STEADY_MS = 2_000
const ERROR_LEVEL = 50

type Member = ReturnType<typeof client> & { started: ReturnType<typeof start> }
type Answer = Awaited<ReturnType<Member['call']>>

/** The source of that version with its dependencies, or why there is none. */
function checkedOut(t: TestContext, version: string): { root: string } | { missing: string } {
  // The clone may belong to another user.
  const git = ['-c', `safe.directory=${process.cwd()}`]
  if (spawnSync('git', [...git, 'cat-file', '-e', `${version}^{commit}`]).status !== 0) {
    return { missing: `this clone does not have the commit ${version}` }
  }
  const root = mkdtempSync(join(tmpdir(), 'stoa-before-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  execFileSync('tar', ['-x', '-C', root], {
    input: execFileSync('git', [...git, 'archive', version], { maxBuffer: 2 ** 28 }),
  })
  const lock = (directory: string) => readFileSync(join(directory, 'package-lock.json'), 'utf8')
  if (lock(root) === lock(process.cwd())) symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'))
  else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, stdio: 'ignore' })
  return { root }
}

/** As a load balancer does: the next process whose connection is accepted. A request that was sent is not sent again. */
function balanced(members: readonly Member[]) {
  let turn = 0
  return async (...request: Parameters<Member['call']>): Promise<Answer> => {
    for (let tries = 0; ; tries++) {
      const member = members[turn++ % members.length] as Member
      try {
        return await member.call(...request)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED' || tries > 10) throw error
      }
    }
  }
}

it('is done one process after the other without a failed request', { timeout: 600_000 }, async t => {
  const external = await externalPostgres()
  if ('missing' in external) return t.skip(external.missing)
  t.after(external.stop)
  const before = checkedOut(t, BEFORE)
  if ('missing' in before) return t.skip(before.missing)
  const receiver = await startReceiver()
  t.after(receiver.close)
  const settings = {
    ...{ DATABASE_URL: external.url, STOA_ROOT_KEY: Buffer.alloc(32, 7).toString('base64') },
    ...{ STOA_OUTBOUND_ALLOW: '127.0.0.1', STOA_OUTBOUND_CA: join(process.env.STOA_TEST_TLS as string, 'ca.pem') },
    ...{ STOA_EVENTS_PER_CLIENT: '999999', STOA_EVENTS_PER_PEER: '999999' },
  }
  let key = ''
  const members: Member[] = []
  const all: Member[] = []
  const add = async (root?: string) => {
    const data = freshDirectory(t)
    const started = start({ ...settings, STOA_DATA: data }, process.cwd(), 'collected', root)
    const baseUrl = await up(started)
    key ||= firstRunOf(data).home.key
    const member = { started, ...client(data, baseUrl, key) }
    members.push(member)
    all.push(member)
  }
  /** The load balancer notices only by refused connections. */
  const leave = async () => {
    const [oldest] = members as [Member]
    oldest.started.child.kill('SIGTERM')
    assert.equal(await oldest.started.ended, 0)
    members.shift()
  }
  await add(before.root)
  await add(before.root)
  const call = balanced(members)
  assert.equal((await call('POST /v1/webhooks', { url: receiver.url, events: ['shop.>'] })).status, 201)
  const over = { isOver: false }
  t.after(() => {
    over.isOver = true
  })
  const failed: string[] = []
  const sent = new Set<string>()
  let count = 0
  const send = async (route: string, status: number, body?: unknown) => {
    const answer = await call(route, body, { 'idempotency-key': `${count++}` }).catch((error: Error) => ({
      status: 0,
      body: String(error),
    }))
    if (answer.status !== status) failed.push(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.status === status
  }
  const clients = Array.from({ length: CLIENTS }, async (_, number) => {
    for (let n = 0; !over.isOver; n++) {
      const slug = `p${number}-${n}`
      const event = { event: 'order', subject: 'shop.order.created', properties: { slug } }
      if (await send('POST /v1/event', 200, event)) sent.add(slug)
      await send('POST /v1/projects', 201, { slug, name: slug })
      await send(`PATCH /v1/projects/${slug}`, 200, { name: `${slug} renamed` })
      await send('GET /v1/errors', 200)
      await send('PATCH /v1/event/settings', 200, { retentionDays: 30 + (n % 10) })
      await send(`DELETE /v1/projects/${slug}`, 204)
      await wait(10)
    }
  })
  await wait(STEADY_MS)
  await add()
  await leave()
  await add()
  await leave()
  await wait(STEADY_MS)
  over.isOver = true
  await Promise.all(clients)
  for (const { close } of all) await close()

  assert.deepEqual(failed.slice(0, 10), [], `${failed.length} of ${count} requests failed`)
  const slugOf = (body: string) => JSON.parse(body).data.properties.slug as string
  const delivered = () => new Set(receiver.received.map(({ body }) => slugOf(body)))
  await eventually(delivered, found => found.size === sent.size)
  assert.deepEqual(delivered(), sent)
  // The version before appended its events itself, this one has a consumer for that.
  const db = openPostgres({ at: { url: external.url }, connectionsMax: 1, queueMax: 10 })
  t.after(() => db.close())
  const stored = await eventually(
    () => db<{ slug: string }>`select properties->>'slug' as slug from events where event = 'order'`,
    rows => rows.length >= sent.size,
  )
  assert.deepEqual(stored.map(({ slug }) => slug).toSorted(), [...sent].toSorted())
  const errors = all.flatMap(({ started }) => eventsOf(started)).filter(({ level }) => level >= ERROR_LEVEL)
  assert.deepEqual(errors, [])
  t.diagnostic(`${count} requests, ${sent.size} events`)
})
