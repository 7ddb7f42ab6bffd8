// Detects the end of the process or page, before which events are sent.
import { isPage } from './options.ts'

type Listen = (name: string, listener: () => void) => void

/** The events that exist in this runtime. */
type Globals = {
  process?: { on?: Listen; off?: Listen }
  document?: { visibilityState: string; addEventListener: Listen; removeEventListener: Listen }
  addEventListener: Listen
  removeEventListener: Listen
}

/** The senders with events, for one listener of the process: Node warns of more than ten. */
const unsent = new Set<() => void>()
const sendAll = () => {
  for (const send of [...unsent]) send()
}

/** Listens from `listen` to `ignore`, so that a sender without events can be collected. */
export function untilEnd(beforeExit: () => void, onLeave: () => void) {
  const runtime = globalThis as unknown as Globals
  const { process, document } = runtime
  const onChange = () => {
    if (document?.visibilityState === 'hidden') onLeave()
  }
  let isListening = false
  function listen(): void {
    if (isListening) return
    isListening = true
    if (isPage()) {
      document?.addEventListener('visibilitychange', onChange)
      runtime.addEventListener('pagehide', onLeave)
    } else if (unsent.add(beforeExit).size === 1) process?.on?.('beforeExit', sendAll)
  }
  function ignore(): void {
    isListening = false
    if (isPage()) {
      document?.removeEventListener('visibilitychange', onChange)
      runtime.removeEventListener('pagehide', onLeave)
    } else if (unsent.delete(beforeExit) && unsent.size === 0) process?.off?.('beforeExit', sendAll)
  }
  return { listen, ignore }
}
