// What is shown instead of a screen.
import { Link } from '@tanstack/react-router'
import { StoaApiError, StoaConnectionError } from '../../client/stoa.js'
import { Icon } from '../parts/icon.tsx'

export const NotFound = () => (
  <div className="body">
    <div className="empty">
      <h1>This page does not exist</h1>
      <p>The address may be mistyped, or what it showed was deleted.</p>
      <Link to="/" className="btn">
        Go to Home
      </Link>
    </div>
  </div>
)

export const Failed = ({ error, reset }: { error: unknown; reset?: () => void }) => (
  <div className="body">
    <div className="empty" role="alert">
      <span className="glyph">
        <Icon name="alert" />
      </span>
      <h1>This could not be loaded</h1>
      <p>{errorText(error)}</p>
      <RequestId error={error} />
      {reset && (
        <button type="button" className="btn" onClick={reset}>
          Try again
        </button>
      )}
    </div>
  </div>
)

/** What failed and what to do. Everything but answers of the host and lost connections is a defect of this page. */
export function errorText(error: unknown): string {
  if (error instanceof StoaApiError) return error.message
  if (error instanceof StoaConnectionError && error.status !== null) {
    return `Something else than the host answered, with status ${error.status}. Check the proxy in front of the host and your network.`
  }
  if (error instanceof StoaConnectionError)
    return 'The host did not answer. Check that it runs and that you are online.'
  return `The console failed: ${error instanceof Error ? error.message : String(error)}. Reload the page.`
}

export const RequestId = ({ error }: { error: unknown }) =>
  error instanceof StoaApiError && error.requestId ? (
    <p className="muted">
      Request <code className="mono">{error.requestId}</code>
    </p>
  ) : null
