// Asks before what cannot be undone or stops something in use.
import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.tsx'

type Props = {
  title: string
  children: ReactNode
  /** The button: a verb and a noun. */
  action: string
  tone?: 'danger' | 'primary'
  /** Must be typed, if data or access is lost for good. */
  type?: string
  onYes: () => void
  onNo: () => void
}

export function Confirm({ title, children, action, tone = 'danger', type, onYes, onNo }: Props) {
  const [typed, setTyped] = useState('')
  return (
    <Dialog
      title={title}
      onClose={onNo}
      foot={
        <>
          <button type="button" className="btn" onClick={onNo}>
            Cancel
          </button>
          <button
            type="button"
            className="btn"
            data-kind={tone}
            disabled={type !== undefined && typed !== type}
            onClick={() => {
              onNo()
              onYes()
            }}
          >
            {action}
          </button>
        </>
      }
    >
      {children}
      {type !== undefined && (
        <label className="field">
          <span>
            Type <span className="code">{type}</span> to confirm
          </span>
          <input className="input" value={typed} autoComplete="off" onChange={event => setTyped(event.target.value)} />
        </label>
      )}
    </Dialog>
  )
}
