// The details of one thing in a column beside its list. Where there is no room it takes the place of the list, with a way back.
import { type ReactNode, useEffect, useRef } from 'react'
import { isTyping } from '../frame/keys.ts'
import { useTitle } from '../frame/title.ts'
import { leave } from '../frame/unsaved.tsx'
import { useIsWide } from '../frame/width.ts'
import { useStepKeys } from './drawer.tsx'
import { Icon } from './icon.tsx'
import type { Steps } from './list.tsx'

type Props = Steps & {
  title: string
  /** Beside the title. */
  badge?: ReactNode
  sub?: ReactNode
  actions?: ReactNode
  /** False if nobody chose to open it. */
  takesFocus?: boolean
  children: ReactNode
}

export function Pane({ title, badge, sub, actions, takesFocus = true, children, ...steps }: Props) {
  const isWide = useIsWide()
  const screen = useTitle()
  const pane = useRef<HTMLElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const onClose = () => leave(pane.current, steps.onClose)
  useStepKeys({ ...steps, onClose }, 'dialog[open], .drawer')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the title says which thing is shown
  useEffect(() => {
    // Typing in a filter of the list may change what is open.
    if (takesFocus && !isTyping(document.activeElement)) heading.current?.focus({ preventScroll: true })
  }, [title, takesFocus])
  return (
    <aside ref={pane} className="stack pane" aria-label={title}>
      {/* The list with its heading is hidden. */}
      {!isWide && <h1 className="vh">{screen}</h1>}
      <header className="pane-head">
        <div className="grow">
          <div className="line">
            <button type="button" className="phone-only back" aria-label="Back to the list" onClick={onClose}>
              <Icon name="left" />
            </button>
            <h2 ref={heading} tabIndex={-1}>
              {title}
            </h2>
            {badge}
          </div>
          {sub && <div className="line dsub">{sub}</div>}
        </div>
        {actions}
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <div className="pane-body" role="region" aria-label="Details" tabIndex={0}>
        {children}
      </div>
    </aside>
  )
}
