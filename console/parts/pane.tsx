// The details of one thing in a column beside its list. Where there is no room it takes the place of the list, with a way back.
import { type ReactNode, useEffect, useRef } from 'react'
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
  children: ReactNode
}

export function Pane({ title, badge, sub, actions, children, ...steps }: Props) {
  const isWide = useIsWide() // Else the list with its heading is hidden.
  const heading = useRef<HTMLHeadingElement>(null)
  useStepKeys(steps, 'dialog[open], .drawer')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the title says which thing is shown
  useEffect(() => heading.current?.focus({ preventScroll: true }), [title])
  return (
    <aside className="stack pane" aria-label={title}>
      <header className="pane-head">
        <div className="grow">
          <div className="line">
            <button type="button" className="phone-only back" aria-label="Back to the list" onClick={steps.onClose}>
              <Icon name="left" />
            </button>
            <h2 ref={heading} tabIndex={-1} aria-level={isWide ? 2 : 1}>
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
