// What happens to a Stoa between its starts: signals, damaged files, places that are hard to reach or shared.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { client, firstRunOf, freshDirectory, refused, start, until, up } from '../process.ts'

describe('a signal', () => {
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) {
    it(`${signal}, also when it comes several times at once, ends everything in order`, async t => {
      const data = freshDirectory(t)
      const started = start({ STOA_DATA: data })
      await up(started)
      for (let times = 0; times < 3; times++) started.child.kill(signal)
      assert.equal(await started.ended, 0)
      assert.ok(!existsSync(join(data, 'postgres/postmaster.pid')))
      assert.ok(!existsSync(join(data, 'in-use')))
    })
  }

  it('during the start ends that start and leaves no database running', async t => {
    const data = freshDirectory(t)
    const started = start({ STOA_DATA: data })
    while (!existsSync(join(data, 'postgres/postmaster.pid'))) await new Promise(done => setTimeout(done, 5))
    started.child.kill('SIGTERM')
    assert.equal(await started.ended, 0)
    assert.ok(!existsSync(join(data, 'postgres/postmaster.pid')))
  })
})

describe('files that were damaged between starts', () => {
  const firstStart = async (t: TestContext) => {
    const data = freshDirectory(t)
    const first = start({ STOA_DATA: data })
    await up(first)
    first.child.kill('SIGTERM')
    await first.ended
    return data
  }

  it('are named in one line when people may depend on them, and the database is not left running', async t => {
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

  it('are made again when nobody can', async t => {
    const data = await firstStart(t)
    writeFileSync(join(data, 'tls/server.pem'), 'garbage')
    const second = start({ STOA_DATA: data })
    assert.equal((await client(data, await up(second)).call('GET /v1/health')).status, 200)
  })

  it('leave a database that is none alone', async t => {
    const data = await firstStart(t)
    rmSync(join(data, 'postgres/PG_VERSION'))
    await refused({ STOA_DATA: data }, /^stoa: .*postgres is there and is not a database/)
    assert.ok(existsSync(join(data, 'postgres/base')))
  })
})

describe('a data directory with an awkward path', () => {
  it('works, and so does the command that is printed', async t => {
    const data = join(dirname(freshDirectory(t)), `it's a place of mine`)
    const started = start({ STOA_DATA: data })
    const baseUrl = await up(started)
    const command = started.output().split('Try it:')[1]?.trim() as string
    const printed = execFileSync('sh', ['-c', command.replace('curl', 'curl -sS')], { encoding: 'utf8', cwd: '/' })
    assert.deepEqual(JSON.parse(printed), { data: [], next: '' })
    assert.match(baseUrl, /^https:\/\/localhost/)
  })

  it('is refused when a shell would read it otherwise, before anything is made of it', async t => {
    const data = join(dirname(freshDirectory(t)), 'a $HOME')
    await refused({ STOA_DATA: data }, /^stoa: PostgreSQL cannot be run below .*rename/)
    assert.ok(!existsSync(join(data, 'postgres')))
  })
})

const root = process.getuid?.() === 0
const closed = { skip: !root && 'only root runs the database as somebody else' }

describe('a data directory the database cannot reach', closed, () => {
  it('has its database elsewhere, which stays the same whatever is opened or closed later', async t => {
    const data = freshDirectory(t)
    chmodSync(dirname(data), 0o700)
    const run = async (work: (api: ReturnType<typeof client>) => Promise<void>) => {
      const started = start({ STOA_DATA: data })
      await work(client(data, await up(started), firstRunOf(data).home.key))
      started.child.kill('SIGTERM')
      assert.equal(await started.ended, 0)
      return started.output()
    }
    const said = await run(async api => {
      assert.equal((await api.call('POST /v1/projects', { slug: 'kept', name: 'Kept' })).status, 201)
    })
    const home = said.match(/Database {3}(.*)/)?.[1] as string
    t.after(() => rmSync(home, { recursive: true, force: true }))
    assert.match(home, /^\/var\/lib\/stoa\//)
    chmodSync(dirname(data), 0o711)
    await run(async api => {
      assert.equal((await api.call('GET /v1/projects/kept')).status, 200)
    })
  })

  it('is refused when its database was inside and has been closed off', async t => {
    const data = freshDirectory(t)
    const first = start({ STOA_DATA: data })
    await up(first)
    first.child.kill('SIGTERM')
    await first.ended
    chmodSync(dirname(data), 0o700)
    await refused({ STOA_DATA: data }, /^stoa: nobody can no longer reach/)
  })
})

describe('a data directory on a volume that two containers share', closed, () => {
  it('is refused to the second, which cannot see the first', async t => {
    const data = freshDirectory(t)
    const first = start({ STOA_DATA: data })
    await up(first)
    // Any address: the loopback of a new namespace is not up yet.
    const anywhere = ['--host', '0.0.0.0', '--metrics-host', '0.0.0.0']
    const other = spawnSync('unshare', ['--net', process.execPath, 'src/main.ts', '--data', data, ...anywhere], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    })
    if (/unshare failed|not permitted/.test(other.stderr)) return t.skip('namespaces cannot be made here')
    assert.notEqual(other.status, 0)
    assert.match(other.stderr, /in use by another Stoa/)
    assert.equal(
      (await client(data, first.output().match(/https:\S+(?=\/v1\n)/)?.[0] as string).call('GET /v1/health')).status,
      200,
    )
  })
})
