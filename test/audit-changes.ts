// The expected audit entry and events of a call.
import assert from 'node:assert/strict'
import type { Answer, TestHost } from './host.ts'

export type Changes = Record<string, { from?: unknown; to?: unknown }>

/** `on` is the entry's object; `changes` is null if the entry has none; `reader` is the key that reads the trail.
 *  `tenant` gets the events, by default `home`; `emits` are their subjects, by default all that the operation declares. */
export type Written = {
  answer: Answer
  on: string
  changes: Changes | null
  reader?: string
  tenant?: string
  emits?: string[]
  /** Set if each event names one of these instead of the entry's object. */
  told?: string[]
}

export const posting =
  (host: Pick<TestHost, 'call' | 'home'>) =>
  async (path: string, body: object, as = host.home.key): Promise<Answer> => {
    const answer = await host.call(`POST ${path}`, { body, as })
    assert.equal(answer.status, 201, answer.text)
    return answer
  }
