// Ends Stoa without letting it run any code: no process of its database may remain, even without a next start.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { startEmbedded } from '../../src/engines/db/embedded/server.ts'
import { eventually } from '../eventually.ts'
import { client, firstRunOf, freshDirectory, type Started, start, up } from '../process.ts'

/** The processes of a cluster, by name: `sh` is the watcher. */
function processesOf(data: string): { pid: number; name: string }[] {
  const clusters = ['postgres', 'postgres.new'].map(name => join(data, name))
  return readdirSync('/proc')
    .filter(entry => /^\d+$/.test(entry))
    .flatMap(pid => {
      try {
        const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
        const words = [...readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'), readlinkSync(`/proc/${pid}/cwd`)]
        return clusters.some(one => words.includes(one)) ? [{ pid: Number(pid), name }] : []
      } catch {
        return [] // It has ended.
      }
    })
}

const watchersOf = (data: string) => processesOf(data).filter(({ name }) => name === 'sh')
/** The server's process id; null while it does not accept connections. */
const postmasterOf = (data: string) => {
  const file = join(data, 'postgres/postmaster.pid')
  const [pid, ...state] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return state[6]?.trim() === 'ready' ? Number(pid) : null
}
const mapsSharedMemory = ({ pid }: { pid: number }) => {
  try {
    return readFileSync(`/proc/${pid}/maps`, 'utf8').includes('/dev/shm/')
  } catch {
    return false // It has ended.
  }
}

/** Waits until no process of the database is left; reports how long that took. */
async function noneLeft(t: TestContext, data: string): Promise<void> {
  const beginMs = performance.now()
  await eventually(
    () => processesOf(data),
    left => left.length === 0,
  )
  t.diagnostic(`the database had ended after ${Math.round(performance.now() - beginMs)} ms`)
}

/** Runs eight writers until the host is gone. `acknowledged` grows meanwhile. */
async function underLoad(data: string, started: Started) {
  const { call, close } = client(data, await up(started), firstRunOf(data).home.key)
  const acknowledged: string[] = []
  let sent = 0
  const writers = Array.from({ length: 8 }, async () => {
    for (;;) {
      const slug = `p${sent++}`
      if ((await call('POST /v1/projects', { slug, name: slug })).status === 201) acknowledged.push(slug)
    }
  })
  const interrupted = Promise.allSettled(writers).then(close)
  await eventually(
    () => acknowledged.length,
    count => count > 100,
  )
  return { acknowledged, interrupted }
}

async function assertKept(data: string, acknowledged: readonly string[]): Promise<void> {
  const next = start({ STOA_DATA: data })
  const { call, close } = client(data, await up(next), firstRunOf(data).home.key)
  for (const slug of acknowledged) assert.equal((await call(`GET /v1/projects/${slug}`)).status, 200, slug)
  await close()
}

describe('a process that dies', () => {
  it('by kill -9 leaves no database behind, and the next start has every acknowledged write', async t => {
    const data = freshDirectory(t)
    const started = start({ STOA_DATA: data })
    const { acknowledged, interrupted } = await underLoad(data, started)
    started.child.kill('SIGKILL')
    await Promise.all([started.ended, interrupted])
    await noneLeft(t, data)
    await assertKept(data, acknowledged)
  })

  it('because its heap is exhausted leaves no database behind', async t => {
    const data = freshDirectory(t)
    const module = join(dirname(data), 'exhaust.mjs')
    writeFileSync(
      module,
      `process.on('SIGUSR2', () => { for (const all = []; ; ) all.push(Array(1e5).fill(all.length)) })`,
    )
    const started = start({ STOA_DATA: data, NODE_OPTIONS: `--max-old-space-size=256 --import=${module}` })
    const { acknowledged, interrupted } = await underLoad(data, started)
    started.child.kill('SIGUSR2')
    await Promise.all([started.ended, interrupted])
    assert.equal(started.child.signalCode, 'SIGABRT')
    assert.match(started.errors(), /JavaScript heap out of memory/)
    await noneLeft(t, data)
    await assertKept(data, acknowledged)
  })

  it('while the database is created leaves no initdb behind', async t => {
    const data = freshDirectory(t)
    const started = start({ STOA_DATA: data })
    const creating = await eventually(
      () => processesOf(data).filter(({ name }) => name === 'initdb'),
      found => found.length > 0,
    )
    for (const { pid } of creating) process.kill(pid, 'SIGSTOP') // It would soon end by itself.
    started.child.kill('SIGKILL')
    await started.ended
    await noneLeft(t, data)
  })

  it('while the database is created leaves nothing in /dev/shm, which it does not use', async t => {
    const data = freshDirectory(t)
    const started = start({ STOA_DATA: data })
    const seen = new Set<string>()
    await eventually(
      () => {
        const found = processesOf(data)
        for (const { name } of found) seen.add(name)
        assert.deepEqual(found.filter(mapsSharedMemory), [])
        return existsSync(join(data, 'postgres'))
      },
      exists => exists,
    )
    assert.ok(seen.has('initdb') && seen.has('postgres'), `saw only ${[...seen]}`)
    started.child.kill('SIGKILL')
    await started.ended
    await noneLeft(t, data)
  })

  it('while the database starts leaves no database behind', async t => {
    const data = freshDirectory(t)
    const started = start({ STOA_DATA: data })
    await eventually(
      () => existsSync(join(data, 'postgres/postmaster.pid')),
      exists => exists,
    )
    started.child.kill('SIGKILL')
    await started.ended
    await noneLeft(t, data)
  })
})

describe('a process that does not die', () => {
  it('stops without leaving a server or a watcher', async t => {
    const data = freshDirectory(t)
    const started = start({ STOA_DATA: data })
    await up(started)
    assert.equal(watchersOf(data).length, 1)
    started.child.kill('SIGTERM')
    assert.equal(await started.ended, 0)
    await noneLeft(t, data)
  })

  it('has one watcher after its database died and was restarted', async t => {
    const data = freshDirectory(t)
    mkdirSync(data, { mode: 0o711 })
    const lost = (error: Error) => assert.fail(error)
    const server = await startEmbedded({ dataDirectory: data, log: () => {}, lost })
    for (let deaths = 0; deaths < 3; deaths++) {
      const killed = postmasterOf(data)
      process.kill(killed as number, 'SIGKILL')
      await eventually(
        () => postmasterOf(data),
        restarted => restarted !== null && restarted !== killed,
      )
      await eventually(
        () => watchersOf(data),
        watchers => watchers.length === 1,
      )
    }
    await server.stop()
    await noneLeft(t, data)
  })

  it('keeps its database when its watcher is killed, or when it is paused itself', async t => {
    const data = freshDirectory(t)
    const started = start({ STOA_DATA: data })
    const { call } = client(data, await up(started), firstRunOf(data).home.key)
    const postmaster = postmasterOf(data)
    started.child.kill('SIGSTOP')
    await new Promise(done => setTimeout(done, 500)) // Long enough for a watcher that takes a pause for an end.
    started.child.kill('SIGCONT')
    assert.equal(watchersOf(data).length, 1)
    for (const { pid } of watchersOf(data)) process.kill(pid, 'SIGKILL')
    await eventually(
      () => watchersOf(data),
      watchers => watchers.length === 0,
    )
    assert.equal((await call('GET /v1/projects')).status, 200)
    assert.equal(postmasterOf(data), postmaster)
    started.child.kill('SIGTERM')
    assert.equal(await started.ended, 0)
    await noneLeft(t, data)
  })
})
