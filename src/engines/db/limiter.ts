// Bounds the queue for database connections and the time in it. The driver has neither bound, and retries an
// unreachable server for ever.
import { EngineUnavailable } from '../engines.ts'

export type Work<T> = {
  start(): PromiseLike<T>
  /** Whether it has got a connection. */
  begun(): boolean
  /** Called when the caller no longer waits for the result. */
  giveUp(): void
}

export type Waits = {
  /** Work without a connection after this time fails: the server is down or overloaded. */
  connectionMs: number
  /** Work with a connection fails after this time: the server has stopped answering. */
  answerMs: number
}

export function openLimiter(connectionsMax: number, queueMax: number) {
  let acquired = 0

  async function acquire<T>(work: Work<T>, { connectionMs, answerMs }: Waits): Promise<T> {
    if (acquired >= connectionsMax + queueMax) throw new EngineUnavailable('db', 'busy')
    acquired++
    const expiry = Promise.withResolvers<never>()
    const expire = () => {
      expiry.reject(new EngineUnavailable('db', acquired > connectionsMax ? 'busy' : 'down'))
      work.giveUp()
    }
    let timer = setTimeout(() => {
      if (work.begun()) timer = setTimeout(expire, answerMs - connectionMs)
      else expire()
    }, connectionMs)
    try {
      return await Promise.race([work.start(), expiry.promise])
    } finally {
      clearTimeout(timer)
      acquired--
    }
  }

  const load = () => ({
    running: Math.min(acquired, connectionsMax),
    waiting: Math.max(0, acquired - connectionsMax),
  })
  return { acquire, load }
}
