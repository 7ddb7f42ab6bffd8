// The events that arrived, the newest first.
import './events.css'
import type { ReceivedEvent } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useCode } from '../../frame/code.tsx'
import { Clock } from '../../parts/clock.tsx'
import { CodeBlock, jsonText } from '../../parts/code.tsx'
import { Id } from '../../parts/copy.tsx'
import { Facts } from '../../parts/facts.tsx'
import { type Column, List, pages, type Steps } from '../../parts/list.tsx'
import { Pane } from '../../parts/pane.tsx'
import { PublishableNote, usePublishable } from '../../parts/publishable.tsx'
import { Time } from '../../parts/time.tsx'
import { samplesOf } from './samples.ts'
import { ABOUT, EventTabs } from './tabs.tsx'

const REFRESH_MS = 10_000

export function Events() {
  useCode('listEvents', 'GET', '/v1/event', {})
  return (
    <List
      title="Events"
      about={ABOUT}
      top={<EventTabs />}
      noun={['event', 'events']}
      query={{
        ...pages(['events'], (after, options) => stoa.listEvents({ ...after, limit: 100 }, options)),
        // The first one appears by itself; then no row moves under the pointer.
        refetchInterval: ({ state }) => state.data?.pages[0]?.data.length === 0 && REFRESH_MS,
      }}
      idOf={({ id }) => id}
      columns={COLUMNS}
      isDense
      opens="pane"
      details={(event, steps) => <EventPane of={event} {...steps} />}
      empty={{
        icon: 'bolt',
        title: 'No event yet',
        says: 'Send one with a call below. It appears here within seconds.',
        more: <FirstEvent />,
      }}
    />
  )
}

const personOf = ({ distinctId, anonymousId }: ReceivedEvent) => distinctId ?? anonymousId

const COLUMNS: Column<ReceivedEvent>[] = [
  { head: 'Event', className: 'p1', cell: ({ event }) => event },
  { head: 'Who', className: 'p3', cell: event => <span className="cut">{personOf(event) ?? '—'}</span> },
  { head: 'Project', className: 'low', cell: ({ project }) => project ?? <span className="zero">—</span> },
  { head: 'Sent by', className: 'low', cell: ({ wire }) => wireText(wire) },
  { head: 'Arrived', className: 'r p2', cell: ({ received }) => <Time at={received} /> },
]

const wireText = (wire: string) => (wire === 'native' ? 'Stoa' : wire)

const EventPane = ({ of, ...steps }: Steps & { of: ReceivedEvent }) => (
  <Pane title={of.event} sub={<Id text={of.id} show />} {...steps}>
    <Facts
      of={{
        Who: of.distinctId && <Id text={of.distinctId} show />,
        Visitor: of.anonymousId && <Id text={of.anonymousId} show />,
        Session: of.sessionId && <Id text={of.sessionId} show />,
        Happened: <Clock at={of.timestamp} />,
        Arrived: <Clock at={of.received} />,
        'Sent by': wireText(of.wire),
        Project: of.project,
        Workspace: of.workspace && <Id text={of.workspace} show />,
        Revenue: of.revenue !== undefined && `${of.revenue.toLocaleString()} ${of.currency ?? ''}`,
      }}
    />
    {of.propertiesOmitted ? (
      <p className="muted">{`Its properties have ${of.propertiesOmitted.toLocaleString()} bytes and are not in this list.`}</p>
    ) : (
      <CodeBlock samples={[{ name: 'Properties', code: jsonText(of.properties) }]} />
    )}
  </Pane>
)

function FirstEvent() {
  const { key } = usePublishable()
  return (
    <>
      <CodeBlock samples={samplesOf(location.origin, key)} />
      <PublishableNote />
    </>
  )
}
