import { useEffect, useRef } from 'react'
import { errorText, RequestId } from '../frame/problems.tsx'
import { Icon } from './icon.tsx'

/** What failed, in a form. */
export function Problem({ error }: { error: unknown }) {
  const shown = useRef<HTMLDivElement>(null)
  // At the end of a long form it would be out of sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another error is shown too
  useEffect(() => {
    shown.current?.scrollIntoView({ block: 'nearest' })
  }, [error])
  return (
    <div ref={shown} className="callout" data-tone="danger" role="alert">
      <Icon name="alert" />
      <div>
        {errorText(error)}
        <RequestId error={error} />
      </div>
    </div>
  )
}
