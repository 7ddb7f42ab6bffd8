// What a transaction does last, and what follows when it is committed.
import type { Tx } from '../engines.ts'

type Own = Pick<Tx, 'isTransaction' | 'beforeCommit' | 'afterCommit'>

/** Where every statement commits by itself, so that there is nothing before that. */
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
    /** With what is to be done before the commit. */
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
