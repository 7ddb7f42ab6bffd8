// What is open beside a list, and the keys that go through its rows: `j`, `k` and the arrows, also over rows that are not in the
// document and pages that are not loaded yet.
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { isTyping } from '../frame/keys.ts'
import { useParam } from '../frame/search.ts'

/** What an address names is looked for in so many rows. */
const SOUGHT_MAX = 1_000

type Options = {
  ids: readonly string[]
  /** False while the listing is loaded or read again. */
  isSettled: boolean
  hasMore: boolean
  /** Loads the next page and returns the ids of all rows. */
  more: () => Promise<readonly string[]>
  /** Whether what is not in the list is nowhere else either. */
  isListed: boolean
}

export type Steps = { onClose: () => void; onNext: (() => void) | null; onPrevious: (() => void) | null }

export function useOpen({ ids, isSettled, hasMore, more, isListed }: Options) {
  const [open, setOpen] = useParam('open')
  const [cursor, setCursor] = useState('')
  const at = ids.indexOf(open)
  const former = useRef({ open: '', at: -1 })
  const wasListed = former.current.open === open && former.current.at >= 0
  const isLost = isListed && open !== '' && open !== 'new' && at < 0 && isSettled

  useEffect(() => {
    if (at < 0) return
    setCursor(open)
    rowOf(open)?.scrollIntoView({ block: 'nearest' })
  }, [open, at])
  useLayoutEffect(() => {
    const { open: was, at: place } = former.current
    former.current = { open, at: at < 0 && was === open ? place : at }
    if (open !== '' || was === '' || was === 'new') return
    // The focus goes back to the row, or to the one that has taken its place.
    if (!focusRow(was)) focusRow(ids[Math.min(place, ids.length - 1)] ?? '')
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks when the rows changed
  useEffect(() => {
    if (!isLost) return
    if (wasListed) setOpen('', true)
    else if (hasMore && ids.length < SOUGHT_MAX) void more()
  }, [isLost, wasListed, ids])

  async function idAt(n: number): Promise<string | undefined> {
    return ids[n] ?? (n === ids.length && hasMore ? (await more())[n] : undefined)
  }
  const stepTo = (n: number) =>
    n < 0 || n > ids.length || (n === ids.length && !hasMore)
      ? null
      : async () => {
          const id = await idAt(n)
          if (id !== undefined) setOpen(id, true)
        }
  useEffect(() => {
    const onKey = async (event: KeyboardEvent) => {
      const { key, target, metaKey, ctrlKey, altKey } = event
      if (isTyping(target) || metaKey || ctrlKey || altKey || isCovered()) return
      const row = target instanceof Element ? target.closest<HTMLElement>('tr[data-row]') : null
      const step = (open === '' && LETTERS[key]) || (row && ARROWS[key])
      if (!step) return
      event.preventDefault()
      const id = await idAt(ids.indexOf(row?.dataset.row ?? cursor) + step)
      if (id === undefined) return
      flushSync(() => setCursor(id)) // Now it is in the document.
      focusRow(id)
      rowOf(id)?.scrollIntoView({ block: 'nearest' })
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
  const onClose = () => setOpen('')
  return {
    open,
    setOpen,
    at,
    cursor,
    setCursor,
    steps: { onClose, onNext: stepTo(at + 1), onPrevious: stepTo(at - 1) } satisfies Steps,
    /** Neither the list nor what was searched of it has what the address names. */
    isMissing: isLost && !wasListed && !(hasMore && ids.length < SOUGHT_MAX),
  }
}

const LETTERS: Record<string, number> = { j: 1, k: -1 }
const ARROWS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }

export const isCovered = () => document.querySelector('dialog[open], [popover]:popover-open') !== null

const rowOf = (id: string) => document.querySelector(`tr[data-row="${CSS.escape(id)}"]`)

/** Without scrolling: nobody loses their place. */
function focusRow(id: string): boolean {
  const main = rowOf(id)?.querySelector<HTMLElement>('a.main, button.main')
  main?.focus({ preventScroll: true })
  return main !== undefined && main !== null
}
