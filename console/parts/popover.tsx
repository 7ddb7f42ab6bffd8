// A button with something below it: choices, or a small form. Esc and a click elsewhere close it.
import './lens.css'
import { type ReactNode, useId, useRef, useState } from 'react'

type Props = {
  /** What the button shows. */
  button: ReactNode
  className?: string
  label: string
  /** Its content, while it is open. */
  children: (close: () => void) => ReactNode
}

const EDGE_PX = 8

export function Popover({ button, className = 'btn s', label, children }: Props) {
  const id = useId()
  const opener = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const place = () => {
    const { bottom = 0, left = 0 } = opener.current?.getBoundingClientRect() ?? {}
    const most = document.documentElement.clientWidth - (panel.current?.offsetWidth ?? 0) - EDGE_PX
    panel.current?.style.setProperty('--y', `${bottom + EDGE_PX / 2}px`)
    panel.current?.style.setProperty('--x', `${Math.max(EDGE_PX, Math.min(left, most))}px`)
  }
  return (
    <>
      <button ref={opener} type="button" className={className} popoverTarget={id}>
        {button}
      </button>
      <div
        ref={panel}
        id={id}
        className="menu pop"
        popover="auto"
        role="group"
        aria-label={label}
        onBeforeToggle={event => setOpen(event.newState === 'open')}
        onToggle={event => event.newState === 'open' && place()}
      >
        {isOpen && children(() => panel.current?.hidePopover())}
      </div>
    </>
  )
}
