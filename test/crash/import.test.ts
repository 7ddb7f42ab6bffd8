// Kills the whole process tree in the middle of an import, again and again: a partially imported version never
// answers, the previous version does, and the next run resumes the import, or discards it if the source publishes
// another version.
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
import { rounds } from './rounds.ts'

const KILLS = 20
const KILLS_LEAST = 6
/** More than KILLS: rounds in which the import finishes before the kill do not count. */
const ROUNDS_MAX = 30
const ROUNDS_LEAST = 16
const MEMBERS = 60_000
/** Members written per transaction. */
const CHUNK = 5_000
/** Members of the source that never changes. */
const OTHERS = 3
const seed = process.env.STOA_CRASH_SEED ?? systemRandom.token(8)
const random = seededRandom(seed)
const share = () => random.bytes(4).readUInt32LE() / 2 ** 32

/** Three lists: every other member is in all of them; the rest are in one only and contain its name. */
const LISTS = ['a', 'b', 'c'] as const
type List = (typeof LISTS)[number]
const nameOf = (n: number, list: string): string => `n${`${n}`.padStart(5, '0')}-${n % 2 === 0 ? 'all' : list}.com`
const textOf = (list: List): string => Array.from({ length: MEMBERS }, (_, n) => `${nameOf(n, list)}\n`).join('')

type Fixture = Awaited<ReturnType<typeof openFixture>>

