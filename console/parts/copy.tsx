import { useState } from 'react'
import { Icon } from './icon.tsx'

const SAID_MS = 2_000

/** Whether it was copied just now. */
export function useCopy(text: string, onCopy?: () => void): [isCopied: boolean, copy: () => void] {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    onCopy?.()
    setCopied(true)
    setTimeout(() => setCopied(false), SAID_MS)
  }
  return [isCopied, () => void copy()]
}

type Props = { text: string; label?: string; quiet?: boolean; onCopy?: () => void }

/** A button that says for a moment that it did it. */
export function CopyButton({ text, label = 'Copy', quiet = true, onCopy }: Props) {
  const [isCopied, copy] = useCopy(text, onCopy)
  return (
    <button type="button" className={quiet ? 'btn s' : 'btn'} data-kind={quiet ? 'quiet' : undefined} onClick={copy}>
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </button>
  )
}

/** An id, or its beginning, which can be copied. */
export function Id({ text, shown = text, show = false }: { text: string; shown?: string; show?: boolean }) {
  const [isCopied, copy] = useCopy(text)
  return (
    <span className="id" data-show={show || undefined}>
      {shown}
      <button
        type="button"
        aria-label={isCopied ? 'Copied' : `Copy ${shown}`}
        onClick={event => {
          event.stopPropagation() // The row would open.
          copy()
        }}
      >
        <Icon name={isCopied ? 'check' : 'copy'} small />
      </button>
    </span>
  )
}
