import { errorText, RequestId } from '../frame/problems.tsx'

type Props = { what: string; error: unknown; isBusy: boolean; onRetry: () => void }

/** What failed, in the place of what was to be shown. */
export const Unloaded = ({ what, error, isBusy, onRetry }: Props) => (
  <div className="empty" role="alert">
    <h2>{`${what} could not be loaded`}</h2>
    <p>{errorText(error)}</p>
    <RequestId error={error} />
    <button type="button" className="btn" aria-busy={isBusy} onClick={onRetry}>
      Try again
    </button>
  </div>
)
