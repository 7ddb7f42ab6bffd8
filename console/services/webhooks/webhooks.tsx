import './webhooks.css'
import { useQuery } from '@tanstack/react-query'
import { manages, me, stoa } from '../../api.ts'
import { useCode } from '../../frame/code.tsx'
import { type Column, List, pages } from '../../parts/list.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { CreateEndpoint } from './create.tsx'
import { type Endpoint, nameOf } from './names.ts'

export function Webhooks() {
  const { data: person } = useQuery(me)
  useCode('listWebhooks', 'GET', '/v1/webhooks', {})
  const mayChange = person !== undefined && manages(person)
  return (
    <List
      title="Webhooks"
      about="Events of your organisation, sent to your own servers as they happen and signed."
      noun={['endpoint', 'endpoints']}
      query={pages(['webhooks'], (after, options) => stoa.listWebhooks(after, options))}
      idOf={({ id }) => id}
      isOff={({ status }) => status === 'disabled'}
      columns={COLUMNS}
      create={mayChange ? 'Add endpoint' : undefined}
      creation={onClose => mayChange && <CreateEndpoint onClose={onClose} />}
      screenOf={({ id }) => `webhooks/${id}`}
      empty={{
        icon: 'hook',
        title: 'No endpoint yet',
        says: mayChange
          ? 'An endpoint is an https address of yours. Each event is sent to it as JSON, signed with a secret.'
          : 'An endpoint is an https address that gets the events. Ask an owner or admin to add one.',
      }}
    />
  )
}

const COLUMNS: Column<Endpoint>[] = [
  {
    head: 'Endpoint',
    className: 'p1 fill',
    cell: endpoint => (
      <>
        {nameOf(endpoint)}
        {endpoint.description !== '' && <span className="sub mono cut">{endpoint.url}</span>}
      </>
    ),
  },
  { head: 'Events', className: 'p3', cell: ({ events }) => <Patterns of={events} /> },
  { head: 'Status', className: 'p4', cell: endpoint => <EndpointStatus of={endpoint} /> },
  { head: 'Created', className: 'r low', cell: ({ created }) => <Time at={created} /> },
  {
    head: 'Delivered, 7 days',
    className: 'r low',
    cell: ({ deliveries7d, failures7d }) => (deliveries7d - failures7d).toLocaleString(),
  },
  {
    head: 'Not delivered',
    className: 'r p2',
    cell: ({ failures7d: count }) => (count === 0 ? <span className="zero">0</span> : <Failures count={count} />),
  },
]

const Failures = ({ count }: { count: number }) => (
  <span className="badge" data-tone="danger">
    {count.toLocaleString()}
    <span className="phone-only"> failed</span>
  </span>
)

const SHOWN = 2

export const Patterns = ({ of, all = false }: { of: string[]; all?: boolean }) => {
  if (of.length === 0) return <span className="muted">All events</span>
  const shown = all ? of : of.slice(0, SHOWN)
  return (
    <span className="line patterns">
      {shown.map(pattern => (
        <span key={pattern} className="code">
          {pattern}
        </span>
      ))}
      {of.length > shown.length && <span className="muted">{`and ${of.length - shown.length} more`}</span>}
    </span>
  )
}

/** By the deliveries of the last seven days, or by the newest ones if they are known. */
export function EndpointStatus({ of, isFailing }: { of: Endpoint; isFailing?: boolean | undefined }) {
  const { status, deliveries7d, failures7d } = of
  if (status === 'disabled') return <Status tone="off">Disabled</Status>
  if (isFailing || (failures7d > 0 && failures7d === deliveries7d)) return <Status tone="danger">Failing</Status>
  return failures7d > 0 ? <Status tone="warn">Some failed</Status> : <Status tone="success">Active</Status>
}
