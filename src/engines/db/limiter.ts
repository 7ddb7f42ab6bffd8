// Who may use the database, and how long anybody waits: a queue that cannot grow without bound, and a deadline for those
// in it. The driver has neither, and retries a server that is gone for ever.
import { EngineUnavailable } from '../engines.ts'

export type Work<T> = {
  start(): PromiseLike<T>
  /** Whether it has a connection by now. */
  begun(): boolean
  /** Called when nobody waits for it any more. */
  giveUp(): void
}

export type Waits = {
  /** Who has no connection after this long is refused: the server is gone, or far behind. */
  connectionMs: number
  /** For work that has one: a server silent for so long has stopped answering altogether. */
  answerMs: number
}

export function openLimiter(connectionsMax: number, queueMax: number) {
  let acquired = 0

  async function acquire<T>(work: Work<T>, { connectionMs, answerMs }: Waits): Promise<T> {
    if (acquired >= connectionsMax + queueMax) throw new EngineUnavailable('db', 'busy')
    acquired++
    const late = Promise.withResolvers<never>()
    const expire = () => {
      late.reject(new EngineUnavailable('db', acquired > connectionsMax ? 'busy' : 'down'))
      work.giveUp()
    }
    let timer = setTimeout(() => {
      if (work.begun()) timer = setTimeout(expire, answerMs - connectionMs)
      else expire()
    }, connectionMs)
    try {
      return await Promise.race([work.start(), late.promise])
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
