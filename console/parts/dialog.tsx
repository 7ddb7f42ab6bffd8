import { type ReactNode, useEffect, useRef } from 'react'

type Props = { title: string; children: ReactNode; foot?: ReactNode; onClose: () => void }

/** A question over everything else. Esc closes it. */
export function Dialog({ title, children, foot, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
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
