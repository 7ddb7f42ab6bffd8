// Of a long list only the rows near the viewport are in the document. The others are gaps of their height, so that the scroll bar
// and the place of each row stay the same.
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

/** Up to this length a list is in the document as a whole. */
const WHOLE_MAX = 200
/** The ends of the range are multiples of this, so that few scroll events render. */
const STEP = 8
/** Until rows are measured. */
const ROW_PX = 40

/** A row in the document, after a gap for those that are left out before it. */
type Place = { at: number; gap: number }
type Options = {
  table: RefObject<HTMLTableElement | null>
  /** Of all rows, in order. */
  ids: readonly string[]
  /** Rows that stay in the document, such as the one with the focus. */
  kept: readonly number[]
  /** Called when scrolling comes near the end, and by nothing else: nothing loads unseen. */
  onEndNear: () => void
}

export function useRowWindow({ table, ids, kept, onEndNear }: Options) {
  const heights = useRef(new Map<string, number>())
  const [measured, setMeasured] = useState(0)
  const [range, setRange] = useState({ from: 0, to: 8 * STEP })
  const isWhole = ids.length <= WHOLE_MAX
  // biome-ignore lint/correctness/useExhaustiveDependencies: `measured` says that heights changed
  const tops = useMemo(() => topsOf(ids, heights.current), [ids, measured])

  const look = useCallback(
    (isScroll: boolean) => {
      const scroller = scrollerOf(table.current)
      if (!table.current || !scroller || scroller.clientHeight === 0) return
      const view = scroller.getBoundingClientRect()
      const top = view.top - table.current.getBoundingClientRect().top
      // One viewport before and one after what is seen.
      const from = Math.floor(indexAt(tops, top - view.height) / STEP) * STEP
      const to = Math.ceil((indexAt(tops, top + 2 * view.height) + 1) / STEP) * STEP
      const set = () => setRange(now => (now.from === from && now.to === to ? now : { from, to }))
      if (isScroll)
        flushSync(set) // A fast scroll would show the gap for a frame.
      else set()
      const left = (tops[ids.length] ?? 0) - top - view.height
      if (isScroll && left < 2 * view.height) onEndNear()
    },
    [table, tops, ids.length, onEndNear],
  )
  useEffect(() => {
    const scroller = scrollerOf(table.current)
    if (!scroller) return
    const onScroll = () => look(true)
    const resized = new ResizeObserver(() => look(false))
    scroller.addEventListener('scroll', onScroll, { passive: true })
    resized.observe(scroller)
    return () => {
      scroller.removeEventListener('scroll', onScroll)
      resized.disconnect()
    }
  }, [table, look])
  useLayoutEffect(() => {
    if (isWhole) return
    const isOther = measure(table.current, heights.current, at => (tops[at + 1] ?? 0) - (tops[at] ?? 0))
    if (isOther) setMeasured(now => now + 1)
    look(false)
  })

  const shown = isWhole ? ids.map((_, at) => at) : indexesIn(range, kept, ids.length)
  const places: Place[] = shown.map((at, n) => ({ at, gap: (tops[at] ?? 0) - (tops[(shown[n - 1] ?? -1) + 1] ?? 0) }))
  const last = shown.at(-1) ?? -1
  return {
    isWhole,
    places,
    gapAfter: (tops[ids.length] ?? 0) - (tops[last + 1] ?? 0),
    /** The rows have other heights, because the table has another width. */
    forget: () => heights.current.clear(),
  }
}

const scrollerOf = (table: HTMLElement | null) => table?.closest<HTMLElement>('.body, .split > *') ?? null

function indexesIn({ from, to }: { from: number; to: number }, kept: readonly number[], count: number): number[] {
  const end = Math.min(to, count)
  const start = Math.max(0, Math.min(from, end - STEP))
  const near = Array.from({ length: Math.max(0, end - start) }, (_, n) => start + n)
  const far = kept.filter(at => at >= 0 && at < count && (at < start || at >= end))
  return far.length === 0 ? near : [...new Set([...near, ...far])].sort((a, b) => a - b)
}

/** Where each row begins, and where the last one ends. Rows that were never in the document are as high as the average. */
function topsOf(ids: readonly string[], heights: ReadonlyMap<string, number>): Float64Array {
  let sum = 0
  for (const height of heights.values()) sum += height
  const usual = heights.size > 0 ? sum / heights.size : ROW_PX
  const tops = new Float64Array(ids.length + 1)
  for (const [at, id] of ids.entries()) tops[at + 1] = (tops[at] ?? 0) + (heights.get(id) ?? usual)
  return tops
}

/** The row at that height, or the nearest one. */
function indexAt(tops: Float64Array, px: number): number {
  let low = 0
  let high = Math.max(0, tops.length - 2)
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((tops[middle] ?? 0) <= px) low = middle
    else high = middle - 1
  }
  return low
}

/** Keeps the heights of the rows in the document; true if one is not as high as expected. */
function measure(table: HTMLTableElement | null, heights: Map<string, number>, expected: (at: number) => number) {
  let isOther = false
  for (const row of table?.querySelectorAll<HTMLTableRowElement>('tr[data-row]') ?? []) {
    const { height } = row.getBoundingClientRect()
    if (height === 0) return false // The list is hidden behind a pane.
    heights.set(row.dataset.row as string, height)
    isOther ||= Math.abs(height - expected(row.ariaRowIndex ? Number(row.ariaRowIndex) - 2 : 0)) > 0.5
  }
  return isOther
}
