import { errorText, RequestId } from '../frame/problems.tsx'
import { Icon } from './icon.tsx'

/** What failed, in a form. */
export const Problem = ({ error }: { error: unknown }) => (
  <div className="callout" data-tone="danger" role="alert">
    <Icon name="alert" />
    <div>
      {errorText(error)}
      <RequestId error={error} />
    </div>
  </div>
)
