// A worker thread for the tests of threads.
import { setTimeout as wait } from 'node:timers/promises'
import { moved, serveCalls } from '../src/kit/thread/functions.ts'

let calls = 0

const functions = {
  double: async ({ value, ms = 0 }: { value: number; ms?: number }) => {
    calls++
    await wait(ms)
    return value * 2
  },
  /** How many calls this thread has had. */
  calls: () => calls,
  zeros: (length: number) => {
    const bytes = new Uint8Array(length)
    return moved(bytes, [bytes.buffer])
  },
  length: (bytes: Uint8Array) => bytes.length,
  fail: ({ message, isOdd = false }: { message: string; isOdd?: boolean }): never => {
    throw isOdd ? Object.assign(new Error(message, { cause: () => {} })) : new TypeError(message)
  },
  unsendable: () => () => {},
  exit: () => process.exit(1),
  throwLater: async () => {
    setTimeout(() => {
      throw new Error('thrown later')
    })
    await wait(60_000)
  },
  exhaust: () => {
    const kept: number[][] = []
    for (;;) kept.push(Array.from({ length: 10_000 }, Math.sqrt))
  },
  spin: (): never => {
    for (;;);
  },
}

export type TestFunctions = typeof functions

serveCalls(functions)