/** A running Stoa with a mirror of every source, one of which changes from round to round. */
async function openFixture(t: TestContext) {
  const data = freshDirectory(t)
  const mirror = join(dirname(data), 'mirror')
  mkdirSync(mirror)
  const put = (source: string, text: string) => {
    writeFileSync(join(mirror, `${source}.new`), text)
    renameSync(join(mirror, `${source}.new`), join(mirror, source)) // Readers always see a whole document.
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
  /** The log must contain no failed start and no error. A warning that a set is already being imported is fine. */
  async function kill(): Promise<void> {
    await killTree(live.started, data)
    assert.doesNotMatch(live.started.errors(), /^(stoa: |\{"level":[56]0)/m)
    live.close()
    await live.db.close()
  }
  /** Expires the leases of the killed process, which would otherwise last half a minute. */
  async function startAgain(): Promise<void> {
    live = await begin()
    await live.db`update leases set until = clock_timestamp() where until <= pg_postmaster_start_time() + interval '30 s'`
  }
  const callOk = async (route: string, body?: unknown) => {
    const answer = await live.call(route, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  const call = (route: string, body: unknown) => live.call(route, body)
  const counts = { kills: 0, answered: 0, 'cut off': 0 }
  const left = { 'before the first member': 0, 'half-way': 0, 'with every member written': 0, finished: 0 }
  const then = { resumed: 0, 'discarded for another': 0, 'discarded for the previous': 0 }
  const versions = new Map<string, List>()
  return { publish, kill, startAgain, callOk, call, db: () => live.db, versions, counts, left, then, answers: 0 }
}

const versionOf = ({ versions }: Fixture, list: List) => [...versions].find(([, known]) => known === list)?.[0]

/** Looks up members from all parts of every list, checks that hits and misses match the version of the answer, and
 *  returns that version. Returns null while the set is being loaded. */
async function answeringVersion(fixture: Fixture, parts = 3): Promise<string | null> {
  let version: string | null = null
  for (let part = 0; part < parts; part++) {
    const numbers = Array.from({ length: 17 }, (_, at) => Math.floor(((at + share()) * MEMBERS) / 34) * 2)
    const keys = numbers.flatMap(n => [nameOf(n, 'all'), ...LISTS.map(list => nameOf(n + 1, list))])
    const body = { keys: [...keys, 'mailinator.com'], sets: ['domain'] }
    const { answers, consulted, refused } = await fixture.callOk('POST /v1/risk/reference/resolve', body)
    assert.equal(answers.length, keys.length + 1)
    version = consulted[0].version as string
    if (refused.length > 0) {
      assert.match(consulted[0].refusal, /being loaded/)
      for (const { hit, refusal } of answers) assert.ok(!hit && refusal)
      return null
    }
    const list = fixture.versions.get(version)
    assert.ok(list, `a version that was never published: ${version}`)
    for (const { key, hit, matched, version: own, refusal } of answers) {
      const isMember: boolean = !key.startsWith('n') || key.endsWith('-all.com') || key.endsWith(`-${list}.com`)
      assert.deepEqual([hit, matched, own, refusal], [isMember, isMember ? key : undefined, version, undefined], key)
    }
    fixture.answers += answers.length
  }
  return version
}

/** Checks the number of members in the listing and returns the version. */
async function listedVersion(fixture: Fixture): Promise<string> {
  const { sets } = await fixture.callOk('GET /v1/risk/reference')
  const { version, keys, refusal, sources } = sets.find(({ set }: { set: string }) => set === 'domain')
  const [others, own] = sources
  assert.deepEqual([refusal, keys, others.keys, own.keys], [undefined, MEMBERS + OTHERS, OTHERS, MEMBERS])
  assert.deepEqual([others.refusal, own.refusal], [undefined, undefined])
  assert.equal(version, `${others.source}@${others.version}+${own.source}@${own.version}`)
  return version
}

/** Waits until a version answers and returns it. The listing must contain the same version, even if the schedule
 *  imports another one in between. */
async function currentVersion(fixture: Fixture): Promise<string> {
  let version = await answeringVersion(fixture)
  for (let tries = 0; version === null && tries < 500; tries++)
    version = await wait(10).then(() => answeringVersion(fixture))
  const listed = await listedVersion(fixture)
  if (listed !== version) assert.equal(await answeringVersion(fixture), listed)
  return listed
}

/** Refreshes the set; while the schedule imports it, waits for that. */
async function refresh(fixture: Fixture) {
  const send = () => fixture.call('POST /v1/risk/reference/refresh', { set: 'domain' })
  let answer = await send()
  for (let tries = 0; answer.status === 409 && tries < 400; tries++) answer = await wait(100).then(send)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

async function importList(fixture: Fixture) {
  const { version, took } = await refresh(fixture)
  const [others, own] = took
  assert.deepEqual([others.unchanged, own.refusal, own.keys], [true, undefined, MEMBERS])
  assert.equal(version, `${others.source}@${others.version}+${own.source}@${own.version}`)
  return { ...own, version: version as string }
}

/** Imports each list once to record its version, and returns how long the last import took. */
async function recordVersions(fixture: Fixture): Promise<number> {
  const allLoaded = async () => {
    const { sets } = await fixture.callOk('GET /v1/risk/reference')
    return sets
      .filter(({ kind }: { kind: string }) => kind === 'fetch')
      .every(({ sources }: { sources: { version?: string }[] }) => sources.every(({ version }) => version))
  }
  for (let tries = 0; !(await allLoaded()); tries++) {
    assert.ok(tries < 600, 'the sets are not loaded')
    await wait(50)
  }
  let importMs = 0
  for (const list of LISTS) {
    fixture.publish(list)
    const begunMs = performance.now()
    const { version } = await importList(fixture)
    importMs = performance.now() - begunMs
    fixture.versions.set(version, list)
    assert.equal(await currentVersion(fixture), version)
  }
  assert.equal(fixture.versions.size, LISTS.length)
  return importMs
}

type Unfinished = { id: number; imported: number; version: string }

async function unfinishedImport(fixture: Fixture): Promise<Unfinished | null> {
  const [row] = await fixture.db()<Unfinished>`select id, imported, version from risk_versions
    where source = 'disposable-mit' and state = 'importing'`
  return row ?? null
}

/** When to kill: a time after the request, or once the import has written this many members. */
type Moment = { afterMs: number } | { imported: number }

/** Kills the process in the middle of an import, during concurrent look-ups. Returns whether the import was cut off. */
async function killImport(fixture: Fixture, moment: Moment): Promise<boolean> {
  let isOver = false
  // Accepts broken connections only.
  const requireBroken = (error: NodeJS.ErrnoException) => {
    if (!/^(UND_ERR_SOCKET|UND_ERR_DESTROYED|ECONNRESET|ECONNREFUSED)$/.test(error.code ?? '')) throw error
    return null
  }
  const refreshing = refresh(fixture).catch(requireBroken)
  const markOver = () => {
    isOver = true
  }
  const over = refreshing.then(markOver, markOver)
  const lookUp = async () => {
    while (!isOver) {
      assert.ok(await answeringVersion(fixture, 1))
      await wait(20) // Leaves the CPU to the import.
    }
  }
  const lookingUp = lookUp().then(() => null, requireBroken)
  lookingUp.catch(() => {}) // Awaited below.
  if ('afterMs' in moment) await Promise.race([wait(moment.afterMs), over])
  else while (!isOver && ((await unfinishedImport(fixture))?.imported ?? 0) < moment.imported);
  await fixture.kill()
  const answer = await refreshing
  await lookingUp
  fixture.counts.kills++
  fixture.counts[answer === null ? 'cut off' : 'answered']++
  return answer === null
}

type Round = { before: List; next: List; published: List; moment: Moment }

/** Publishes the next list, kills its import, publishes `published` and imports that. */
async function runRound(fixture: Fixture, { before, next, published, moment }: Round): Promise<void> {
  fixture.publish(next)
  const isCutOff = await killImport(fixture, moment)
  fixture.publish(published)
  await fixture.startAgain()
  const list = fixture.versions.get(await currentVersion(fixture)) as List
  // The schedule may have imported `published` already.
  assert.ok([before, next, published].includes(list), list)
  if (!isCutOff) assert.ok(list === next || list === published, 'an import that was answered is current')
  const unfinished = await unfinishedImport(fixture)
  const unfinishedList = unfinished && LISTS.find(one => versionOf(fixture, one)?.endsWith(`@${unfinished.version}`))
  if (unfinished)
    assert.ok(unfinishedList !== list && (unfinishedList === next || unfinishedList === published), unfinished.version)
  if (list === next) fixture.left.finished++
  else if (!unfinished?.imported) fixture.left['before the first member']++
  else fixture.left[unfinished.imported < MEMBERS ? 'half-way' : 'with every member written']++

  const result = await importList(fixture)
  assert.equal(result.version, versionOf(fixture, published))
  // This run wrote what was missing, unless the schedule did.
  const imported = unfinishedList === published ? (unfinished?.imported ?? 0) : 0
  assert.deepEqual([result.resumed, result.wrote], result.unchanged ? [false, 0] : [imported > 0, MEMBERS - imported])
  if (unfinished) {
    await checkSettled(fixture, unfinished, unfinishedList === published)
    const discarded = published === before ? 'discarded for the previous' : 'discarded for another'
    if (unfinished.imported > 0) fixture.then[unfinishedList === published ? 'resumed' : discarded]++
  }
  assert.equal(await currentVersion(fixture), result.version)
  await checkTidy(fixture)
}

/** The version that a kill left unfinished is either current or discarded with all its members. */
async function checkSettled(fixture: Fixture, { id }: Unfinished, isResumed: boolean): Promise<void> {
  const [row] = await fixture.db()<{ state: string; hasMembers: boolean; isCurrent: boolean }>`select state,
    exists (select from risk_members where version_id = id) as "hasMembers",
    exists (select from risk_sources where version_id = id) as "isCurrent" from risk_versions where id = ${id}`
  assert.deepEqual(row, { state: isResumed ? 'ready' : 'discarded', hasMembers: isResumed, isCurrent: isResumed })
}

/** No import is unfinished, every ready version is complete, and at most two versions have members. */
async function checkTidy(fixture: Fixture): Promise<void> {
  const inconsistent =
    await fixture.db()`select * from risk_versions where state = 'importing' or state = 'ready' and imported <> keys`
  const withMembers =
    await fixture.db()`select distinct version_id from risk_members join risk_versions on id = version_id
    where source = 'disposable-mit'`
  assert.deepEqual([[...inconsistent], withMembers.length <= 2], [[], true])
}

/** In even rounds a time, spread over all parts of an import; in odd rounds a number of members written. */
function momentOf(index: number, importMs: number): Moment {
  const part = ((Math.floor(index / 2) % 10) + share()) / 10
  return index % 2 === 0 ? { afterMs: importMs * part } : { imported: CHUNK * (1 + Math.floor(share() * 10)) }
}

/** The rounds in which the source publishes another list before the next run, and in which it reverts to the previous
 *  one. */
const CHANGES = [3, 9, 15]
const REVERTS = [7, 13]

describe(`kill -9 in the middle of an import (repeat with STOA_CRASH_SEED=${seed})`, () => {
  it('never shows a partial version', { timeout: 1_500_000 }, async t => {
    const fixture = await openFixture(t)
    const importMs = await recordVersions(fixture)
    const { counts, left, then } = fixture
    let before: List = 'c'
    for (const round of rounds(ROUNDS_MAX, ROUNDS_LEAST)) {
      if (counts['cut off'] === KILLS) break
      const [next, another] = LISTS.filter(list => list !== before) as [List, List]
      const published: List = CHANGES.includes(round) ? another : REVERTS.includes(round) ? before : next
      const moment = momentOf(round, importMs)
      await runRound(fixture, { before, next, published, moment }).catch(cause => {
        throw new Error(`round ${round}, ${JSON.stringify(moment)}: ${cause.message}`, { cause })
      })
      before = published
    }
    assert.ok(counts['cut off'] >= KILLS_LEAST, 'too few kills cut an import off to be conclusive')
    const texts = (what: object) => Object.entries(what).map(([name, count]) => `${count} ${name}`)
    t.diagnostic(`${texts(counts).join(', ')}; a whole import takes ${Math.round(importMs)} ms`)
    t.diagnostic(
      `left ${texts(left).join(', ')}; ${texts(then).join(', ')}; ${fixture.answers} answers, none from a mixed version`,
    )
    for (const [what, count] of Object.entries({ 'half-way': left['half-way'], ...then })) {
      assert.ok(count > 0, `no import was ${what}; not conclusive`)
    }
  })
})
