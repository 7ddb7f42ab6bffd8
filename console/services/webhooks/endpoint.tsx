import './webhooks.css'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { manages, me, queryClient, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useCode } from '../../frame/code.tsx'
import { Failed } from '../../frame/problems.tsx'
import { useParam } from '../../frame/search.ts'
import { Sheet } from '../../frame/sheet.tsx'
import { BusyButton } from '../../parts/busy-button.tsx'
import { Clock, durationText } from '../../parts/clock.tsx'
import { Id } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Column, List, pages } from '../../parts/list.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Segments } from '../../parts/segments.tsx'
import { Status, type Tone } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { type Asked, Asks } from './asks.tsx'
import { AttemptPane, DeliveryPane } from './delivery.tsx'
import { type Attempt, attemptId, deliveryOf, nameOf, type Endpoint as Of } from './names.ts'
import { EndpointStatus, Patterns } from './webhooks.tsx'

const WITHIN = [{ label: 'Webhooks', path: 'webhooks' }]

export function Endpoint() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const { data, error, refetch } = useQuery({
    queryKey: ['webhook', id],
    queryFn: ({ signal }) => stoa.getWebhook({ id }, { signal }),
  })
  if (data) return <Attempts of={data} />
  return (
    <Sheet title={id} within={WITHIN}>
      {error && <Failed error={error} reset={() => void refetch()} />}
    </Sheet>
  )
}

const OUTCOMES = [
  ['all', 'All'],
  ['ok', 'Delivered'],
  ['retrying', 'Retrying'],
  ['failed', 'Failed'],
] as const

const REFRESH_MS = 10_000

/** The newest delivery that succeeded; the endpoint is failing if one failed after it. */
async function newestOf(id: string, options: { signal: AbortSignal }) {
  const read = (status: 'ok' | 'failed') => stoa.listWebhookDeliveries({ id, status, limit: 1 }, options)
  const [{ data: oks }, { data: failures }] = await Promise.all([read('ok'), read('failed')])
  const [ok, failure] = [oks[0], failures[0]]
  return { ok, isFailing: failure !== undefined && (!ok || ok.created < failure.created) }
}

function Attempts({ of }: { of: Of }) {
  const { id } = of
  const { data: person } = useQuery(me)
  const mayChange = person !== undefined && manages(person)
  const [status, setStatus] = useParam('status')
  const [subject, setSubject] = useParam('subject')
  const [asked, setAsked] = useState<Asked>(null)
  const chosen = (status || 'all') as (typeof OUTCOMES)[number][0]
  const filter = { ...(chosen !== 'all' && { status: chosen }), ...(subject && { subject }) }
  useCode('listWebhookDeliveries', 'GET', `/v1/webhooks/${id}/deliveries`, filter)
  const { data: newest } = useQuery({
    queryKey: ['webhook', id, 'newest'],
    queryFn: options => newestOf(id, options),
    refetchInterval: REFRESH_MS,
  })
  const query = pages(['webhook', id, 'attempts', filter], (after, options) =>
    stoa.listWebhookDeliveries({ id, ...filter, ...after }, options),
  )
  return (
    <List
      title={nameOf(of)}
      within={WITHIN}
      about={<About of={of} isFailing={newest?.isFailing} />}
      actions={mayChange && <Actions of={of} onAsk={setAsked} />}
      top={<Figures of={of} lastOk={newest?.ok?.created} />}
      noun={['attempt', 'attempts']}
      query={query}
      idOf={attemptId}
      columns={COLUMNS}
      isDense
      opens="pane"
      filters={<Filters of={of} onResend={mayChange ? () => setAsked('resend') : undefined} />}
      isFiltered={chosen !== 'all' || subject !== ''}
      onClear={() => {
        setStatus('')
        setSubject('')
      }}
      details={(attempt, steps) =>
        mayChange ? (
          <DeliveryPane of={of} delivery={attempt.delivery} onSubject={setSubject} {...steps} />
        ) : (
          <AttemptPane of={attempt} {...steps} />
        )
      }
      unlisted={(open, steps) => mayChange && <DeliveryPane of={of} delivery={deliveryOf(open)} {...steps} />}
      drawer={asked && <Asks asked={asked} of={of} onClose={() => setAsked(null)} />}
      empty={{
        icon: 'send',
        title: 'Nothing was sent yet',
        says: 'Attempts of the last 30 days appear here. Send a test to see what arrives.',
      }}
    />
  )
}

