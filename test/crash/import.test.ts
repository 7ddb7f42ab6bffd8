// Kills the whole process tree in the middle of taking a list, again and again: what had imported in part answers nowhere, the
// version before does, and the next run goes on with it, or throws it away when the publisher has moved on.
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { DATABASE_USER } from '../../src/engines/db/embedded/server.ts'
import { openPostgres } from '../../src/engines/db/postgres.ts'
import { seededRandom, systemRandom } from '../../src/engines/random/random.ts'
import { client, firstRunOf, freshDirectory, killTree, start, up } from '../process.ts'
import { small } from '../publishers.ts'

const KILLS = 20
/** Some answers come before the kill, and those do not count. */
const ROUNDS_MAX = 30
const MEMBERS = 60_000
/** So many are written at a time. */
const CHUNK = 5_000
/** Of the publisher that never changes. */
const OTHERS = 3
const seed = process.env.STOA_CRASH_SEED ?? systemRandom.token(8)
const random = seededRandom(seed)
const share = () => random.bytes(4).readUInt32LE() / 2 ** 32

/** Three lists: every other member is in all of them, and those between are in one alone and say in which. */
const LISTS = ['a', 'b', 'c'] as const
type List = (typeof LISTS)[number]
const nameOf = (n: number, list: string): string => `n${`${n}`.padStart(5, '0')}-${n % 2 === 0 ? 'all' : list}.com`
const textOf = (list: List): string => Array.from({ length: MEMBERS }, (_, n) => `${nameOf(n, list)}\n`).join('')

type World = Awaited<ReturnType<typeof openWorld>>

