import { useState } from 'react'
import type { Control } from '../../parts/form.tsx'

/** An argument that is a list or an object, as JSON. */
export const json: Control = ({ set, value, schema: _, choices: __, ...its }) => (
  <JsonField its={its} initial={value === undefined ? '' : JSON.stringify(value)} set={set} />
)

type Props = { its: { id: string }; initial: string; set: (value: unknown) => void }

function JsonField({ its, initial, set }: Props) {
  const [text, setText] = useState(initial)
  return (
    <textarea
      {...its}
      className="input mono"
      value={text}
      spellCheck={false}
      placeholder="JSON"
      onChange={({ target }) => {
        setText(target.value)
        const read = readJson(target.value)
        target.setCustomValidity(read.isValid ? '' : 'This is not JSON.')
        set(read.value)
      }}
    />
  )
}

function readJson(text: string): { isValid: boolean; value?: unknown } {
  if (text.trim() === '') return { isValid: true }
  try {
    return { isValid: true, value: JSON.parse(text) }
  } catch {
    return { isValid: false } // The form says so.
  }
}
