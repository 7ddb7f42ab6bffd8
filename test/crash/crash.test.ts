// Kills the whole process tree at random moments: no acknowledged write is lost, and every start recovers by itself.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { seededRandom, systemRandom } from '../../src/engines/random/random.ts'
import { eventually } from '../eventually.ts'
import { client, firstRunOf, freshDirectory, killTree, start, up } from '../process.ts'
import { rounds } from './rounds.ts'

const KILLS = 20
const KILLS_LEAST = 8
const seed = process.env.STOA_CRASH_SEED ?? systemRandom.token(8)

describe(`kill -9 (repeat with STOA_CRASH_SEED=${seed})`, () => {
  it('loses no acknowledged write when the process tree is killed', { timeout: 1_200_000 }, async t => {
    const random = seededRandom(seed)
    const below = (bound: number) => random.bytes(4).readUInt32LE() % bound
    const data = freshDirectory(t)
    const acknowledged: string[] = []
    let sent = 0
    for (const kill of rounds(KILLS, KILLS_LEAST)) {
      const started = start({ STOA_DATA: data, STOA_DB_CONNECTIONS: '8', STOA_PROJECTS_MAX: '999999' })
      // The first rounds are killed while the database is created; after that, at start and under load in alternation.
      const atStart = kill < 4 || kill % 2 === 0
      const delayMs = atStart ? 100 + below(1_500) : 50 + below(800)
      const writing = up(started).then(async baseUrl => {
        const { call } = client(data, baseUrl, firstRunOf(data).home.key)
        const writers = Array.from({ length: 8 }, async () => {
          for (;;) {
            const slug = `p${sent++}`
            const { status } = await call('POST /v1/projects', { slug, name: slug })
            if (status === 201) acknowledged.push(slug)
          }
        })
        await Promise.all(writers)
      })
      writing.catch(() => {}) // The kill interrupts the writers.
      if (!atStart) {
        const before = acknowledged.length
        await up(started)
        // Some writes at least, however slow the machine is.
        await eventually(
          () => acknowledged.length,
          count => count > before + 20,
        )
      }
      await wait(delayMs)
      await killTree(started, data)
      assert.doesNotMatch(started.errors(), /^stoa: /m)
    }

    const last = start({ STOA_DATA: data })
    const { call } = client(data, await up(last), firstRunOf(data).home.key)
    const found = new Set<string>()
    for (let after = ''; ; ) {
      const { body } = await call(`GET /v1/projects?limit=200&after=${after}`)
      for (const { slug } of body.data) found.add(slug)
      after = body.next
      if (after === '') break
    }
    assert.deepEqual(
      acknowledged.filter(slug => !found.has(slug)),
      [],
    )
    assert.ok(acknowledged.length > 100, `only ${acknowledged.length} writes were acknowledged, too few for this test`)
    assert.ok(!existsSync(join(data, 'postgres.new')))
    t.diagnostic(`${acknowledged.length} acknowledged, ${found.size} found, 0 lost`)
  })
})
