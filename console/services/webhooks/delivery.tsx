// One delivery: its attempts, what was sent and what the endpoint answered.
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { WebhookDeliveryDetails } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { isTyping } from '../../frame/keys.ts'
import { Failed } from '../../frame/problems.tsx'
import { useParam } from '../../frame/search.ts'
import { Clock, durationText } from '../../parts/clock.tsx'
import { CodeBlock, jsonText } from '../../parts/code.tsx'
import { Id } from '../../parts/copy.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Steps } from '../../parts/list.tsx'
import { Pane } from '../../parts/pane.tsx'
import { Status } from '../../parts/status.tsx'
import { Answer, Outcome } from './endpoint.tsx'
import { ATTEMPT_MAX, type Attempt, attempted, attemptId, type Endpoint } from './names.ts'

const RETRYING_READ_MS = 3_000

type Props = Steps & { of: Endpoint; delivery: string; onSubject?: (subject: string) => void }

export function DeliveryPane({ of, delivery, onSubject, ...steps }: Props) {
  const { id } = of
  const { data, error, refetch } = useQuery({
    queryKey: ['webhook', id, 'delivery', delivery],
    queryFn: ({ signal }) => stoa.getWebhookDelivery({ id, delivery }, { signal }),
    refetchInterval: ({ state }) => state.data?.attempts.at(-1)?.status === 'retrying' && RETRYING_READ_MS,
  })
  if (!data) {
    return (
      <Pane title="Delivery" {...steps}>
        {error ? <Failed error={error} reset={() => void refetch()} /> : <span className="skeleton" />}
      </Pane>
    )
  }
  const last = data.attempts.at(-1)
  return (
    <Pane
      title={data.subject}
      sub={
        <>
          <DeliveryStatus of={data} />
          <Id text={delivery} shown={`${delivery.slice(0, 8)}…`} show />
        </>
      }
      actions={<Resend of={of} delivery={data} />}
      {...steps}
    >
      <Tries of={data} max={ATTEMPT_MAX[of.retry]} />
      {last && <Outcomes of={last} />}
      <Body of={data} />
      {onSubject && (
        <p>
          <button type="button" className="btn s" onClick={() => onSubject(data.subject)}>
            <Icon name="filter" />
            Filter by this subject
          </button>
        </p>
      )}
    </Pane>
  )
}

/** For members, who may not read what was sent. */
export const AttemptPane = ({ of, ...steps }: Steps & { of: Attempt }) => (
  <Pane
    title={of.subject}
    sub={
      <>
        <Outcome of={of} />
        <Id text={of.delivery} shown={`${of.delivery.slice(0, 8)}…`} show />
      </>
    }
    {...steps}
  >
    <Facts
      of={{
        Attempt: of.attempt,
        Answer: <Answer of={of} />,
        Took: durationText(of.durationMs),
        Time: <Clock at={of.created} />,
      }}
    />
    <Outcomes of={of} />
    <p className="muted">Owners and admins also see what was sent, and can resend it.</p>
  </Pane>
)

function DeliveryStatus({ of: { attempts } }: { of: WebhookDeliveryDetails }) {
  const last = attempts.at(-1)
  const count = `${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}`
  if (!last) return <Status tone="busy">Not yet attempted</Status>
  if (last.status === 'ok') return <Status tone="success">{`Delivered after ${count}`}</Status>
  return last.status === 'failed' ? (
    <Status tone="danger">{`Failed after ${count}`}</Status>
  ) : (
    <Status tone="warn">{`Retrying after ${count}`}</Status>
  )
}

function Resend({ of, delivery }: { of: Endpoint; delivery: WebhookDeliveryDetails }) {
  const { id } = of
  const [, setOpen] = useParam('open')
  const isOver = delivery.attempts.at(-1)?.status !== 'retrying' && delivery.attempts.length > 0
  const resend = useChange({
    run: async () => {
      const { delivery: next } = await stoa.resendWebhookDelivery({ id, delivery: delivery.delivery })
      await attempted()
      return next
    },
    changes: [['webhook', id]],
    done: () => 'Delivery sent again',
    onDone: next => setOpen(attemptId({ delivery: next, attempt: 1 })),
  })
  const may = isOver && of.status === 'active'
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'r' || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
      if (may && !resend.isPending && !document.querySelector('dialog[open]')) resend.mutate()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
  if (!may) return null
  return (
    <button
      type="button"
      className="btn s"
      data-kind="primary"
      aria-busy={resend.isPending}
      onClick={() => resend.mutate()}
    >
      <Icon name="send" />
      Resend
      <kbd>R</kbd>
    </button>
  )
}

const Tries = ({ of: { attempts }, max }: { of: WebhookDeliveryDetails; max: number }) => (
  <ol className="timeline tries" aria-label="Attempts">
    {attempts.map((attempt, n) => (
      <li key={attempt.id}>
        <span className="dot" data-tone={attempt.status === 'ok' ? 'success' : n + 1 === max ? 'danger' : 'warn'}>
          <Icon name={attempt.status === 'ok' ? 'ok' : 'no'} />
        </span>
        <div className="line">
          <span className="grow">
            <span className="strong">Attempt {attempt.attempt}</span>{' '}
            <span className="muted">{gapText(attempts[n - 1], attempt)}</span>
          </span>
          <Answer of={attempt} />
          <span className="when">{durationText(attempt.durationMs)}</span>
          <span className="when">
            <Clock at={attempt.created} />
          </span>
        </div>
      </li>
    ))}
  </ol>
)

function gapText(before: Attempt | undefined, attempt: Attempt): string {
  if (!before) return attempt.resendOf ? 'resent' : ''
  return `${durationText(Date.parse(attempt.created) - Date.parse(before.created))} later`
}

const Outcomes = ({ of }: { of: Attempt }) => (
  <>
    {of.status !== 'ok' && (
      <div className="callout" data-tone={of.status === 'failed' ? 'danger' : 'warn'}>
        <Icon name="alert" />
        <div>
          <b>{of.error ?? 'It failed.'}</b>{' '}
          {of.status === 'failed'
            ? 'Stoa does not try again by itself. Repair the server, then resend this one or all that failed.'
            : 'Stoa tries again by itself.'}
        </div>
      </div>
    )}
    {of.response !== undefined && of.response !== '' && (
      <CodeBlock
        title={`Answer, attempt ${of.attempt}`}
        samples={[{ name: 'Answer', code: jsonText(of.response), isJson: /^\s*[{[]/.test(of.response) }]}
      />
    )}
  </>
)

function Body({ of: { body } }: { of: WebhookDeliveryDetails }) {
  if (body === undefined) return <p className="muted">The body is no longer stored.</p>
  const bytes = new TextEncoder().encode(body).length.toLocaleString()
  return (
    <CodeBlock
      samples={[
        { name: `Body sent, ${bytes} bytes`, code: jsonText(body), isJson: true },
        { name: 'Byte for byte', code: body },
      ]}
    />
  )
}