function Filters({ of: { id, status, failures7d }, onResend }: { of: Of; onResend: (() => void) | undefined }) {
  const [outcome, setOutcome] = useParam('status')
  const [subject, setSubject] = useParam('subject')
  return (
    <>
      <Segments
        label="Outcome"
        options={OUTCOMES}
        chosen={(outcome || 'all') as (typeof OUTCOMES)[number][0]}
        onChoose={one => setOutcome(one === 'all' ? '' : one)}
      />
      {subject && (
        <span className="chip">
          <span>Subject</span>
          <b>{subject}</b>
          <button type="button" aria-label="Clear subject" onClick={() => setSubject('')}>
            <Icon name="x" small />
          </button>
        </span>
      )}
      <span className="right">
        <button
          type="button"
          className="btn s icon-only"
          aria-label="Refresh"
          title="Refresh"
          onClick={() => void queryClient.invalidateQueries({ queryKey: ['webhook', id] })}
        >
          <Icon name="refresh" />
        </button>
        {onResend && status === 'active' && failures7d > 0 && (
          <button type="button" className="btn s" onClick={onResend}>
            <Icon name="repeat" />
            Resend failed…
          </button>
        )}
      </span>
    </>
  )
}

const About = ({ of, isFailing }: { of: Of; isFailing: boolean | undefined }) => (
  <div className="meta">
    <EndpointStatus of={of} isFailing={isFailing} />
    <Id text={of.url} show />
    <Patterns of={of.events} all />
    {of.retry === 'long' && <span>Retries for a day and a half</span>}
  </div>
)

function Actions({ of, onAsk }: { of: Of; onAsk: (asked: Asked) => void }) {
  const { id, status } = of
  const [, setOpen] = useParam('open')
  const changes = [['webhook', id], ['webhooks']]
  const test = useChange({
    run: () => stoa.testWebhook({ id }),
    changes,
    onDone: ({ delivery, delivered, error, durationMs }) => {
      if (delivered) toast(`Test delivered in ${durationText(durationMs)}`)
      else toast(`The test was not delivered. ${error ?? ''}`, 'danger')
      setOpen(attemptId({ delivery, attempt: 1 }))
    },
  })
  const enable = useChange({
    run: () => stoa.updateWebhook({ id, status: 'active' }),
    changes,
    done: () => 'Endpoint enabled',
  })
  return (
    <>
      <BusyButton isBusy={test.isPending} onClick={() => test.mutate()}>
        <Icon name="send" />
        Send test
      </BusyButton>
      <Menu
        label="More"
        actions={[
          { label: 'Edit…', icon: 'sliders', run: () => onAsk('edit') },
          { label: 'Rotate secret…', icon: 'refresh', run: () => onAsk('rotate') },
          status === 'active'
            ? { label: 'Disable…', icon: 'pause', run: () => onAsk('disable') }
            : { label: 'Enable', icon: 'play', run: () => enable.mutate() },
          { label: 'Delete…', icon: 'trash', tone: 'danger', run: () => onAsk('delete') },
        ]}
      />
    </>
  )
}

type FiguresProps = { of: Of; lastOk: string | undefined }

function Figures({ of: { deliveries7d: all, failures7d: failed }, lastOk }: FiguresProps) {
  const share = all === 0 ? '—' : `${(Math.floor((1_000 * (all - failed)) / all) / 10).toLocaleString()}%`
  const tiles: [string, ReactNode][] = [
    ['Delivered, 7 days', share],
    ['Deliveries', all.toLocaleString()],
    ['Not delivered', failed.toLocaleString()],
    ['Last delivered', <Time key="last" at={lastOk} />],
  ]
  return (
    <div className="section wtop">
      <div className="tiles" style={{ '--n': tiles.length } as React.CSSProperties}>
        {tiles.map(([label, figure]) => (
          <div key={label} className="tile">
            <span className="label">{label}</span>
            <span className="figure">{figure}</span>
          </div>
        ))}
      </div>
    </div>
  )
}

const STATES: Record<Attempt['status'], [Tone, string]> = {
  ok: ['success', 'Delivered'],
  retrying: ['warn', 'Retrying'],
  failed: ['danger', 'Failed'],
}

export const Outcome = ({ of: { status } }: { of: Attempt }) => (
  <Status tone={STATES[status][0]}>{STATES[status][1]}</Status>
)

export const Answer = ({ of: { httpStatus, status } }: { of: Attempt }) =>
  httpStatus === undefined ? (
    <span className="muted">none</span>
  ) : (
    <span className="badge" data-tone={status === 'ok' ? 'success' : 'danger'}>
      {httpStatus}
    </span>
  )

const COLUMNS: Column<Attempt>[] = [
  { head: 'Subject', className: 'p1 fill', cell: ({ subject }) => subject },
  { head: 'Outcome', className: 'p3', cell: attempt => <Outcome of={attempt} /> },
  { head: 'Attempt', className: 'r low', cell: ({ attempt }) => attempt },
  { head: 'Answer', className: 'r p2', cell: attempt => <Answer of={attempt} /> },
  { head: 'Took', className: 'r', cell: ({ durationMs }) => `${durationMs.toLocaleString()} ms` },
  { head: 'Time', className: 'r p4', cell: ({ created }) => <Clock at={created} /> },
]