/** The product with a mirror of every publisher, of which one is changed from round to round. */
async function openWorld(t: TestContext) {
  const data = freshDirectory(t)
  const mirror = join(dirname(data), 'mirror')
  mkdirSync(mirror)
  const put = (source: string, text: string) => {
    writeFileSync(join(mirror, `${source}.new`), text)
    renameSync(join(mirror, `${source}.new`), join(mirror, source)) // Whoever reads it meanwhile reads a whole one.
  }
  for (const [source, text] of Object.entries(small)) put(source, text)
  const publish = (list: List) => put('disposable-mit', textOf(list))
  publish('a')
  const at = { socketDirectory: join(data, 'postgres'), database: 'postgres', user: DATABASE_USER }
  let live = await begin()

  async function begin() {
    const started = start({ STOA_DATA: data, STOA_RISK_MIRROR: pathToFileURL(mirror).href })
    const { call, close } = client(data, await up(started), firstRunOf(data).superadmin.key)
    return { started, call, close, db: openPostgres({ at, connectionsMax: 1, queueMax: 10 }) }
  }
  /** Nothing but the kill may have gone wrong: no start that failed, no answer that was our fault. That the worker finds
   *  somebody else taking a set is no fault. */
  async function kill(): Promise<void> {
    await killTree(live.started, data)
    assert.doesNotMatch(live.started.errors(), /^(stoa: |\{"level":[56]0)/m)
    live.close()
    await live.db.close()
  }
  /** What the dead held is free half a minute after it was taken; here that time passes at once. */
  async function startAgain(): Promise<void> {
    live = await begin()
    await live.db`update leases set until = clock_timestamp() where until <= pg_postmaster_start_time() + interval '30 s'`
  }
  const ask = async (route: string, body?: unknown) => {
    const answer = await live.call(route, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  const call = (route: string, body: unknown) => live.call(route, body)
  const counts = { kills: 0, answered: 0, 'cut off': 0 }
  const left = { 'before the first member': 0, 'half-way': 0, 'with every member written': 0, 'taken whole': 0 }
  const then = { 'went on': 0, 'discarded for another': 0, 'discarded for the one before': 0 }
  const versions = new Map<string, List>()
  return { publish, kill, startAgain, ask, call, db: () => live.db, versions, counts, left, then, seen: 0 }
}

const versionOf = ({ versions }: World, list: List) => [...versions].find(([, known]) => known === list)?.[0]

/** Asks for members of every list, from all over it, and answers the version that all of them were answered by: each hit
 *  is a member of that version, and so is no miss. Answers null while the set says that it is being loaded. */
async function answering(world: World, parts = 3): Promise<string | null> {
  let version: string | null = null
  for (let part = 0; part < parts; part++) {
    const places = Array.from({ length: 17 }, (_, at) => Math.floor(((at + share()) * MEMBERS) / 34) * 2)
    const keys = places.flatMap(n => [nameOf(n, 'all'), ...LISTS.map(list => nameOf(n + 1, list))])
    const body = { keys: [...keys, 'mailinator.com'], sets: ['domain'] }
    const { answers, consulted, refused } = await world.ask('POST /v1/risk/reference/resolve', body)
    assert.equal(answers.length, keys.length + 1)
    version = consulted[0].version as string
    if (refused.length > 0) {
      assert.match(consulted[0].refusal, /being loaded/)
      for (const { hit, refusal } of answers) assert.ok(!hit && refusal)
      return null
    }
    const list = world.versions.get(version)
    assert.ok(list, `a version that nobody published: ${version}`)
    for (const { key, hit, matched, version: own, refusal } of answers) {
      const isMember: boolean = !key.startsWith('n') || key.endsWith('-all.com') || key.endsWith(`-${list}.com`)
      assert.deepEqual([hit, matched, own, refusal], [isMember, isMember ? key : undefined, version, undefined], key)
    }
    world.seen += answers.length
  }
  return version
}

/** The same as the listing has it, which counts the members that answer. */
async function told(world: World): Promise<string> {
  const { sets } = await world.ask('GET /v1/risk/reference')
  const { version, keys, refusal, sources } = sets.find(({ set }: { set: string }) => set === 'domain')
  const [others, own] = sources
  assert.deepEqual([refusal, keys, others.keys, own.keys], [undefined, MEMBERS + OTHERS, OTHERS, MEMBERS])
  assert.deepEqual([others.refusal, own.refusal], [undefined, undefined])
  assert.equal(version, `${others.source}@${others.version}+${own.source}@${own.version}`)
  return version
}

/** The version that answers, as soon as one does. Whoever takes the set meanwhile, what is told is what answers. */
async function shown(world: World): Promise<string> {
  let version = await answering(world)
  for (let tries = 0; version === null && tries < 500; tries++) version = await wait(10).then(() => answering(world))
  const listed = await told(world)
  if (listed !== version) assert.equal(await answering(world), listed)
  return listed
}

/** Asks for a take of what the publisher has now; while somebody else takes the set, waits for that. */
async function refreshed(world: World) {
  const ask = () => world.call('POST /v1/risk/reference/refresh', { set: 'domain' })
  let answer = await ask()
  for (let tries = 0; answer.status === 409 && tries < 400; tries++) answer = await wait(100).then(ask)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

async function taken(world: World) {
  const { version, took } = await refreshed(world)
  const [others, own] = took
  assert.deepEqual([others.unchanged, own.refusal, own.keys], [true, undefined, MEMBERS])
  assert.equal(version, `${others.source}@${others.version}+${own.source}@${own.version}`)
  return { ...own, version: version as string }
}

/** Has each list once, to know its version, and answers how long the last take was. */
async function learn(world: World): Promise<number> {
  const isThere = async () => {
    const { sets } = await world.ask('GET /v1/risk/reference')
    return sets
      .filter(({ kind }: { kind: string }) => kind === 'fetch')
      .every(({ sources }: { sources: { version?: string }[] }) => sources.every(({ version }) => version))
  }
  for (let tries = 0; !(await isThere()); tries++) {
    assert.ok(tries < 600, 'the sets are not loaded')
    await wait(50)
  }
  let tookMs = 0
  for (const list of LISTS) {
    world.publish(list)
    const begunMs = performance.now()
    const { version } = await taken(world)
    tookMs = performance.now() - begunMs
    world.versions.set(version, list)
    assert.equal(await shown(world), version)
  }
  assert.equal(world.versions.size, LISTS.length)
  return tookMs
}

type Unfinished = { id: number; imported: number; version: string }

async function unfinishedImport(world: World): Promise<Unfinished | null> {
  const [row] = await world.db()<Unfinished>`select id, imported, version from risk_versions
    where source = 'disposable-mit' and state = 'importing'`
  return row ?? null
}

/** So long after a take was asked for, or once it has written so many members. */
type Moment = { afterMs: number } | { imported: number }

/** Kills in the middle of a take, with somebody looking on. Answers whether the take was cut off. */
async function killTaking(world: World, moment: Moment): Promise<boolean> {
  let isOver = false
  // A connection that broke; everything else that goes wrong is a finding.
  const broken = (error: NodeJS.ErrnoException) => {
    if (!/^(UND_ERR_SOCKET|UND_ERR_DESTROYED|ECONNRESET|ECONNREFUSED)$/.test(error.code ?? '')) throw error
    return null
  }
  const take = refreshed(world).catch(broken)
  const mark = () => {
    isOver = true
  }
  const over = take.then(mark, mark)
  const look = async () => {
    while (!isOver) {
      assert.ok(await answering(world, 1))
      await wait(20) // The take should have the machine for itself.
    }
  }
  const looking = look().then(() => null, broken)
  looking.catch(() => {}) // It is told below.
  if ('afterMs' in moment) await Promise.race([wait(moment.afterMs), over])
  else while (!isOver && ((await unfinishedImport(world))?.imported ?? 0) < moment.imported);
  await world.kill()
  const answer = await take
  await looking
  world.counts.kills++
  world.counts[answer === null ? 'cut off' : 'answered']++
  return answer === null
}

type Round = { before: List; next: List; published: List; moment: Moment }

/** Lets the publisher have the next list and kills the take of it. Then it has the one that is to be taken. */
async function round(world: World, { before, next, published, moment }: Round): Promise<void> {
  world.publish(next)
  const isCutOff = await killTaking(world, moment)
  world.publish(published)
  await world.startAgain()
  const list = world.versions.get(await shown(world)) as List
  // The worker may have taken what is published; otherwise it is the version before or the next.
  assert.ok([before, next, published].includes(list), list)
  if (!isCutOff) assert.ok(list === next || list === published, 'what was answered is there')
  const unfinished = await unfinishedImport(world)
  const unfinishedList = unfinished && LISTS.find(one => versionOf(world, one)?.endsWith(`@${unfinished.version}`))
  if (unfinished)
    assert.ok(unfinishedList !== list && (unfinishedList === next || unfinishedList === published), unfinished.version)
  if (list === next) world.left['taken whole']++
  else if (!unfinished?.imported) world.left['before the first member']++
  else world.left[unfinished.imported < MEMBERS ? 'half-way' : 'with every member written']++

  const took = await taken(world)
  assert.equal(took.version, versionOf(world, published))
  // This run wrote what was missing, unless somebody else did.
  const imported = unfinishedList === published ? (unfinished?.imported ?? 0) : 0
  assert.deepEqual([took.resumed, took.wrote], took.unchanged ? [false, 0] : [imported > 0, MEMBERS - imported])
  if (unfinished) {
    await isSettled(world, unfinished, unfinishedList === published)
    const moved = published === before ? 'discarded for the one before' : 'discarded for another'
    if (unfinished.imported > 0) world.then[unfinishedList === published ? 'went on' : moved]++
  }
  assert.equal(await shown(world), took.version)
  await isTidy(world)
}

/** The version that a kill had left half-way is the one that answers, or gone with all its members. */
async function isSettled(world: World, { id }: Unfinished, goesOn: boolean): Promise<void> {
  const [row] = await world.db()<{ state: string; held: boolean; answers: boolean }>`select state,
    exists (select from risk_members where version_id = id) as held,
    exists (select from risk_sources where version_id = id) as answers from risk_versions where id = ${id}`
  assert.deepEqual(row, { state: goesOn ? 'ready' : 'discarded', held: goesOn, answers: goesOn })
}

/** Nothing is under way any more, what is ready is whole, and members are held of two versions at most. */
async function isTidy(world: World): Promise<void> {
  const odd =
    await world.db()`select * from risk_versions where state = 'importing' or state = 'ready' and imported <> keys`
  const held = await world.db()`select distinct version_id from risk_members join risk_versions on id = version_id
    where source = 'disposable-mit'`
  assert.deepEqual([[...odd], held.length <= 2], [[], true])
}

/** By time in the even rounds, one out of each part of a take; by what it has written in the odd ones. */
function momentOf(turn: number, tookMs: number): Moment {
  const part = ((Math.floor(turn / 2) % 10) + share()) / 10
  return turn % 2 === 0 ? { afterMs: tookMs * part } : { imported: CHUNK * (1 + Math.floor(share() * 10)) }
}

/** In which rounds the publisher moves on before the next run, and in which it goes back. */
const MOVES_ON = [3, 9, 15]
const GOES_BACK = [7, 13]

describe(`kill -9 in the middle of a take (repeat with STOA_CRASH_SEED=${seed})`, () => {
  it(`${KILLS} times shows nowhere`, { timeout: 300_000 }, async t => {
    const world = await openWorld(t)
    const tookMs = await learn(world)
    const { counts, left, then } = world
    let before: List = 'c'
    for (let turn = 0; counts['cut off'] < KILLS; turn++) {
      assert.ok(turn < ROUNDS_MAX, `only ${counts['cut off']} of ${turn} kills cut a take off; the test proved little`)
      const [next, another] = LISTS.filter(list => list !== before) as [List, List]
      const published: List = MOVES_ON.includes(turn) ? another : GOES_BACK.includes(turn) ? before : next
      const moment = momentOf(turn, tookMs)
      await round(world, { before, next, published, moment }).catch(cause => {
        throw new Error(`round ${turn}, ${JSON.stringify(moment)}: ${cause.message}`, { cause })
      })
      before = published
    }
    const said = (what: object) => Object.entries(what).map(([name, count]) => `${count} ${name}`)
    t.diagnostic(`${said(counts).join(', ')}; a whole take is ${Math.round(tookMs)} ms`)
    t.diagnostic(`left ${said(left).join(', ')}; ${said(then).join(', ')}; ${world.seen} answers, 0 of a mixture`)
    for (const [what, count] of Object.entries({ 'half-way': left['half-way'], ...then })) {
      assert.ok(count > 0, `none ${what}; the test proved little`)
    }
  })
})
