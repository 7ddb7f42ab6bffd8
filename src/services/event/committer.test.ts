// How requests share transactions: by turns, and by size.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Database, Envelope, Log } from '../../engines/engines.ts'
import type { Accepted } from './accept.ts'
import { openCommitter } from './committer.ts'

const MIB = 1024 * 1024

const eventOf = (org: string, characters: number): Accepted => ({
  envelope: { tenant: org } as Envelope,
  ingested: {} as Accepted['ingested'],
  characters,
  dedupe: null,
})

const writes = (work: (tx: object) => Promise<void>) => work(async () => [])

/** A committer whose transactions end when they are told to. `groups` has the organisations of each. */
function fakeCommitter(run = writes) {
  const groups: string[][] = []
  const ends: (() => void)[] = []
  const db = { transaction: run, atOnce: run }
  const committer = openCommitter({
    db: { for: () => db } as unknown as Database,
    log: {
      append: (_: unknown, envelopes: readonly Envelope[]) => {
        groups.push(envelopes.map(({ tenant }) => tenant))
        return new Promise<void>(resolve => ends.push(resolve))
      },
    } as unknown as Log,
    now: () => new Date(0),
    warn: () => {},
  })
  return { committer, groups, ends }
}

const turn = () => new Promise(resolve => setTimeout(resolve, 5))

it('an organisation is not kept waiting by others that send without end', async () => {
  const { committer, groups, ends } = fakeCommitter()
  const others = Array.from({ length: 50 }, (_, at) => `org-${at}`)
  const sendAll = () => {
    for (const org of others) void committer.commit(org, Array<Accepted>(50).fill(eventOf(org, 10)))
  }
  for (let at = 0; at < 4; at++) sendAll()
  await turn()
  void committer.commit('small', [eventOf('small', 10)])
  for (let at = 0; at < 4; at++) {
    for (const end of ends.splice(0)) end()
    sendAll()
    await turn()
  }
  assert.ok(groups.some(orgs => orgs.includes('small')))
})

it('a few events wait for the commit that runs, and share the next', async () => {
  const { committer, groups, ends } = fakeCommitter()
  const sendOne = () => void committer.commit('a', [eventOf('a', 10)])
  sendOne()
  await turn()
  for (let at = 0; at < 3; at++) sendOne()
  await turn()
  assert.deepEqual(groups, [['a']])
  ends.pop()?.()
  await turn()
  assert.deepEqual(groups, [['a'], ['a', 'a', 'a']])
})

it('a transaction is bounded by the size of its events, and so is what waits', async () => {
  const { committer, groups } = fakeCommitter()
  const outcomes = Array.from({ length: 100 }, () => committer.commit('a', [eventOf('a', MIB)]))
  const refused = await Promise.all(
    outcomes.map(one => Promise.race([one.then(() => false).catch(error => error.code === 'overloaded'), turn()])),
  )
  assert.deepEqual(
    groups.map(({ length }) => length),
    [2, 2, 2, 2],
  )
  assert.ok(refused.filter(Boolean).length > 60)
})

it('events are refused only for faults of theirs, because their senders then discard them', async () => {
  const refusing = (code: string) =>
    fakeCommitter(() => Promise.reject(Object.assign(new Error(code), { code }))).committer
  const commit = (code: string) => refusing(code).commit('a', [eventOf('a', 10), eventOf('a', 10)])
  for (const code of ['22P05', '23514', '54000']) assert.deepEqual(await commit(code), [0, 1], code)
  for (const code of ['42P01', '42501', 'XX000']) await assert.rejects(commit(code), { code })
})
