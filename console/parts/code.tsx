// Code to paste, in tabs of several languages.
import { createElement, type ReactNode, useId, useState } from 'react'
import { CopyButton } from './copy.tsx'

export type Sample = { name: string; code: string; isJson?: boolean }

export function CodeBlock({ samples, title }: { samples: Sample[]; title?: string }) {
  const [at, setAt] = useState(0)
  const id = useId()
  const { code = '', isJson = false } = samples[at] ?? samples[0] ?? {}
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
      <pre id={id} tabIndex={0} role="region" aria-label={title ?? `Code, ${samples[0]?.name}`}>
        <code>{isJson ? coloured(code) : code}</code>
      </pre>
    </div>
  )
}

/** JSON with several levels in several lines; another text as it is. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(typeof value === 'string' ? JSON.parse(value) : value, null, 2)
  } catch {
    return String(value)
  }
}

/** More would make the page slow. */
const COLOURED_CHARACTERS_MAX = 50_000
const PIECE = /("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*|true|false|null)/

function coloured(json: string): ReactNode {
  if (json.length > COLOURED_CHARACTERS_MAX) return json
  const pieces = json.split(PIECE)
  return pieces.map((piece, n) => {
    if (piece === undefined || n % 3 === 0) return piece
    const isKey = n % 3 === 1 && pieces[n + 2]?.startsWith(':')
    const kind = isKey ? 'k' : n % 3 === 1 ? 'str' : 'n1'
    return createElement('span', { key: n, className: kind }, piece)
  })
}
