// The command menu: the screens that the person may open.
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Me } from '../api.ts'
import { useModal } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { useEntries } from './navigation.tsx'
import { placeOf } from './place.ts'

export function Palette({ me, onClose }: { me: Me; onClose: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const dialog = useModal()
  const navigate = useNavigate()
  const wanted = text.trim().toLowerCase()
  const found = useEntries(me).filter(({ label, group }) => `${label} ${group}`.toLowerCase().includes(wanted))
  const open = (path: string | undefined) => {
    onClose()
    // Otherwise it goes back to what had it before, and Tab leads through the navigation.
    if (path) void navigate(placeOf(me.org, path)).then(() => document.getElementById('sheet')?.focus())
  }
  const onKey = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      setAt((at + step + found.length) % Math.max(1, found.length))
    } else if (event.key === 'Enter') open(found[at]?.path)
  }
  return (
    <dialog ref={dialog} className="cmd" aria-label="Command menu" onClose={onClose} onKeyDown={onKey}>
      <div className="cmd-in">
        <Icon name="search" />
        <input
          value={text}
          aria-label="Search or jump to"
          placeholder="Search or jump to"
          role="combobox"
          aria-expanded="true"
          aria-controls="found"
          aria-activedescendant={found[at] && `found-${at}`}
          onChange={event => {
            setText(event.target.value)
            setAt(0)
          }}
        />
        <kbd>Esc</kbd>
      </div>
      <div className="cmd-list">
        <ul role="listbox" id="found" aria-label="Screens">
          {found.map(({ path, label, icon, group }, n) => (
            <li key={path} id={`found-${n}`} role="option" aria-selected={n === at} onClick={() => open(path)}>
              <Icon name={icon} />
              <span>{label}</span>
              <span className="muted">{group}</span>
            </li>
          ))}
        </ul>
        {found.length === 0 && <p className="muted">No screen has this name.</p>}
      </div>
    </dialog>
  )
}
