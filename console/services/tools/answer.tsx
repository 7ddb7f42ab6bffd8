import { useEffect, useRef } from 'react'
import { CodeBlock, jsonText } from '../../parts/code.tsx'
import { Id } from '../../parts/copy.tsx'
import { Status } from '../../parts/status.tsx'
import { type Exchange, textOf } from './door.ts'

/** What an agent would read. */
export function Answer({ of }: { of: Exchange }) {
  const section = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer is shown
  useEffect(() => {
    section.current?.scrollIntoView({ block: 'nearest' })
  }, [of])
  const { result, ms, requestId } = of
  const text = textOf(result)
  return (
    <section ref={section} aria-live="polite" aria-label="Answer">
      <h3>Answer</h3>
      <p className="line answer-facts">
        <Status tone={result.isError ? 'danger' : 'success'}>{result.isError ? 'Failed' : 'Done'}</Status>
        <span className="num">{Math.round(ms).toLocaleString()} ms</span>
        {requestId && <Id text={requestId} show />}
      </p>
      {result.isError ? (
        <CodeBlock title="What the agent reads" samples={[{ name: 'Text', code: text }]} />
      ) : (
        <CodeBlock title="What the agent reads" samples={[{ name: 'JSON', code: jsonText(text), isJson: true }]} />
      )}
    </section>
  )
}
