// Pages that were viewed: when the document is loaded, and each time a script changes the address.
import { cleanAddress, keepsHash } from './facts.ts'
import { listen, type Properties, safe } from './settings.ts'

let last = ''
const addressNow = () => (keepsHash ? location.href : (location.href.split('#')[0] as string))

export const pageProperties = (): Properties => {
  last = addressNow()
  return { $referrer: cleanAddress(document.referrer) }
}

/** Calls `view` for each other address. */
export function watchPages(view: () => void): void {
  const changed = safe(() => {
    if (addressNow() !== last) view()
  })
  listen(window, 'popstate', changed)
  // The page comes back from the back/forward cache.
  listen(window, 'pageshow', ({ persisted }: PageTransitionEvent) => {
    if (persisted) view()
  })
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name]
    const value = function (this: History, ...args: Parameters<History['pushState']>) {
      const result = original.apply(this, args)
      changed()
      return result
    }
    // A page may have frozen its history.
    const isReplaced = Reflect.defineProperty(history, name, { value, configurable: true, writable: true })
    if (!isReplaced)
      (window as { navigation?: EventTarget }).navigation?.addEventListener('currententrychange', changed)
  }
  changed()
}
