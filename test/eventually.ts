// For what reaches the host by a notification: asks again until the answer is the one that was waited for.
import { setTimeout as wait } from 'node:timers/promises'

const WITHIN_MS = 10_000

export async function eventually<T>(ask: () => T | Promise<T>, isSo: (answer: T) => boolean): Promise<T> {
  const until = performance.now() + WITHIN_MS
  for (;;) {
    const answer = await ask()
    if (isSo(answer)) return answer
    if (performance.now() > until)
      throw new Error(`still ${JSON.stringify(answer)?.slice(0, 300)} after ${WITHIN_MS} ms`)
    await wait(2)
  }
}
