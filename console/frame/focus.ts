// The focus is never lost: when what has it is removed, it goes to what had it before on the screen, or to the heading.
import { useEffect } from 'react'

/** What removes something may give the focus to something else by itself. */
const PAUSE_MS = 50
const TRAIL_MAX = 20

export function useFocusKept(): void {
  useEffect(() => {
    let trail: HTMLElement[] = []
    let timer: ReturnType<typeof setTimeout>
    const onFocus = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return
      trail = [...trail.filter(one => one !== target && one.isConnected), target].slice(-TRAIL_MAX)
    }
    const isLost = () => {
      const last = trail.at(-1)
      const has = document.activeElement
      return last !== undefined && !isThere(last) && (has === null || has === document.body || !isThere(has))
    }
    const observer = new MutationObserver(() => {
      if (!isLost()) return
      clearTimeout(timer)
      timer = setTimeout(() => {
        if (isLost()) returnTo(trail)
      }, PAUSE_MS)
    })
    document.addEventListener('focusin', onFocus)
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
    return () => {
      clearTimeout(timer)
      observer.disconnect()
      document.removeEventListener('focusin', onFocus)
    }
  }, [])
}

const isThere = (one: Element) => one.isConnected && !one.matches(':disabled') && one.checkVisibility()

function returnTo(trail: HTMLElement[]): void {
  // A dialog makes everything else inert. The navigation is left out: it does not say what happened.
  const scope = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.getElementById('sheet')
  const former = trail.findLast(one => isThere(one) && scope?.contains(one))
  // A heading that is still loaded gets the focus when it appears.
  const to = former ?? scope?.querySelector<HTMLElement>('h1, h2')
  if (!to) return
  if (!former) to.tabIndex = -1
  to.focus({ preventScroll: true })
}
