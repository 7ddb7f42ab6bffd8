// A scenario is a list of calls, one per row: the caller, the call and all its visible effects.
import assert from 'node:assert/strict'
import type { TestHost } from './host.ts'

/** `body` is the request body. `answer` are expected fields of the answer, and all items of its lists; for a fault,
 *  `fault` is its code, or the invalid field. `events` and `sent` are all events and all outgoing requests and mails of
 *  the call; not checked if omitted. */
type Seen = {
  body?: object
  answer?: object
  fault?: string
  events?: readonly string[]
  sent?: readonly string[]
}
export type ScenarioRow = readonly [who: string, call: string, status: number, seen?: Seen]

/** What was found of the fields that are wanted. Lists stay whole: an item that is not wanted is a difference. */
function named(found: unknown, wanted: unknown): unknown {
  if (Array.isArray(found) && Array.isArray(wanted)) return found.map((one, at) => named(one, wanted[at]))
  if (typeof found !== 'object' || found === null || typeof wanted !== 'object' || wanted === null) return found
  const fields = Object.entries(found).filter(([name]) => name in wanted)
  return Object.fromEntries(
    fields.map(([name, value]) => [name, named(value, (wanted as Record<string, unknown>)[name])]),
  )
}

/** `callers` are the keys of those who call; null for nobody. */
export async function scenario(
  host: TestHost,
  callers: Readonly<Record<string, string | null>>,
  rows: readonly ScenarioRow[],
): Promise<void> {
  for (const [at, [who, call, status, { body, answer, fault, events, sent } = {}]] of rows.entries()) {
    const row = `row ${at + 1}: ${who}, ${call}`
    assert.ok(who in callers, `${row}: nobody is called ${who}`)
    host.emitted.length = 0
    host.mails.length = 0
    host.mockAgent.clearCallHistory()
    const found = await host.call(call, { as: callers[who] ?? null, ...(body && { body }) })
    assert.equal(found.status, status, `${row}: ${found.text}`)
    if (answer) assert.deepEqual(named(found.body, answer), answer, row)
    if (fault) assert.ok([found.body.error.code, found.body.error.param].includes(fault), `${row}: ${found.text}`)
    const emitted = host.emitted.map(({ type }) => type)
    if (events) assert.deepEqual(emitted, events, row)
    const requests = host.mockAgent.getCallHistory()?.calls() ?? []
    const outgoing = [
      ...requests.map(({ method, fullUrl }) => `${method} ${fullUrl}`),
      ...host.mails.map(({ to }) => `mail to ${to}`),
    ]
    if (sent) assert.deepEqual(outgoing, sent, row)
  }
}
