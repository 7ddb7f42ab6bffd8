// Where the pointer or the arrow keys are on a chart of lines, and which part of it is being chosen.
import { useRef, useState } from 'react'

/** The first and the last point. */
export type Choice = readonly [first: number, last: number] | null

/** Less is a click. */
const DRAG_PX = 6
const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }

export function useChoice(count: number, onChoose: ((first: number, last: number) => void) | undefined) {
  const [at, setAt] = useState<number | null>(null)
  const [start, setStart] = useState<number | null>(null)
  const pressed = useRef<number | null>(null)
  const last = count - 1
  const within = (n: number) => Math.max(0, Math.min(last, n))
  const pointAt = ({ currentTarget, clientX }: React.PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return within(Math.round(((clientX - left) / width) * last))
  }
  const brush: Choice = start === null || at === null ? null : [Math.min(start, at), Math.max(start, at)]
  const end = () => {
    pressed.current = null
    setStart(null)
  }
  const choose = (chosen: Choice) => {
    end()
    if (!chosen) return
    setAt(null)
    onChoose?.(...chosen)
  }
  const handlers = {
    onPointerDown: (event: React.PointerEvent) => {
      if (!onChoose || event.button !== 0) return
      pressed.current = event.clientX
      event.currentTarget.setPointerCapture(event.pointerId)
      setAt(pointAt(event))
    },
    onPointerMove: (event: React.PointerEvent) => {
      const n = pointAt(event)
      if (pressed.current !== null && start === null && Math.abs(event.clientX - pressed.current) >= DRAG_PX) {
        setStart(at ?? n)
      }
      setAt(n)
    },
    onPointerUp: () => (pressed.current === null ? undefined : choose(brush)),
    onPointerCancel: end,
    onPointerLeave: () => pressed.current === null && setAt(null),
    onBlur: () => {
      end()
      setAt(null)
    },
    onKeyDown: (event: React.KeyboardEvent) => {
      const { key, shiftKey } = event
      const from = at ?? last
      const to = key === 'Home' ? 0 : key === 'End' ? last : STEPS[key] && within(from + STEPS[key])
      if (to !== undefined) {
        event.preventDefault()
        setAt(to)
        setStart(shiftKey && onChoose ? (start ?? from) : null)
      } else if (key === 'Enter' && brush) choose(brush)
      else if (key === 'Escape' && start !== null) {
        event.stopPropagation() // It ends the choice, and not the time that is shown.
        end()
      }
    },
  }
  return { at, brush, handlers }
}
