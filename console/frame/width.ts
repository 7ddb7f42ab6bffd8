import { useSyncExternalStore } from 'react'

/** A pane has room beside its list, as in parts.css. */
const wide = matchMedia('(min-width: 68.01rem)')

const subscribe = (listener: () => void) => {
  wide.addEventListener('change', listener)
  return () => wide.removeEventListener('change', listener)
}

export const useIsWide = (): boolean => useSyncExternalStore(subscribe, () => wide.matches)
