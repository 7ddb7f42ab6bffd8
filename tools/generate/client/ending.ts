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
    } else process?.on?.('beforeExit', beforeExit)
  }
  function ignore(): void {
    isListening = false
    if (isPage()) {
      document?.removeEventListener('visibilitychange', onChange)
      runtime.removeEventListener('pagehide', onLeave)
    } else process?.off?.('beforeExit', beforeExit)
  }
  return { listen, ignore }
}
