// The details of one thing of a list, beside the list. Esc closes it, and `j` and `k` go to the next and previous one.
import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react'
import { isTyping } from '../frame/keys.ts'
import { forget, leave } from '../frame/unsaved.tsx'
import { Icon } from './icon.tsx'

type Props = {
  title: string
  sub?: ReactNode
  children: ReactNode
  foot?: ReactNode
  onClose: () => void
  /** In the list; null at its end. */
  onNext?: (() => void) | null
  onPrevious?: (() => void) | null
}

type StepProps = Pick<Props, 'onClose' | 'onNext' | 'onPrevious'>

/** Esc closes, and `j` and `k` go on; of two that are open, for the upper one. */
export function useStepKeys({ onClose, onNext, onPrevious }: StepProps, above = 'dialog[open]'): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (document.querySelector(`${above}, [popover]:popover-open`)) return
      if (event.key === 'Escape') {
        event.preventDefault() // It would close the question about text that is not saved.
        return onClose()
      }
      if (isTyping(event.target) || event.metaKey || event.ctrlKey || event.altKey) return
      if (event.key === 'j') onNext?.()
      if (event.key === 'k') onPrevious?.()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [onClose, onNext, onPrevious, above])
}

export function Drawer({ title, sub, children, foot, onClose, onNext, onPrevious }: Props) {
  const drawer = useRef<HTMLElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the title says which thing is shown
  useEffect(() => heading.current?.focus(), [title])
  const close = () => leave(drawer.current, onClose)
  useStepKeys({ onClose: close, onNext, onPrevious })
  return (
    <aside ref={drawer} className="drawer" aria-label={title}>
      <div className="drawer-head">
        <div className="grow">
          <h2 ref={heading} tabIndex={-1}>
            {title}
          </h2>
          {sub && <div className="line dsub">{sub}</div>}
        </div>
        {onPrevious !== undefined && <Step label="Previous (k)" icon="up" run={onPrevious} />}
        {onNext !== undefined && <Step label="Next (j)" icon="fall" run={onNext} />}
        <Step label="Close (Esc)" icon="x" run={close} />
      </div>
      <div className="drawer-body">{children}</div>
      {foot && <div className="drawer-foot">{foot}</div>}
    </aside>
  )
}

const Step = ({ label, icon, run }: { label: string; icon: string; run: (() => void) | null }) => (
  <button
    type="button"
    className="btn s icon-only"
    data-kind="quiet"
    aria-label={label}
    title={label}
    disabled={run === null}
    onClick={() => run?.()}
  >
    <Icon name={icon} />
  </button>
)

/** Says that nothing is needed any more, so that nothing asks. */
export function Done({ isPrimary = false, onClose }: { isPrimary?: boolean; onClose: () => void }) {
  const close = (event: MouseEvent) => {
    forget(event.currentTarget.closest('.drawer'))
    onClose()
  }
  return (
    <button type="button" className="btn" data-kind={isPrimary ? 'primary' : undefined} onClick={close}>
      Done
    </button>
  )
}

export const DoneFoot = ({ onClose }: { onClose: () => void }) => (
  <span className="right">
    <Done isPrimary onClose={onClose} />
  </span>
)
