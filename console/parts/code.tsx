// Code to paste, in tabs of several languages.
import { useId, useState } from 'react'
import { CopyButton } from './copy.tsx'

export type Sample = { name: string; code: string }

export function CodeBlock({ samples, title }: { samples: Sample[]; title?: string }) {
  const [at, setAt] = useState(0)
  const id = useId()
  const { code = '' } = samples[at] ?? {}
  const onKey = (event: React.KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    const next = (at + step + samples.length) % samples.length
    setAt(next)
    document.getElementById(`${id}-${next}`)?.focus()
  }
  return (
    <div className="codeblock">
      <div className="codeblock-head">
        {samples.length > 1 ? (
          <span className="ctabs" role="tablist" aria-label="Language" onKeyDown={onKey}>
            {samples.map(({ name }, n) => (
              <button
                key={name}
                id={`${id}-${n}`}
                type="button"
                role="tab"
                aria-selected={n === at}
                aria-controls={id}
                tabIndex={n === at ? 0 : -1}
                onClick={() => setAt(n)}
              >
                {name}
              </button>
            ))}
          </span>
        ) : (
          <span>{title ?? samples[0]?.name}</span>
        )}
        <span className="right">
          <CopyButton text={code} />
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <pre id={id} tabIndex={0} role="region" aria-label="Code">
        <code>{code}</code>
      </pre>
    </div>
  )
}
