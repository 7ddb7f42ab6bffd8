import './events.css'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { EventSettings } from '../../../client/stoa.js'
import { manages, me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useCode } from '../../frame/code.tsx'
import { Failed } from '../../frame/problems.tsx'
import { Sheet } from '../../frame/sheet.tsx'
import { BusyButton } from '../../parts/busy-button.tsx'
import { CodeBlock } from '../../parts/code.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Id } from '../../parts/copy.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Form, type FormField } from '../../parts/form.tsx'
import { PublishableNote, usePublishable } from '../../parts/publishable.tsx'
import { samplesOf } from './samples.ts'
import { ABOUT, EventTabs, WITHIN_EVENTS } from './tabs.tsx'

const KEY = ['event-settings']

export function Sending() {
  const { data: person } = useQuery(me)
  const { key } = usePublishable()
  useCode('getEventSettings', 'GET', '/v1/event/settings', {})
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => stoa.getEventSettings({}, { signal }),
  })
  const mayChange = person !== undefined && manages(person)
  return (
    <Sheet title="Sending and settings" within={WITHIN_EVENTS}>
      <header className="head">
        <div className="grow">
          <h1>Events</h1>
          <p>{ABOUT}</p>
        </div>
      </header>
      <EventTabs />
      <div className="section evpage">
        <section>
          <h2>Send events</h2>
          <dl className="kv">
            <dt>Address</dt>
            <dd>
              <Id text={`${location.origin}/v1/event`} show />
            </dd>
            <dt>Key</dt>
            <dd>
              <Id text={key} show />
            </dd>
          </dl>
          <CodeBlock samples={samplesOf(location.origin, key)} />
          <PublishableNote />
          <p className="muted">
            A page can read the answers only if its domain is attached to a project and verified. Requests with the
            header DNT or Sec-GPC are not stored.
          </p>
        </section>
        <section>
          <h2>Storage and privacy</h2>
          {error && <Failed error={error} reset={() => void refetch()} />}
          {data &&
            (mayChange ? (
              <Settings key={JSON.stringify(data)} of={data} />
            ) : (
              <Facts title="Settings" of={factsOf(data)} />
            ))}
          {data && !mayChange && <p className="muted">Owners and admins can change this.</p>}
        </section>
      </div>
    </Sheet>
  )
}

const FIELDS: FormField[] = [
  {
    path: 'zone',
    label: 'Time zone',
    help: 'In which days, weeks and months are counted, such as Europe/Vienna.',
  },
  {
    path: 'retentionDays',
    label: 'Delete events after (days)',
    help: 'From 1 to 3,650. Without a number they are kept.',
  },
  {
    path: 'storeAddresses',
    label: 'Store IP addresses',
    help: 'The address of the sender is stored with each event, as $ip.',
  },
  {
    path: 'scrub',
    label: 'Remove secrets',
    help: 'Texts that look like secrets or card numbers are removed before events are stored.',
  },
]

function Settings({ of }: { of: EventSettings }) {
  const [asked, setAsked] = useState<EventSettings | null>(null)
  const save = useChange({
    run: (input: EventSettings) => stoa.updateEventSettings(input),
    changes: [KEY],
    done: () => 'Settings saved',
    showsErrors: true,
  })
  const submit = (input: EventSettings) => {
    // An empty field is left out of the form's input.
    const next = { ...input, retentionDays: input.retentionDays ?? null }
    if (deletesMore(of, next)) setAsked(next)
    else save.mutate(next)
  }
  const days = `${asked?.retentionDays ?? 0} days`
  return (
    <>
      <Form
        id="event-settings"
        operation="updateEventSettings"
        fields={FIELDS}
        initial={{ ...of, retentionDays: of.retentionDays ?? undefined }}
        error={save.error}
        onSubmit={submit as (input: never) => void}
      />
      <BusyButton type="submit" form="event-settings" data-kind="primary" isBusy={save.isPending}>
        Save settings
      </BusyButton>
      {asked && (
        <Confirm
          title="Delete older events?"
          action="Delete events"
          type={days}
          onNo={() => setAsked(null)}
          onYes={() => save.mutate(asked)}
        >
          <p>{`Events that are older than ${days} are deleted now and from then on. They cannot be restored.`}</p>
        </Confirm>
      )}
    </>
  )
}

const deletesMore = (now: EventSettings, next: EventSettings) =>
  (next.retentionDays ?? Number.POSITIVE_INFINITY) < (now.retentionDays ?? Number.POSITIVE_INFINITY)

const factsOf = ({ zone, retentionDays, storeAddresses, scrub }: EventSettings) => ({
  'Time zone': zone,
  Retention: retentionDays ? `${retentionDays.toLocaleString()} days` : 'Kept',
  'IP addresses': storeAddresses ? 'Stored, as $ip' : 'Not stored',
  'Secrets and card numbers': scrub ? 'Removed' : 'Stored as sent',
})
