import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openSessions, type Session, type SessionEvent, spansOf, visitOf } from './sessions.ts'

const MINUTE_MS = 60_000
let made = 0
const event = (minutes: number, more: Partial<SessionEvent> = {}): SessionEvent => ({
  ...{ id: `evt_${made++}`, atMs: minutes * MINUTE_MS, receivedMs: 0, visitor: 'a', sessionId: null },
  ...{ isPageview: true, project: null, workspace: null, ...more },
})
/** The sessions that these events make, as the minutes in which they begin and end. */
function sessionsOf(events: readonly SessionEvent[], existing: readonly Session[] = []): number[][] {
  const sessions = openSessions(existing)
  const all = new Set(events.map(one => sessions.assign(one)))
  return [...all].map(one => [one.firstMs / MINUTE_MS, one.lastMs / MINUTE_MS, one.pageviews])
}
const at = (...minutes: number[]) => minutes.map(one => event(one))

describe('a session', () => {
  it('goes on for 30 minutes after each event of its visitor', () => {
    assert.deepEqual(sessionsOf(at(0, 30, 60, 90.01)), [
      [0, 60, 3],
      [90.01, 90.01, 1],
    ])
    assert.deepEqual(sessionsOf([event(0), event(1, { visitor: 'b' })]).length, 2)
  })

  it('takes an event that arrives late and lies between two: the earlier one, if both could', () => {
    assert.deepEqual(sessionsOf(at(0, 40, 20)), [
      [0, 20, 2],
      [40, 40, 1],
    ])
    assert.deepEqual(sessionsOf(at(0, 100, 80)), [
      [0, 0, 1],
      [80, 100, 2],
    ])
    assert.deepEqual(sessionsOf(at(0, 100, 50)).length, 3)
    assert.deepEqual(sessionsOf(at(60, 40, 0)), [
      [40, 60, 2],
      [0, 0, 1],
    ])
  })

  it('that the SDK names has all events with that name, of any visitor and time', () => {
    const named = (minutes: number, visitor: string) => event(minutes, { visitor, sessionId: 's' })
    assert.deepEqual(sessionsOf([named(0, 'a'), named(500, 'b'), event(1)]), [
      [0, 500, 2],
      [1, 1, 1],
    ])
  })

  it('is within one project and one workspace', () => {
    for (const sessionId of ['s', null]) {
      const inProject = event(1, { project: 'shop', sessionId })
      const inWorkspace = event(2, { workspace: 'w', sessionId })
      assert.equal(sessionsOf([event(0, { sessionId }), inProject, inWorkspace]).length, 3)
    }
  })

  it('is the same whether its events arrive together or one by one', () => {
    const events = at(0, 70, 20, 95, 45, 130, 129, 10)
    const together = sessionsOf(events)
    let existing: Session[] = []
    for (const one of events) {
      const sessions = openSessions(existing)
      const changed = sessions.assign(one)
      existing = [...existing.filter(({ id }) => id !== changed.id), changed]
    }
    assert.deepEqual(
      existing.map(one => [one.firstMs / MINUTE_MS, one.lastMs / MINUTE_MS, one.pageviews]).sort(),
      together.sort(),
    )
  })

  it('is a bounce with one page view and under 10 seconds', () => {
    const visit = (ms: number, pageviews: number) => visitOf({ firstMs: 0, lastMs: ms, pageviews }).bounces
    assert.deepEqual([visit(9_999, 1), visit(10_000, 1), visit(0, 2), visit(0, 0)], [1, 0, 0, 0])
  })
})

describe('the spans of events', () => {
  it('are as few as possible, and one each for events that are far apart', () => {
    const spans = spansOf([...at(0, 50, 10, 500), event(3, { sessionId: 's' }), event(4, { visitor: 'b' })])
    assert.deepEqual(
      spans.map(({ holder, fromMs, toMs }) => [holder, fromMs / MINUTE_MS, toMs / MINUTE_MS]),
      [
        ['//a', 0, 50],
        ['//a', 500, 500],
        ['//b', 4, 4],
      ],
    )
  })
})
