// Work at the end of a transaction and after its commit.
import type { Tx } from '../engines.ts'

type Own = Pick<Tx, 'isTransaction' | 'beforeCommit' | 'afterCommit'>

/** Used where every statement commits by itself, so there is no moment before the commit. */
export const EACH_ALONE: Own = {
  isTransaction: true,
  beforeCommit: () => {
    throw new Error('this needs a transaction')
  },
  afterCommit: done => done(),
}

export type AtEnd = ReturnType<typeof openAtEnd>

export function openAtEnd() {
  const before: (() => Promise<unknown>)[] = []
  const after: (() => void)[] = []
  const own: Own = {
    isTransaction: true,
    beforeCommit: work => void before.push(work),
    afterCommit: done => void after.push(done),
  }
  return {
    own,
    /** Runs the work deferred to the commit. */
    of: async <T>(work: Promise<T>): Promise<T> => {
      const value = await work
      while (before.length > 0) await Promise.all(before.splice(0).map(one => one()))
      return value
    },
    committed: () => {
      for (const done of after) done()
    },
  }
}
