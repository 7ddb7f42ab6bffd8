// The names of the events of a time: how often and by how many people each was sent.
import './events.css'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { NamedEvent, NamedEvents } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useCode } from '../../frame/code.tsx'
import type { Search } from '../../frame/search.ts'
import { Conditions } from '../../parts/conditions.tsx'
import { Estimate } from '../../parts/estimate.tsx'
import { conditionText } from '../../parts/facets.ts'
import { useLens } from '../../parts/lens.ts'
import { type Column, List, pages } from '../../parts/list.tsx'
import { RangeMenu } from '../../parts/range.tsx'
import { Time } from '../../parts/time.tsx'
import { ABOUT, EventTabs, WITHIN_EVENTS } from './tabs.tsx'

export function EventNames() {
  const lens = useLens('24h')
  const query = {
    ...pages(['event-names', lens.input], (from, options) => stoa.listEventNames({ ...lens.input, ...from }, options)),
    placeholderData: keepPreviousData,
  }
  const first = useInfiniteQuery(query).data?.pages[0] as NamedEvents | undefined
  useCode('listEventNames', 'GET', '/v1/event/insights/events', lens.input)
  return (
    <List
      title="Names of events"
      heading="Events"
      within={WITHIN_EVENTS}
      about={ABOUT}
      top={<EventTabs />}
      actions={<RangeMenu lens={lens} shown={first?.range} />}
      filters={<Conditions lens={lens} />}
      isFiltered={lens.where.length > 0}
      onClear={() => lens.setWhere([])}
      noun={['name', 'names']}
      first="Most frequent"
      query={query}
      idOf={({ event }) => event}
      columns={columnsOf(first)}
      empty={{
        icon: 'bolt',
        title: 'No event in this time',
        says: 'Choose a longer time. Under “Sending and settings” is a call that sends the first one.',
      }}
    />
  )
}

const columnsOf = (read: NamedEvents | undefined): Column<NamedEvent>[] => [
  { head: 'Event', className: 'p1 fill', cell: ({ event }) => <NameLink event={event} /> },
  {
    head: 'Events',
    className: 'r p2',
    cell: ({ count }) => (
      <>
        {count.toLocaleString()}
        <span className="phone-only">{count === 1 ? ' event' : ' events'}</span>
      </>
    ),
  },
  {
    head: 'People',
    className: 'r p3 evpeople',
    cell: ({ people }) => (
      <>
        {read ? <Estimate text={people.toLocaleString()} distinct={read.distinct} /> : people.toLocaleString()}
        <span className="phone-only">{people === 1 ? ' person' : ' people'}</span>
      </>
    ),
  },
  { head: 'First seen', className: 'r low', cell: ({ firstSeen }) => <Time at={firstSeen} /> },
  { head: 'Last seen', className: 'r p4', cell: ({ lastSeen }) => <Time at={lastSeen} /> },
]

/** Leads to the events with this name, in the same time. */
function NameLink({ event }: { event: string }) {
  const { org } = useParams({ strict: false }) as { org: string }
  const only = conditionText({ field: 'event', operator: 'is', value: event })
  const search = (now: Search) => ({ ...now, where: [...[now.where ?? []].flat(), only] })
  return (
    <Link className="main" to="/o/$org/$" params={{ org, _splat: 'events/search' }} search={search as never}>
      {event}
    </Link>
  )
}
