// Finds in a list: what is typed becomes a parameter of the address when the typing pauses.
import { useEffect, useRef, useState } from 'react'
import { useParam } from '../frame/search.ts'
import { Icon } from './icon.tsx'

const PAUSE_MS = 250

type Props = { label: string; placeholder?: string; name?: string; maxLength?: number }

export function FindParam({ label, placeholder = label, name = 'find', maxLength = 200 }: Props) {
  const [found, setFound] = useParam(name)
  const [typed, setTyped] = useState(found)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const own = useRef(found)
  useEffect(() => {
    if (found !== own.current) setTyped(found) // Another link, or "Clear filters".
    own.current = found
  }, [found])
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (text: string) => {
    setTyped(text)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      own.current = text.trim()
      setFound(own.current, true)
    }, PAUSE_MS)
  }
  return (
    <span className="find">
      <Icon name="search" small />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        maxLength={maxLength}
        value={typed}
        onChange={event => type(event.target.value)}
      />
      {typed === '' && <kbd>/</kbd>}
    </span>
  )
}
