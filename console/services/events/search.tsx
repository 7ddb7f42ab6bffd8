// The events of a time, with filters: each with what it counts as, and all of its properties.
import './events.css'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CountedEvent, CountedEvents } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useCode } from '../../frame/code.tsx'
import { Clock } from '../../parts/clock.tsx'
import { CodeBlock, jsonText } from '../../parts/code.tsx'
import { Conditions } from '../../parts/conditions.tsx'
import { Id } from '../../parts/copy.tsx'
import { Facts } from '../../parts/facts.tsx'
import { useLens } from '../../parts/lens.ts'
import { type Column, List, pages, type Steps } from '../../parts/list.tsx'
import { Pane } from '../../parts/pane.tsx'
import { RangeMenu } from '../../parts/range.tsx'
import { ExportDialog } from './export.tsx'
import { ABOUT, EventTabs, WITHIN_EVENTS } from './tabs.tsx'

export function SearchEvents() {
  const lens = useLens('24h')
  const [isExport, setExport] = useState(false)
  const query = {
    ...pages(['raw-events', lens.input], (from, options) => stoa.listRawEvents({ ...lens.input, ...from }, options)),
    placeholderData: keepPreviousData,
  }
  const first = useInfiniteQuery(query).data?.pages[0] as CountedEvents | undefined
  useCode('listRawEvents', 'GET', '/v1/event/events', lens.input)
  return (
    <>
      <List
        title="Search events"
        heading="Events"
        within={WITHIN_EVENTS}
        about={ABOUT}
        top={<EventTabs />}
        actions={
          <>
            <RangeMenu lens={lens} shown={first?.range} />
            <button type="button" className="btn s" onClick={() => setExport(true)}>
              Export…
            </button>
          </>
        }
        filters={<Conditions lens={lens} />}
        isFiltered={lens.where.length > 0}
        onClear={() => lens.setWhere([])}
        noun={['event', 'events']}
        query={query}
        idOf={({ id }) => id}
        columns={COLUMNS}
        isDense
        opens="pane"
        details={(event, steps) => <CountedPane of={event} {...steps} />}
        empty={{
          icon: 'bolt',
          title: 'No event in this time',
          says: 'Choose a longer time. Under “Sending and settings” is a call that sends the first one.',
        }}
      />
      {isExport && <ExportDialog input={lens.input} onClose={() => setExport(false)} />}
    </>
  )
}

const NONE = <span className="zero">—</span>

const COLUMNS: Column<CountedEvent>[] = [
  { head: 'Event', className: 'p1', cell: ({ event }) => event },
  { head: 'Who', className: 'p3', cell: ({ visitor }) => <span className="cut">{visitor}</span> },
  { head: 'Page', className: 'low', cell: ({ path }) => path ?? NONE },
  { head: 'Source', className: 'low', cell: ({ source }) => source ?? NONE },
  { head: 'Happened', className: 'r p2', cell: ({ timestamp }) => <Clock at={timestamp} /> },
]

const idOf = (text: string | undefined) => text && <Id text={text} show />

const CountedPane = ({ of, ...steps }: Steps & { of: CountedEvent }) => (
  <Pane title={of.event} sub={<Id text={of.id} show />} {...steps}>
    <Facts
      of={{
        'Counts as': idOf(of.visitor),
        Session: idOf(of.session),
        Who: idOf(of.distinctId),
        Visitor: idOf(of.anonymousId),
        Happened: <Clock at={of.timestamp} />,
        Arrived: <Clock at={of.received} />,
        Page: of.path,
        Source: of.source,
        Campaign: of.campaign,
        Country: of.country,
        Browser: of.browser,
        System: of.system,
        Device: of.device,
        Release: of.release,
        Project: of.project,
        Workspace: idOf(of.workspace),
        Revenue: of.revenue !== undefined && `${of.revenue.toLocaleString()} ${of.currency ?? ''}`,
      }}
    />
    <CodeBlock samples={[{ name: 'Properties', code: jsonText(of.properties), isJson: true }]} />
  </Pane>
)
