// What changes an endpoint as a whole: its settings, its secret, whether it gets events, and its end.
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Done, Drawer } from '../../parts/drawer.tsx'
import { Field } from '../../parts/field.tsx'
import { Secret } from '../../parts/secret.tsx'
import { localText } from '../../parts/time.tsx'
import { EditEndpoint, SIGNS } from './create.tsx'
import { attempted, hostOf, nameOf, type Endpoint as Of } from './names.ts'

export type Asked = 'edit' | 'rotate' | 'disable' | 'delete' | 'resend' | null

type Props = { of: Of; onClose: () => void }

export function Asks({ asked, ...props }: Props & { asked: NonNullable<Asked> }) {
  const ask = { edit: EditEndpoint, rotate: Rotate, disable: Disable, delete: Delete, resend: Resend }[asked]
  const Ask = ask
  return <Ask {...props} />
}

const changesOf = ({ id }: Of) => [['webhook', id], ['webhooks']]

function Disable({ of, onClose }: Props) {
  const disable = useChange({
    run: () => stoa.updateWebhook({ id: of.id, status: 'disabled' }),
    changes: changesOf(of),
    done: () => 'Endpoint disabled',
  })
  return (
    <Confirm title={`Disable ${nameOf(of)}?`} action="Disable endpoint" onNo={onClose} onYes={disable.mutate}>
      <p>
        It got {of.deliveries7d.toLocaleString()} deliveries in the last seven days. Events that happen while it is
        disabled are not sent later.
      </p>
    </Confirm>
  )
}

function Delete({ of, onClose }: Props) {
  const { org } = useParams({ strict: false }) as { org: string }
  const navigate = useNavigate()
  const remove = useChange({
    run: () => stoa.deleteWebhook({ id: of.id }),
    changes: [['webhooks']],
    done: () => `Endpoint ${nameOf(of)} deleted`,
    onDone: () => void navigate({ to: '/o/$org/$', params: { org, _splat: 'webhooks' } }),
  })
  return (
    <Confirm
      title={`Delete ${nameOf(of)}?`}
      action="Delete endpoint"
      type={hostOf(of)}
      onNo={onClose}
      onYes={remove.mutate}
    >
      <p>
        It gets no more events, and the log of its deliveries is lost. It got {of.deliveries7d.toLocaleString()} in the
        last seven days.
      </p>
    </Confirm>
  )
}

const OVERLAPS = [
  ['0', 'None: it stops signing now'],
  ['3600', 'One hour'],
  ['86400', 'One day'],
]

function Rotate({ of, onClose }: Props) {
  const [overlap, setOverlap] = useState('3600')
  const rotate = useChange({
    run: () => stoa.rotateWebhookSecret({ id: of.id, overlap: Number(overlap) }),
    changes: changesOf(of),
  })
  const foot = (
    <span className="right">
      {rotate.data ? (
        <Done isPrimary onClose={onClose} />
      ) : (
        <>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className="btn"
            data-kind="primary"
            aria-busy={rotate.isPending}
            onClick={() => rotate.mutate()}
          >
            Rotate secret
          </button>
        </>
      )}
    </span>
  )
  return (
    <Drawer title="Rotate the secret" sub={<span className="muted">{nameOf(of)}</span>} onClose={onClose} foot={foot}>
      {rotate.data ? (
        <>
          <Secret label="Secret" text={rotate.data.secret} says={SIGNS} />
          {overlap !== '0' && (
            <p className="dim">
              For {OVERLAPS.find(([seconds]) => seconds === overlap)?.[1]?.toLowerCase()} each delivery has two
              signatures, so that a receiver may know either of the two secrets.
            </p>
          )}
        </>
      ) : (
        <div className="form">
          <p className="dim">The endpoint gets a new secret, which is shown once. It signs from the next attempt on.</p>
          <Field label="The former secret still signs for" help="Long enough to change the secret on your server.">
            {its => (
              <select {...its} className="input" value={overlap} onChange={event => setOverlap(event.target.value)}>
                {OVERLAPS.map(([seconds, label]) => (
                  <option key={seconds} value={seconds}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
      )}
    </Drawer>
  )
}

const DAY_MS = 86_400_000

function Resend({ of, onClose }: Props) {
  const [since, setSince] = useState(() => localText(new Date(Date.now() - DAY_MS)))
  const resend = useChange({
    run: async () => {
      const sent = await stoa.resendFailedWebhookDeliveries({ id: of.id, since: new Date(since).toISOString() })
      await attempted()
      return sent
    },
    changes: changesOf(of),
    done: ({ count }) => `${count.toLocaleString()} ${count === 1 ? 'delivery is' : 'deliveries are'} sent again`,
  })
  return (
    <Confirm
      title="Resend failed deliveries?"
      action="Resend deliveries"
      tone="primary"
      onNo={onClose}
      onYes={resend.mutate}
    >
      <p>
        {of.failures7d.toLocaleString()} {of.failures7d === 1 ? 'delivery' : 'deliveries'} failed in the last seven
        days. Those whose last attempt was at or after this time are sent again, each with a new delivery id.
      </p>
      <Field label="Since">
        {its => (
          <input
            {...its}
            className="input"
            type="datetime-local"
            value={since}
            onChange={event => setSince(event.target.value)}
          />
        )}
      </Field>
    </Confirm>
  )
}
