import type { ModelRequest } from '../../../client/stoa.js'
import { Clock, durationText } from '../../parts/clock.tsx'
import { Id } from '../../parts/copy.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'
import { KeyName } from '../../parts/key-name.tsx'
import type { Steps } from '../../parts/list.tsx'
import { Money } from '../../parts/money.tsx'
import { Status } from '../../parts/status.tsx'
import { isFallback } from './requests.tsx'

export function RequestDetails({ of, ...steps }: { of: ModelRequest } & Steps) {
  const { error, answeredModel, attempts, inputTokens, outputTokens, cost } = of
  const sub = (
    <>
      {error ? <Status tone="danger">Failed</Status> : <Status tone="success">Answered</Status>}
      <Id text={of.id} shown={`${of.id.slice(0, 12)}…`} show />
    </>
  )
  return (
    <Drawer title={of.model} sub={sub} {...steps}>
      {error && (
        <div className="callout" data-tone="danger">
          <Icon name="alert" />
          <div>
            <b>{error}.</b> {WHY[error] ?? 'The host refused the call, or could not complete it.'}
          </div>
        </div>
      )}
      {isFallback(of) && (
        <div className="callout" data-tone="warn">
          <Icon name="info" />
          <div>
            <b>{`${answeredModel ?? of.model} answered.`}</b>{' '}
            {`${attempts - 1} ${attempts === 2 ? 'call' : 'calls'} before it failed.`}
          </div>
        </div>
      )}
      <Facts
        title="Cost"
        of={{
          Input: `${inputTokens.toLocaleString()} tokens`,
          Output: `${outputTokens.toLocaleString()} tokens`,
          Counted: of.estimated ? 'by this host, because the provider did not tell' : 'by the provider',
          Cost: cost === undefined ? 'not charged' : <Money cents={cost} />,
          Transfer: of.transactionId && <Id text={of.transactionId} show />,
        }}
      />
      <Facts
        title="Time"
        of={{
          Began: <Clock at={of.created} />,
          'First token': of.firstTokenMs !== undefined && durationText(of.firstTokenMs),
          Total: durationText(of.totalMs),
          Speed: of.tokensPerSecond !== undefined && `${Math.round(of.tokensPerSecond)} tokens/s`,
        }}
      />
      <Facts
        of={{
          Model: answeredModel ? `${of.model} → ${answeredModel}` : of.model,
          Provider: of.provider,
          Attempts: attempts,
          Format: of.wire,
          Streamed: of.streamed ? 'yes' : 'no',
          Key: <KeyName id={of.key} />,
          Project: of.project && <span className="code">{of.project}</span>,
        }}
      />
    </Drawer>
  )
}

/** What to do about the usual failures. */
const WHY: Record<string, string> = {
  interrupted: 'The client disconnected before the answer was complete.',
  not_found: 'No provider has this model. Check its name in the catalogue, or add an alias.',
  key_budget: 'The key has spent its budget. Raise it, or wait for the next month.',
  model_unpriced: 'The model has no price, which prepaid organisations need. Ask the operator for one.',
  model_refused: 'The provider refused the input. Check it against the limits of the model.',
  model_limit: 'The organisation called this model too often. Try again in a minute.',
  upstream_busy: 'The provider is busy. Add a fallback model.',
  upstream_refused: 'The provider refused the call of this host. Tell the operator.',
  upstream_unreachable: 'The provider could not be reached. Add a fallback model.',
  upstream_timeout: 'The provider did not answer in time. Add a fallback model.',
}
