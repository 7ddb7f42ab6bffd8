// The functions of a worker thread. Its file calls `serveCalls` with them, and exports their type for `openThread`.
import { parentPort } from 'node:worker_threads'

/** Each function takes one value, which is copied to the thread, and returns one or a promise of it. */
export type ThreadFunctions = Record<string, (input: never) => unknown>

export type Input<F> = F extends (input: infer I) => unknown ? I : never
export type Result<F> = F extends (input: never) => infer R ? Unmoved<Awaited<R>> : never
type Unmoved<R> = R extends Moved<infer T> ? T : R

/** The messages to and from the thread. */
export type Call = { name: string; input: unknown }
export type Answer = { result: unknown } | { failure: unknown }

/** A result with buffers that are moved instead of copied. */
class Moved<T> {
  readonly result: T
  readonly buffers: ArrayBuffer[]
  constructor(result: T, buffers: ArrayBuffer[]) {
    this.result = result
    this.buffers = buffers
  }
}
export const moved = <T>(result: T, buffers: ArrayBuffer[]) => new Moved(result, buffers)

export function serveCalls(functions: ThreadFunctions): void {
  const port = parentPort
  if (!port) throw new Error('this file runs in a worker thread')
  const answer = (message: Answer, buffers: ArrayBuffer[] = []) => port.postMessage(message, buffers)
  port.on('message', async ({ name, input }: Call) => {
    try {
      const result = await functions[name]?.(input as never)
      if (result instanceof Moved) answer({ result: result.result }, result.buffers)
      else answer({ result })
    } catch (failure) {
      answer({ failure: sendable(failure) })
    }
  })
}

/** An error may refer to values that cannot be copied between threads. */
function sendable(failure: unknown): unknown {
  try {
    return structuredClone(failure)
  } catch {
    return new Error(String(failure))
  }
}
