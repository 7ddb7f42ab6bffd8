// The requirements for every log.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Database, type Envelope, INGESTED, type Log, type LogPosition } from '../../src/engines/engines.ts'
import { eventually } from '../eventually.ts'

let made = 0

export const newEnvelope = (tenant: string, type: string, data: unknown = {}): Envelope => ({
  ...{ specversion: '1.0', id: `evt_${++made}`, source: 'https://stoa.example', type },
  ...{ time: '2026-11-15T09:00:00.000Z', tenant, data },
})

/** `db` and `other` belong to two processes, each with its own log. */
export function logConforms(kind: string, db: Database, log: Log, other: { db: Database; log: Log }): void {
  const append = (...envelopes: Envelope[]) => db.transaction(tx => log.append(tx, envelopes))
  const headOf = () => db.transaction(tx => log.head(tx))
  const numbers = Array.from({ length: log.lanes }, (_, lane) => lane)

  /** Reads until these events were found, because transactions of other tests may delay them. Other events are skipped. */
  async function readUntil(from: readonly LogPosition[], sent: readonly Envelope[], subjects = ['>'], limit = 100) {
    const wanted = new Set(sent.map(({ id }) => id))
    const found: Envelope[] = []
    const positions = [...from]
    const readOn = async () => {
      for (const lane of numbers) {
        const { entries, position } = await log.read(db, lane, positions[lane] as LogPosition, subjects, limit)
        const all = entries.map(({ envelope }) => JSON.parse(envelope) as Envelope)
        found.push(...all.filter(({ id }) => wanted.has(id)))
        positions[lane] = position
      }
      return found.length
    }
    await eventually(readOn, count => count >= sent.length)
    return { found, positions }
  }
  /** The ids of what can be read now. */
  const idsIn = async (from: readonly LogPosition[]) => {
    const all = numbers.map(lane => log.read(db, lane, from[lane] as LogPosition, ['>'], 1_000))
    return (await Promise.all(all)).flatMap(({ entries }) =>
      entries.map(({ envelope }) => JSON.parse(envelope).id as string),
    )
  }
  const idsOf = (events: readonly Envelope[]) => events.map(({ id }) => id)

  describe(kind, () => {
    it("has the whole envelope, with each organisation's events in order", async () => {
      const head = await headOf()
      const sent = Array.from({ length: 10 }, (_, n) => newEnvelope('home', 'a.b', { n, text: 'ü "\\ \n\u2028' }))
      const others = sent.map(({ id }) => newEnvelope(`other-${id}`, 'a.b'))
      for (const [at, one] of sent.entries()) await append(one, others[at] as Envelope)
      const { found } = await readUntil(head, [...sent, ...others], ['>'], 3)
      assert.deepEqual(
        found.filter(({ tenant }) => tenant === 'home'),
        sent,
      )
      assert.equal(found.length, 20)
    })

    it('is read by subject, and skips other events', async () => {
      const head = await headOf()
      const sent = ['a.x', 'a', 'a.x.y', 'b.x', 'b.x.y', 'c'].map(subject => newEnvelope('home', subject))
      await append(...sent)
      const wanted = [sent[0], sent[3], sent[4]] as Envelope[]
      const { found, positions } = await readUntil(head, wanted, ['a.*', 'b.>'])
      assert.deepEqual(found, wanted)
      const next = newEnvelope('home', 'd')
      await append(next)
      assert.deepEqual((await readUntil(positions, [next])).found, [next])
    })

    it('has what ingest recorded of events, which are read whatever their subjects', async () => {
      const head = await headOf()
      const sent = ['event.a', 'shop.b', 'event.c'].map(subject => newEnvelope('home', subject))
      await db.transaction(tx => log.append(tx, sent, ['{"n":1}', '{"n":2}', '{"n":3}']))
      const other = newEnvelope('home', 'event.a')
      await append(other)
      assert.deepEqual((await readUntil(head, [...sent, other])).found, [...sent, other])
      const reads = numbers.map(lane => log.read(db, lane, head[lane] as LogPosition, INGESTED, 1_000))
      const ids = new Set(idsOf(sent))
      const found = (await Promise.all(reads))
        .flatMap(({ entries }) => entries)
        .filter(({ envelope }) => ids.has(JSON.parse(envelope).id) || JSON.parse(envelope).id === other.id)
      assert.deepEqual(
        found.map(({ envelope, ingested }) => [JSON.parse(envelope).id, ingested]),
        sent.map(({ id }, at) => [id, `{"n":${at + 1}}`]),
      )
    })

    it('has nothing of a transaction that was rolled back', async () => {
      const head = await headOf()
      const undone = newEnvelope('home', 'a.b')
      const failing = db.transaction(async tx => {
        await log.append(tx, [undone])
        throw new Error('no')
      })
      await assert.rejects(failing, /no/)
      const kept = newEnvelope('home', 'a.b')
      await append(kept)
      assert.deepEqual(idsOf((await readUntil(head, [kept])).found), [kept.id])
      assert.ok(!(await idsIn(head)).includes(undone.id))
    })

    it('is not read beyond a transaction that has not ended, and misses nothing of it', async () => {
      const head = await headOf()
      const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const [late, next] = [newEnvelope('home', 'a.b'), newEnvelope('home', 'a.b')]
      const ending = other.db.transaction(async tx => {
        await other.log.append(tx, [late])
        begun.resolve()
        await released.promise
      })
      await begun.promise
      await append(next)
      const before = await idsIn(head)
      assert.ok(!before.includes(next.id) && !before.includes(late.id))
      const rests = await Promise.all(numbers.map(lane => log.read(db, lane, head[lane] as LogPosition, ['>'], 1_000)))
      assert.ok(rests.some(({ rest }) => rest === 'later'))
      released.resolve()
      await ending
      assert.deepEqual(idsOf((await readUntil(head, [late, next])).found), [late.id, next.id])
    })

    it('misses no event of a transaction with a higher number than the last ended one', async () => {
      const head = await headOf()
      const [early, late] = [newEnvelope('home', 'a.b'), newEnvelope('home', 'a.b')]
      const [begun, appended, released] = [1, 2, 3].map(() => Promise.withResolvers<void>())
      const first = db.transaction(async tx => {
        await tx`select pg_current_xact_id()`
        begun?.resolve()
        await appended?.promise
        await log.append(tx, [late])
      })
      await begun?.promise
      const second = other.db.transaction(async tx => {
        await other.log.append(tx, [early])
        appended?.resolve()
        await released?.promise
      })
      await first
      const positions = [...head]
      const found: string[] = []
      const readOn = async () => {
        for (const lane of numbers) {
          const { entries, position } = await log.read(db, lane, positions[lane] as LogPosition, ['>'], 100)
          found.push(...entries.map(({ envelope }) => JSON.parse(envelope).id as string))
          positions[lane] = position
        }
        return found.filter(id => id === early.id || id === late.id)
      }
      for (let n = 0; n < 5; n++) assert.deepEqual(await readOn(), [])
      released?.resolve()
      await second
      assert.deepEqual(await eventually(readOn, ids => ids.length === 2), [early.id, late.id])
    })

    it('is read although a transaction runs that appends nothing', async () => {
      const head = await headOf()
      const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const running = other.db.transaction(async tx => {
        await tx`select pg_current_xact_id()`
        begun.resolve()
        await released.promise
      })
      await begun.promise
      const sent = Array.from({ length: 5 }, () => newEnvelope('home', 'a.b'))
      for (const one of sent) await append(one)
      assert.deepEqual(
        (await idsIn(head)).filter(id => sent.some(one => one.id === id)),
        idsOf(sent),
      )
      released.resolve()
      await running
    })

    it('misses no event of transactions that append concurrently, some of which are rolled back', async () => {
      const head = await headOf()
      const sent: Envelope[] = []
      const write = async (writer: number) => {
        for (let n = 0; n < 30; n++) {
          const one = newEnvelope(`writer-${writer % 3}`, 'a.b')
          const { db: its, log: itsLog } = writer % 2 === 0 ? { db, log } : other
          const isUndone = Math.random() < 0.2
          const writing = its.transaction(async tx => {
            await itsLog.append(tx, [one])
            if (Math.random() < 0.3) await tx`select pg_sleep(0.005)`
            if (isUndone) throw new Error('undone')
          })
          await (isUndone ? assert.rejects(writing, /undone/) : writing)
          if (!isUndone) sent.push(one)
        }
      }
      const writing = Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)))
      const found: string[] = []
      const positions = [...head]
      const readOn = async () => {
        for (const lane of numbers) {
          const { entries, position } = await log.read(db, lane, positions[lane] as LogPosition, ['>'], 7)
          found.push(...entries.map(({ envelope }) => JSON.parse(envelope).id as string))
          positions[lane] = position
        }
      }
      let isWritten = false
      void writing.then(() => {
        isWritten = true
      })
      while (!isWritten) await readOn()
      await eventually(
        async () => {
          await readOn()
          return found.length
        },
        count => count >= sent.length,
      )
      assert.deepEqual(found.toSorted(), idsOf(sent).toSorted())
    })

    it('reports the position and age of unread entries', async () => {
      const placesNow = async () => (await headOf()).map((position, lane) => ({ lane, position }))
      const isRead = async () => (await log.unread(db, await placesNow())).every(at => at === null)
      await eventually(isRead, is => is)
      const places = await placesNow()
      await append(newEnvelope('home', 'a.b'))
      const unread = await log.unread(db, [...places, ...places])
      assert.equal(unread.filter(at => at !== null).length, 2)
      assert.ok(unread.every(at => at === null || Math.abs(Date.parse(at) - Date.now()) < 300_000))
    })

    it("notifies of new entries, including other processes'", async () => {
      const told = new Set<number>()
      await log.watch(lanes => {
        for (const lane of lanes) told.add(lane)
      })
      await append(newEnvelope('home', 'a.b'))
      await eventually(
        () => told.size,
        count => count === 1,
      )
      await other.db.transaction(tx => other.log.append(tx, [newEnvelope('elsewhere-1', 'a.b')]))
      await eventually(
        () => told.size,
        count => count === 2,
      )
    })

    it('refuses an invalid subject', async () => {
      await assert.rejects(append(newEnvelope('home', 'a..b')), /not a subject/)
    })

    it('has a size', async () => {
      assert.ok((await log.bytes(db)) > 0)
    })
  })
}
