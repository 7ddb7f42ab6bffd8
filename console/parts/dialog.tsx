import { type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react'

type Props = { title: string; children: ReactNode; foot?: ReactNode; onClose: () => void }

/** Over everything else while it is there. Then the focus goes back to what opened it. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])
  return dialog
}

/** A question over everything else. Esc closes it. */
export function Dialog({ title, children, foot, onClose }: Props) {
  const dialog = useModal()
  return (
    <dialog ref={dialog} className="dialog" aria-label={title} onClose={onClose}>
      <div className="dialog-head">
        <h2>{title}</h2>
      </div>
      <div className="dialog-body">{children}</div>
      {foot && <div className="dialog-foot">{foot}</div>}
    </dialog>
  )
}
