// Stopping and restarting Stoa: signals, damaged files, and data directories that are hard to reach or shared.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { client, firstRunOf, freshDirectory, refused, start, until, up } from '../process.ts'

describe('a signal', () => {
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) {
    it(`${signal} shuts everything down cleanly, even when sent several times`, async t => {
      const data = freshDirectory(t)
      const started = start({ STOA_DATA: data })
      await up(started)
      for (let times = 0; times < 3; times++) started.child.kill(signal)
      assert.equal(await started.ended, 0)
      assert.ok(!existsSync(join(data, 'postgres/postmaster.pid')))
      assert.ok(!existsSync(join(data, 'in-use')))
    })
  }

  it('aborts a start in progress and leaves no database running', async t => {
    const data = freshDirectory(t)
    const started = start({ STOA_DATA: data })
    while (!existsSync(join(data, 'postgres/postmaster.pid'))) await new Promise(done => setTimeout(done, 5))
    started.child.kill('SIGTERM')
    assert.equal(await started.ended, 0)
    assert.ok(!existsSync(join(data, 'postgres/postmaster.pid')))
  })
})

describe('files damaged between starts', () => {
  const firstStart = async (t: TestContext) => {
    const data = freshDirectory(t)
    const first = start({ STOA_DATA: data })
    await up(first)
    first.child.kill('SIGTERM')
    await first.ended
    return data
  }

  it('are reported in one line when they must not be replaced, and the database is stopped', async t => {
    const data = await firstStart(t)
    for (const [file, text] of [
      ['tls/ca.pem', ''],
      ['tls/ca.pem', 'garbage'],
      ['tls/ca-key.pem', '-----BEGIN PRIVATE KEY-----'],
    ] as const) {
      const path = join(data, file)
      const good = readFileSync(path)
      writeFileSync(path, text)
      await refused({ STOA_DATA: data }, /^stoa: .*ca\.pem or .*ca-key\.pem is damaged/)
      writeFileSync(path, good)
      await until(() => !existsSync(join(data, 'postgres/postmaster.pid')))
    }
    rmSync(join(data, 'postgres'), { recursive: true })
    for (const text of ['', '{}', '{"home":{"key":"x"}}']) {
      writeFileSync(join(data, 'first-run.json'), text)
      await refused({ STOA_DATA: data }, /^stoa: .*first-run\.json is damaged; delete it/)
      await until(() => !existsSync(join(data, 'postgres/postmaster.pid')))
    }
  })

  it('are replaced when nothing depends on them', async t => {
    const data = await firstStart(t)
    writeFileSync(join(data, 'tls/server.pem'), 'garbage')
    const second = start({ STOA_DATA: data })
    assert.equal((await client(data, await up(second)).call('GET /v1/health')).status, 200)
  })

  it('are left untouched when the database directory is not a database', async t => {
    const data = await firstStart(t)
    rmSync(join(data, 'postgres/PG_VERSION'))
    await refused({ STOA_DATA: data }, /^stoa: .*postgres exists and is not a database/)
    assert.ok(existsSync(join(data, 'postgres/base')))
  })
})

describe('a data directory with an awkward path', () => {
  it('works, and so does the printed command', async t => {
    const data = join(dirname(freshDirectory(t)), `it's my directory`)
    const started = start({ STOA_DATA: data })
    const baseUrl = await up(started)
    const command = started.output().split('Try it:')[1]?.trim() as string
    const printed = execFileSync('sh', ['-c', command.replace('curl', 'curl -sS')], { encoding: 'utf8', cwd: '/' })
    assert.deepEqual(JSON.parse(printed), { data: [], next: '' })
    assert.match(baseUrl, /^https:\/\/localhost/)
  })

  it('is refused when a shell would expand it, before anything is created', async t => {
    const data = join(dirname(freshDirectory(t)), 'a $HOME')
    await refused({ STOA_DATA: data }, /^stoa: PostgreSQL cannot run below .*must not contain/)
    assert.ok(!existsSync(join(data, 'postgres')))
  })
})

const root = process.getuid?.() === 0
const needsRoot = { skip: !root && 'only root runs the database as another user' }

describe('a data directory the database cannot reach', needsRoot, () => {
  it('has its database elsewhere, where it stays when permissions change later', async t => {
    const data = freshDirectory(t)
    chmodSync(dirname(data), 0o700)
    const run = async (work: (api: ReturnType<typeof client>) => Promise<void>) => {
      const started = start({ STOA_DATA: data })
      await work(client(data, await up(started), firstRunOf(data).home.key))
      started.child.kill('SIGTERM')
      assert.equal(await started.ended, 0)
      return started.output()
    }
    const output = await run(async api => {
      assert.equal((await api.call('POST /v1/projects', { slug: 'kept', name: 'Kept' })).status, 201)
    })
    const home = output.match(/Database {3}(.*)/)?.[1] as string
    t.after(() => rmSync(home, { recursive: true, force: true }))
    assert.match(home, /^\/var\/lib\/stoa\//)
    chmodSync(dirname(data), 0o711)
    await run(async api => {
      assert.equal((await api.call('GET /v1/projects/kept')).status, 200)
    })
    rmSync(home, { recursive: true })
    for (const name of ['first-run.json', 'root.key']) rmSync(join(data, name)) // As SECURITY.md advises.
    await refused({ STOA_DATA: data }, /^stoa: the database \/var\/lib\/stoa\/\w+ is missing; restore it/)
    assert.ok(!existsSync(home), 'no empty database took its place')
    writeFileSync(join(data, 'postgres-id'), '../../tmp/elsewhere')
    await refused({ STOA_DATA: data }, /^stoa: .*postgres-id is damaged/)
  })

  it('is refused when its database is inside and has become unreachable', async t => {
    const data = freshDirectory(t)
    const first = start({ STOA_DATA: data })
    await up(first)
    first.child.kill('SIGTERM')
    await first.ended
    chmodSync(dirname(data), 0o700)
    await refused({ STOA_DATA: data }, /^stoa: nobody can no longer reach/)
    chmodSync(dirname(data), 0o711)
    chownSync(join(data, 'postgres'), 0, 0) // As `cp -r` by root leaves it.
    await refused({ STOA_DATA: data }, /^stoa: the embedded PostgreSQL did not start: .*Permission denied/)
  })
})

describe('a data directory on a volume that two containers share', needsRoot, () => {
  it('is refused to the second, which cannot see the processes of the first', async t => {
    const data = freshDirectory(t)
    const first = start({ STOA_DATA: data })
    await up(first)
    // Any address, because the loopback interface of a new namespace is not up yet.
    const anywhere = ['--host', '0.0.0.0', '--metrics-host', '0.0.0.0']
    const other = spawnSync('unshare', ['--net', process.execPath, 'src/main.ts', '--data', data, ...anywhere], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    })
    if (/unshare failed|not permitted/.test(other.stderr)) return t.skip('namespaces cannot be created here')
    assert.notEqual(other.status, 0)
    assert.match(other.stderr, /in use by another Stoa/)
    assert.equal(
      (await client(data, first.output().match(/https:\S+(?=\/v1\n)/)?.[0] as string).call('GET /v1/health')).status,
      200,
    )
  })
})
